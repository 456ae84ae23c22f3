from datetime import timedelta

import pytest

from judgelab.errors import InvalidInput
from judgelab.runs import service
from judgelab.runs.endpoints import service as endpoints
from judgelab.runs.endpoints import validation as endpoint_values
from judgelab.store.judging.endpoints import add_learnt, cool_down
from judgelab.store.models import now
from judgelab.ui.judge import endpoint_list
from judgelab.ui.kit import text
from tests.pages.conftest import screen_text
from tests.runs.conftest import spec
from tests.runs.openai_profiles import profiled
from tests.runs.projects import flasks

PAGE = "owner/endpoints.py"


def fill(at, **values):
    for key, value in values.items():
        at.text_input(key=f"endpoints_{key}").input(value)
    return at.button(key="endpoints_add").click().run()


def test_an_endpoint_is_added_and_listed(open_page, app_store):
    at = open_page(PAGE)
    assert "No endpoints yet" in screen_text(at)
    fill(at, name="hosted", url="http://127.0.0.1:9/v1")
    assert not at.exception
    (endpoint,) = endpoints.list_endpoints(app_store)
    assert (endpoint.name, endpoint.concurrency, endpoint.api_key_env) == ("hosted", 64, None)
    assert "**hosted**" in screen_text(at)


def test_a_key_in_place_of_its_variable_is_refused_and_not_echoed(open_page, app_store):
    at = fill(open_page(PAGE), name="hosted", url="http://127.0.0.1:9/v1", key="sk-very-secret")
    assert endpoints.list_endpoints(app_store) == []
    assert at.error and "sk-very-secret" not in at.error[0].value


def test_an_endpoint_that_is_down_says_what_is_wrong(open_page, app_store):
    endpoints.add_endpoint(app_store, "down", base_url="http://127.0.0.1:9/v1")
    at = open_page(PAGE)
    at.button(key="endpoints_test_1").click().run()
    assert not at.exception
    assert "Does not work" in screen_text(at)


def test_an_endpoint_that_rests_says_until_when_and_why(open_page, app_store):
    added = endpoints.add_endpoint(app_store, "busy", base_url="http://127.0.0.1:9/v1")
    with app_store.writing() as session:
        cool_down(session, added.id, now() + timedelta(seconds=90), "it asked for a year")
    (stored,) = endpoints.current_cool_downs(app_store).values()
    words = f"Paused; calls resume at {text.clock(stored.until)}, or as soon as a test succeeds."
    assert f"{words} it asked for a year" in screen_text(open_page(PAGE))


def test_a_missing_key_variable_is_seen_before_a_run(open_page, app_store, monkeypatch):
    monkeypatch.delenv("KITCHEN_KEY", raising=False)
    endpoints.add_endpoint(app_store, "hosted", base_url="http://127.0.0.1:9/v1", api_key_env="KITCHEN_KEY")
    assert "is not set where the app runs" in screen_text(open_page(PAGE))


def test_a_gateway_is_added_with_its_header_and_parameters(open_page, app_store):
    at = open_page(PAGE)
    at.text_input(key="endpoints_key_header").input("api-key")
    at.text_area(key="endpoints_headers").input("X-Team: soup\n\nX-Stage=test")
    at.text_area(key="endpoints_query").input("api-version=2024-10-21")
    fill(at, name="azure", url="http://127.0.0.1:9/openai/deployments/judge", key="AZURE_KEY")
    (endpoint,) = endpoints.list_endpoints(app_store)
    assert (endpoint.key_header, endpoint.query) == ("api-key", {"api-version": "2024-10-21"})
    assert endpoint.headers == {"X-Team": "soup", "X-Stage": "test"}


def test_a_header_that_carries_a_key_is_refused_and_not_echoed(open_page, app_store):
    at = open_page(PAGE)
    at.text_area(key="endpoints_headers").input("api-key: sk-very-secret")
    fill(at, name="azure", url="http://127.0.0.1:9/v1")
    assert endpoints.list_endpoints(app_store) == []
    assert "would carry a key" in at.error[0].value and "sk-very-secret" not in at.error[0].value


def test_what_a_test_found_out_is_shown_and_remembered(open_page, app_store):
    with profiled("llama.cpp") as server:
        endpoints.add_endpoint(app_store, "local", base_url=server.url)
        at = open_page(PAGE)
        at.button(key="endpoints_test_1").click().run()
    assert not at.exception
    assert "Works:" in screen_text(at) and "tiny, tested" in screen_text(at)
    report = dict(at.table[0].value.itertuples(index=False, name=None))
    assert report["Structured output"].startswith("JSON without a schema")
    assert report["Several replies per call"] == "no"
    assert dict(open_page(PAGE).table[0].value.itertuples(index=False, name=None)) == report


def test_limits_and_the_place_of_the_key_can_be_changed(open_page, app_store):
    endpoints.add_endpoint(
        app_store, "hosted", base_url="http://127.0.0.1:9/v1", api_key_env="OLD_KEY", rpm=5, timeout=7200.5
    )
    at = open_page(PAGE)
    at.number_input(key="endpoints_set_1_concurrency").set_value(3)
    at.number_input(key="endpoints_set_1_rpm").set_value(0)
    at.text_input(key="endpoints_set_1_key").input("")
    at.checkbox(key="endpoints_set_1_keyring").check()
    at.button(key="endpoints_set_1_save").click().run()
    assert not at.exception and not at.error
    (endpoint,) = endpoints.list_endpoints(app_store)
    assert (endpoint.concurrency, endpoint.rpm, endpoint.timeout) == (3, None, 7200.5)
    assert (endpoint.api_key_env, endpoint.keyring_name) == (None, "hosted")
    assert "no key in the keyring yet" in screen_text(at)


def test_one_that_was_never_asked_can_be_removed_and_any_other_says_why_it_stays(open_page, app_store):
    endpoints.add_endpoint(app_store, "typo", base_url="http://127.0.0.1:9/v1")
    endpoints.add_endpoint(app_store, "used", base_url="http://127.0.0.1:9/v1")
    service.create_run(app_store, flasks(app_store, 2), spec(endpoint="used"))
    at = open_page(PAGE)
    at.button(key="endpoints_remove_1").click().run()
    assert not at.exception and not at.error
    assert [endpoint.name for endpoint in endpoints.list_endpoints(app_store)] == ["used"]
    assert "It can't be removed: judges" in screen_text(at)
    assert "endpoints_remove_2" not in [button.key for button in at.button]


def test_one_that_was_asked_meanwhile_says_why_it_stays(open_page, app_store):
    endpoints.add_endpoint(app_store, "used", base_url="http://127.0.0.1:9/v1")
    at = open_page(PAGE)
    service.create_run(app_store, flasks(app_store, 2), spec(endpoint="used"))
    at.button(key="endpoints_remove_1").click().run()
    assert "Endpoint 'used' can't be deleted" in at.error[0].value and "**used**" in screen_text(at)


def test_prices_are_a_table_that_can_be_saved(open_page, app_store):
    endpoints.add_endpoint(app_store, "hosted", base_url="http://127.0.0.1:9/v1")
    endpoints.set_price(app_store, "hosted", "*", prompt=1.5, completion=2, cached=0.5, batch=0.5)
    at = open_page(PAGE)
    at.button(key="endpoints_price_save_1").click().run()
    assert not at.exception
    (endpoint,) = endpoints.list_endpoints(app_store)
    assert endpoint.prices == {"*": {"prompt": 1.5, "completion": 2.0, "cached": 0.5, "batch": 0.5}}


def test_models_that_were_called_stand_in_the_table_and_need_no_price(open_page, app_store):
    endpoints.add_endpoint(app_store, "hosted", base_url="http://127.0.0.1:9/v1")
    endpoints.set_price(app_store, "hosted", "big", prompt=1, completion=2)
    with app_store.writing() as session:
        add_learnt(session, 1, {"big": {"n": False}, "small": {"n": False}})
    at = open_page(PAGE)
    assert list(at.dataframe[0].value["Model"]) == ["big", "small"]
    at.button(key="endpoints_price_save_1").click().run()
    assert not at.exception
    (endpoint,) = endpoints.list_endpoints(app_store)
    assert list(endpoint.prices) == ["big"]


def test_a_half_filled_price_is_refused_and_an_empty_row_is_not():
    table = endpoint_list.price_frame({"big": {"prompt": 1, "completion": 2}})
    table.loc[1] = [None, None, None, None, None]
    price = {"prompt": 1.0, "completion": 2.0, "cached": None, "batch": None}
    assert endpoint_list.prices_from(table) == {"big": price}
    table.loc[2] = ["small", 1.0, None, None, None]
    with pytest.raises(InvalidInput, match="'small' needs two values"):
        endpoint_values.validate_prices(endpoint_list.prices_from(table))
    table.loc[2] = [None, 1.0, 2.0, None, None]
    with pytest.raises(InvalidInput, match="name of its model"):
        endpoint_values.validate_prices(endpoint_list.prices_from(table))
