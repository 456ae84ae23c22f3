"""A project of pairs: three raters, a judge in both orders, one in an unknown order, and one by points."""

from __future__ import annotations

from judgelab.analysis.disagreement.pair_conflicts import decide_pair, find_pair_conflicts
from judgelab.imports.service import import_files
from judgelab.store.db.engine import Store
from judgelab.store.people import people
from judgelab.store.projects.projects import create_project
from tests.databases import stored_once

WINNERS = {"N": "new", "O": "old", "T": "tie", "-": ""}
CHOICES = {  # one letter a pair
    "Ann": "NNNNOOOTTN",
    "Bea": "NNNOOONTNT",
    "Cid": "NNOOOTOTOO",
    "k-judge": "NNOOONOTNN",
}
BOTH_ORDERS = ("NNNOOONTNO", "NONOOOOTNO")  # j-judge, the new response first, and the old one first
POINTS = "NNNNOONTNN"  # which response points-judge scored higher


def texts_csv() -> str:
    """Return ten items with a response of two systems each; the new system's are longer."""
    lines = ["item_id,question,system,response"]
    for place in range(10):
        lines += [
            f"q{place},Why {place}?,new,because it is so {place}",
            f"q{place},Why {place}?,old,so {place}",
        ]
    return "\n".join(lines) + "\n"


def people_csv() -> str:
    """Return the comparisons by three raters."""
    lines = ["item_id,response_a,response_b,rater,choice"]
    for rater in ("Ann", "Bea", "Cid"):
        lines += [f"q{n},new,old,{rater},{WINNERS[letter]}" for n, letter in enumerate(CHOICES[rater])]
    return "\n".join(lines) + "\n"


def judges_csv() -> str:
    """Return the comparisons by two judges with reasons; one has a pair without a choice."""
    lines = ["item_id,response_a,response_b,judge,choice,order,rationale"]
    for order, letters in zip(("new", "old"), BOTH_ORDERS, strict=True):
        lines += [f"q{n},new,old,j-judge,{WINNERS[x]},{order},reason {n}" for n, x in enumerate(letters)]
    lines += [f"q{n},old,new,k-judge,{WINNERS[x]},," for n, x in enumerate(CHOICES["k-judge"])]
    lines.append("q0,new,old,lost-judge,,,")
    return "\n".join(lines) + "\n"


def points_csv() -> str:
    """Return scores of single responses by a judge, from which choices follow."""
    lines = ["item_id,system,judge,criterion,score"]
    for n, letter in enumerate(POINTS):
        new, old = {"N": (4, 2), "O": (2, 3), "T": (3, 3)}[letter]
        lines += [f"q{n},new,points-judge,score,{new}", f"q{n},old,points-judge,score,{old}"]
    return "\n".join(lines) + "\n"


@stored_once
def pairs_project(store: Store, *, points: bool = True, name: str = "Pairs") -> str:
    """Import the texts, the comparisons and, if asked, the points into a new project; return its slug."""
    with store.writing() as session:
        slug = create_project(session, name=name).slug
    files = {"texts": texts_csv(), "people": people_csv(), "judges": judges_csv()}
    if points:
        files["points"] = points_csv()
    for file, content in files.items():
        import_files(store, slug, [(f"{file}.csv", content.encode())])
    return slug


@stored_once
def confident_project(store: Store, *, items: int) -> str:
    """Import one pair an item, judged in both orders, with a confidence by one of two judges.

    Ann and Bea prefer zeta's response; on every tenth item they differ. `sure` says 0.9 if it prefers zeta's,
    and 0.6 if alpha's, which it does on every fourth item. `mute` chooses the same without a confidence.
    """
    with store.writing() as session:
        slug = create_project(session, name="Confident").slug
    texts = ["item_id,question,system,response"]
    texts += [f"q{n},Why?,{name},Text {n} {name}." for n in range(items) for name in ("zeta", "alpha")]
    people = ["item_id,response_a,response_b,rater,choice"]
    people += [f"q{n},zeta,alpha,Ann,zeta" for n in range(items)]
    people += [f"q{n},zeta,alpha,Bea,{'alpha' if n % 10 == 9 else 'zeta'}" for n in range(items)]
    judges = ["item_id,response_a,response_b,judge,choice,order,confidence"]
    for n in range(items):
        choice, sure = ("alpha", "0.6") if n % 4 == 3 else ("zeta", "0.9")
        for shown in ("zeta", "alpha"):
            judges.append(f"q{n},zeta,alpha,sure,{choice},{shown},{sure}")
            judges.append(f"q{n},zeta,alpha,mute,{choice},{shown},")
    for name, lines in (("texts", texts), ("people", people), ("judges", judges)):
        import_files(store, slug, [(f"{name}.csv", "\n".join(lines).encode())])
    return slug


def decide(store: Store, slug: str, item: str, system: str) -> None:
    """Let Olga decide the pair of an item on which raters differ: a system, "tie", or "" if she can't."""
    with store.writing() as session:
        olga = people.find_or_create(session, "Olga", role="owner")
    conflict = next(c for c in find_pair_conflicts(store, slug, ties=True) if c.item == item)
    winner = {conflict.system_first: conflict.first, conflict.system_second: conflict.second}.get(system)
    decide_pair(
        *(store, slug),
        pair=conflict.pair,
        criterion=conflict.criterion,
        winner=winner,
        tie=system == "tie",
        person_id=olga,
    )


def rate_responses(store: Store, slug: str) -> None:
    """Import one rater's scores of every single response, so that the project has both kinds of ratings."""
    lines = ["item_id,system,rater,criterion,score"]
    lines += [
        f"q{n},{s},Ann,score,{2 + (n + k) % 3}" for n in range(10) for k, s in enumerate(("new", "old"))
    ]
    import_files(store, slug, [("ratings.csv", "\n".join(lines).encode())])


EXAMPLE_CHOICES, EXAMPLE_LEADS = "NTTON", (2.0, 0.5, -0.5, -0.5, 1.0)
OTHER_CHOICES, OTHER_LEADS = "NOTNT", (0.75, -1.0, 0.25, 1.5, 0.75)


@stored_once
def margin_project(store: Store, *, group: str = "examples", others: str = "x", ties: bool = True) -> str:
    """Import five pairs of a group and five others, on which Ann and Bea choose the same.

    `fine` scores the new response of each pair by a lead above or below 3, the old one's score; `coarse`
    gives 3 to all responses outside the group; `newer` compares the two and always prefers the new one.
    Without `ties`, Ann and Bea prefer the new response where they would have chosen a tie in the group.
    """
    with store.writing() as session:
        slug = create_project(session, name="Margins").slug
    examples = EXAMPLE_CHOICES if ties else EXAMPLE_CHOICES.replace("T", "N")
    texts, people = ["item_id,question,group,system,response"], ["item_id,response_a,response_b,rater,choice"]
    judges = ["item_id,response_a,response_b,judge,choice"]
    points = ["item_id,system,judge,criterion,score"]
    for n, (letter, lead) in enumerate(
        zip(examples + OTHER_CHOICES, EXAMPLE_LEADS + OTHER_LEADS, strict=True)
    ):
        of_group = n < len(examples)
        texts += [
            f"q{n},Why {n}?,{group if of_group else others},{name},{name} {n}" for name in ("new", "old")
        ]
        people += [f"q{n},new,old,{rater},{WINNERS[letter]}" for rater in ("Ann", "Bea")]
        judges.append(f"q{n},new,old,newer,new")
        points += [f"q{n},new,fine,score,{3 + lead}", f"q{n},old,fine,score,3"]
        if not of_group:
            points += [f"q{n},{name},coarse,score,3" for name in ("new", "old")]
    files = {"texts": texts, "people": people, "judges": judges, "points": points}
    for name, lines in files.items():
        import_files(store, slug, [(f"{name}.csv", "\n".join(lines).encode())])
    return slug
