"""Setting budgets: what a run, or all runs of a project, may cost."""

from __future__ import annotations

from judgelab.errors import InvalidInput
from judgelab.runs.plan.pricing import price_of
from judgelab.runs.plan.run_builder import RunDraft
from judgelab.store.db.engine import Store
from judgelab.store.judging import budgets, runs
from judgelab.wording import sentence


def set_budget(store: Store, run_id: int, budget: float | None) -> None:
    """Change what a run may cost in US dollars, None for no limit; one that paused is resumed by a person.

    Raises:
        NotFound: there is no such run.
        InvalidInput: the budget is not more than 0, or no price of the model is known.
    """
    with store.writing() as session:
        run = runs.locked_run(session, run_id)
        if budget is not None:
            check_amount(budget)
            model, prices = budgets.model_and_prices(session, run_id)
            _refuse_unpriced(model, has_price=price_of(prices, model) is not None)
        run.budget = budget


def check_budget(draft: RunDraft, budget: float | None) -> None:
    """Refuse a budget that could not be kept; raises `InvalidInput`."""
    if budget is None:
        return
    check_amount(budget)
    endpoint, model = draft.judge_config.endpoint, draft.judge_config.judge.model
    _refuse_unpriced(model, has_price=endpoint is not None and price_of(endpoint.prices, model) is not None)


def check_amount(budget: float) -> float:
    """Return the amount; raises `InvalidInput` for one that is not more than 0."""
    if not 0 < budget < float("inf"):
        raise InvalidInput(sentence("a budget must be more than 0 USD."))
    return budget


def read_budget(text: str) -> float | None:
    """Return a budget as written on the command line: dollars, or `none` for no limit."""
    if text.strip().lower() in ("", "none"):
        return None
    try:
        return check_amount(float(text))
    except ValueError:
        raise InvalidInput(f"budget: must be US dollars (12.50) or 'none', not '{text}'.") from None


def _refuse_unpriced(model: str, *, has_price: bool) -> None:
    if not has_price:
        raise InvalidInput(
            sentence(
                "a budget needs a price, and none is known for '{model}'. Set it with `judgelab endpoint "
                "price NAME {model} --prompt USD --completion USD` (per million tokens).",
                model=model,
            )
        )
