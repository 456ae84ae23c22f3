from judgelab.runs import endpoints

PAGE = "owner/endpoints.py"


def said(at):
    kinds = (at.markdown, at.caption, at.error)
    return " ".join(str(one.value) for kind in kinds for one in kind)


def fill(at, **values):
    for key, value in values.items():
        at.text_input(key=f"endpoints_{key}").input(value)
    return at.button(key="endpoints_add").click().run()


def test_an_endpoint_is_added_and_listed(open_page, app_store):
    at = open_page(PAGE)
    assert "No endpoint yet" in said(at)
    fill(at, name="hosted", url="http://127.0.0.1:9/v1")
    assert not at.exception
    (stored,) = endpoints.list_endpoints(app_store)
    assert (stored.name, stored.concurrency, stored.api_key_env) == ("hosted", 64, None)
    assert "**hosted**" in said(at)


def test_a_key_in_place_of_its_variable_is_refused_and_not_echoed(open_page, app_store):
    at = fill(open_page(PAGE), name="hosted", url="http://127.0.0.1:9/v1", key="sk-very-secret")
    assert endpoints.list_endpoints(app_store) == []
    assert at.error and "sk-very-secret" not in at.error[0].value


def test_an_endpoint_that_is_down_says_what_is_wrong(open_page, app_store):
    endpoints.add_endpoint(app_store, "down", base_url="http://127.0.0.1:9/v1")
    at = open_page(PAGE)
    at.button(key="endpoints_test_1").click().run()
    assert not at.exception
    assert "Does not work" in said(at)


def test_a_missing_key_variable_is_seen_before_a_run(open_page, app_store, monkeypatch):
    monkeypatch.delenv("KITCHEN_KEY", raising=False)
    endpoints.add_endpoint(app_store, "hosted", base_url="http://127.0.0.1:9/v1", api_key_env="KITCHEN_KEY")
    assert "is not set where the app runs" in said(open_page(PAGE))
