"""DRPE: news summaries compared with a reference by a panel of roles."""

from judgelab.domain import Criterion
from judgelab.studies.base import GridPreset, JudgePreset, Study, studies
from judgelab.wording import mark

SAMPLING = {"temperature": 0.0}
MODEL = "text-davinci-003"
WHOLE = {"panel": True, "static": True, "k": 4, "clustering": ("dynamic", "all"), "batch": True}
PARTS = {"batch": (False,), "clustering": ("no",), "k": (0,), "static": (False,)}
SIZES = (0, 2, 4, 6)


def _panel(key: str, title: str, **changed: object) -> JudgePreset:
    """Return the panel with some parts changed, asked with five wordings like the paper's five runs."""
    options = changed if changed.get("panel") is False else {**WHOLE, **changed}
    settings = {"variants": 5, "clustering": "dynamic", **changed}
    return JudgePreset(key, title, "role_panel", options, 1, "", SAMPLING, MODEL, settings=settings)


studies.register("drpe")(
    Study(
        name="drpe",
        title=mark("DRPE: news summaries judged by a panel of roles"),
        summary=mark("Which summaries are among the best for their article? 0 is worst, 1 is best."),
        task="summarisation",
        criteria=(
            Criterion(
                "overall",
                "Overall quality",
                {"kind": "binary", "no": "Among the worst", "yes": "Among the best"},
                "Is this one of the best summaries of the article?",
            ),
        ),
        guidelines="Read the article first. Judge the summary as its readers would.",
        source="Wu, Gong, Shou, Liang and Jiang, NLPCC 2023",
        question=mark(
            "Does a panel of imagined readers, some fixed and some generated for each article, agree "
            "better with people about news summaries than a single plain comparison?"
        ),
        finding=mark(
            "Yes, on three collections: mean |r| is .761 for the panel, .636 for the plain comparison and "
            ".526 for BERTScore. Every part helps: the fixed roles most, then the roles generated for the "
            "article, clustering, and asking all roles at once. Four dynamic roles are enough."
        ),
        needs=mark(
            "Articles with several summaries each, human scores or votes for the best and the worst "
            "summary, one reference summary (written by a person or generated), and roles generated for "
            "each article."
        ),
        judges=(
            _panel("drpe", "DRPE"),
            _panel("no_batch", "DRPE without batch prompting", batch=False),
            _panel("no_clustering", "DRPE without clustering", clustering="no"),
            _panel("no_dynamic", "DRPE without dynamic roles", k=0),
            _panel("no_static", "DRPE without static roles", static=False),
            _panel("plain", "GPT-D3, one plain comparison", panel=False),
        ),
        metrics=("rouge1", "rouge2", "rougeL", "bleu", "meteor", "bertscore_f1", "moverscore"),
        levels=("none",),
        coefficients=("pearson",),
        grids=(
            GridPreset("k", mark("Number of dynamic roles"), "drpe", {"k": SIZES, "static": (True, False)}),
            GridPreset("parts", mark("One part left out at a time"), "drpe", PARTS, "one_at_a_time"),
        ),
    )
)
