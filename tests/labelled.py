"""Projects rated by labels without an order: one label for a response, or several."""

from __future__ import annotations

from judgelab.imports.service import import_files
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import create_project

LABELS = ("supported", "contradicted", "unclear")
RATERS = {
    "Ada": "SCUSCSCUSCSU",
    "Bo": "SCUCCSSUSCSU",
    "Cid": "SUSUCCCUSSSC",
    "strict-judge": "SUUSCCCUSCCU",
    "mild-judge": "SSUSSSCUSSSU",
}


def claims_csv() -> str:
    """Return ratings of twelve responses by three people and two judges, in words without a known order."""
    words = {label[0].upper(): label for label in LABELS}
    lines = ["item_id,question,response,system,group,rater,rater_kind,criterion,score"]
    for rater, letters in RATERS.items():
        kind = "judge" if rater.endswith("judge") else "human"
        for place, letter in enumerate(letters):
            system, group = ("plain", "sourced")[place % 2], ("old", "new")[place // 6]
            lines.append(
                f"q{place // 2},Is claim {place // 2} true?,{'word ' * (place + 1)},{system},{group},"
                f"{rater},{kind},verdict,{words[letter]}"
            )
    return "\n".join(lines) + "\n"


def claims(store: Store) -> str:
    """Import the ratings into a new project; return its slug."""
    with store.writing() as session:
        slug = create_project(session, name="Claims").slug
    import_files(store, slug, [("claims.csv", claims_csv().encode())])
    return slug


SCALE_OF_SETS = {"kind": "categorical", "labels": ["vague", "wrong", "rude"], "several": True}
SETS = {
    "Ada": ["vague", "vague|wrong", "none of these", "rude", "wrong|rude", "vague"],
    "Bo": ["vague", "wrong", "none of these", "rude|vague", '["wrong", "rude"]', "wrong"],
    "Cid": ["vague|rude", "wrong|vague", "rude", "rude|vague", "wrong", ""],
    "strict": ["vague", "wrong", "rude", "rude|vague", "wrong|rude", "vague"],
}


def faults_tsv() -> str:
    """Return sets of labels that three people and a judge gave to six responses; one cell is empty."""
    lines = ["item_id\tresponse\trater\trater_kind\tcriterion\tscore"]
    for rater, cells in SETS.items():
        kind = "judge" if rater == "strict" else "human"
        lines += [f"q{n}\tSo {n}.\t{rater}\t{kind}\tfaults\t{cell}" for n, cell in enumerate(cells)]
    return "\n".join(lines)


def faults(store: Store) -> str:
    """Import the sets into a new project; return its slug."""
    with store.writing() as session:
        slug = create_project(session, name="Faults").slug
    import_files(store, slug, [("f.tsv", faults_tsv().encode())], scales={"faults": SCALE_OF_SETS})
    return slug
