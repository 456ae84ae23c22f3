"""Reference of `import judgelab as jl`, from the docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from textwrap import wrap
from typing import Any, NamedTuple

from docs.site_pages.markdown import code, page, table
from docs.site_pages.public_names import (
    attributes,
    classes,
    is_property,
    members,
    public,
    shown_type,
    signature,
)


class Group(NamedTuple):
    """A page of the reference: its title, what it is about, and its names in the order of reading."""

    title: str
    about: str
    names: tuple[str, ...]


GROUPS: Mapping[str, Group] = {
    "data": Group(
        "Data",
        "Scores come in as a data frame, dictionaries, vectors or a file, and results go out as tables.",
        ("scores", "Scores", "read"),
    ),
    "agreement": Group(
        "Agreement",
        "How far a judge agrees with the raters, and whether it can stand in for one.",
        ("agreement", "binary", "alt_test", "trust"),
    ),
    "raters": Group(
        "Raters",
        "How far the raters agree with one another, who is unreliable, and one score from several raters.",
        ("inter_rater", "filter_raters", "Filter", "dawid_skene"),
    ),
    "judges": Group(
        "Judges",
        "Which judge is better, what it favours, how it ranks systems, and several judges as one.",
        ("compare", "systems", "biases", "jury"),
    ),
    "pairs": Group("Pairs", "From choices between two responses to scores.", ("bradley_terry",)),
    "planning": Group(
        "Planning",
        "Few ratings and many verdicts: what the raters' mean would be, and how many ratings are needed.",
        ("mean", "corrected_share", "allocate_labels", "sample_size"),
    ),
    "paper": Group("Paper", "What a paper reports, as files.", ("report",)),
    "running": Group("Running judges", "Metrics and LLM judges on texts.", ("score", "judge", "ajudge")),
    "database": Group("Database", "What the app holds.", ("open",)),
}
SECTION = re.compile(r"^(\w+):\n((?:(?: .*)?(?:\n|$))+)", re.MULTILINE)
ARGUMENT = re.compile(r"^ {4}(\*{0,2}\w+):((?:.*(?:\n {5,}.*)*))", re.MULTILINE)


def group_page(name: str) -> str:
    """Return the page of a group: what it is about, then its functions and classes."""
    group, named = GROUPS[name], public()
    found = {one: named[one] for one in group.names if one in named}
    rows = ([f"[`jl.{one}`](#{anchor(one, what)})", first_line(what)] for one, what in found.items())
    parts = (
        _class(one, what, "jl.") if inspect.isclass(what) else _function(one, what)
        for one, what in found.items()
    )
    return page(f"# {group.title}", group.about, table(["name", "in one line"], rows), *parts)


def results_page() -> str:
    """Return the classes that functions return, which nobody makes by hand."""
    named = public()
    found = {name: of for name, of in classes().items() if name not in named}
    rows = ([f"[`{name}`](#{anchor(name, of)})", first_line(of)] for name, of in found.items())
    return page(
        "# Results",
        "What the functions return. Results do not change and can be pickled. How they are made is private; "
        "what can be read from them is [stable](stable.md).",
        table(["class", "in one line"], rows),
        *(_class(name, of, "") for name, of in found.items()),
    )


def names_page() -> str:
    """Return all groups with their names."""
    named = public()
    groups = table(
        ["page", "about", "names"],
        (
            [
                f"[{group.title}]({name}.md)",
                group.about,
                " ".join(
                    f"[`{one}`]({name}.md#{anchor(one, named[one])})" for one in group.names if one in named
                ),
            ]
            for name, group in GROUPS.items()
        ),
    )
    return page(
        "# All names",
        "`import judgelab as jl`, then any of these. Written from the docstrings, which `help(jl.agreement)` "
        "shows too. Classes that only functions make are under [Results](results.md).",
        groups,
    )


def anchor(name: str, what: Any) -> str:
    """Return the anchor of a name; classes have a prefix, as `scores` and `Scores` differ in case only."""
    return f"class-{name.lower()}" if inspect.isclass(what) else name


def first_line(what: Any) -> str:
    """Return the first line of a docstring."""
    return (inspect.getdoc(what) or "").split("\n\n")[0]


def _function(name: str, what: Callable[..., Any]) -> str:
    said = inspect.getdoc(what) or ""
    awaited = "await " if inspect.iscoroutinefunction(what) else ""
    return page(
        f"## jl.{name} {{ #{anchor(name, what)} }}",
        _call(f"{awaited}jl.{name}{_short(what)}"),
        _told(said, inspect.signature(what).parameters),
    )


def _class(name: str, of: type, module: str) -> str:
    said = inspect.getdoc(of) or ""
    made = inspect.signature(of).parameters if module else {}
    private = any(one.startswith("_") for one in made)
    shown = _call(f"{module}{name}{_short(of)}") if made and not private else ""
    kept = attributes(of) if not shown else []
    meanings = _arguments(said)
    rows = [[code(one), f"*{code(kind)}* {meanings.get(one, '')}"] for one, kind, _ in kept]
    for one, member in members(of):
        returns = signature(member).rpartition("-> ")[2]
        taken = [each for each in inspect.signature(member).parameters if each not in ("self", "cls")]
        called = one if is_property(of, one) else f"{one}({', '.join(taken)})"
        rows.append([code(called), f"*{code(returns)}* {first_line(member).removeprefix('Return ')}"])
    bases = [base.__name__ for base in of.__bases__ if base.__name__ in classes()]
    return page(
        f"## {module}{name} {{ #{anchor(name, of)} }}",
        f"Has all that a [`{bases[0]}`](results.md#class-{bases[0].lower()}) has." if bases else "",
        shown,
        _told(said, made if shown else {}),
        table(["member", "type and meaning"], rows),
    )


def _call(text: str) -> str:
    """Return a call as code, in lines that fit the page."""
    indent = " " * 4
    lines = wrap(text, 82, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(["```python", *lines, "```"])


def _short(what: Callable[..., Any]) -> str:
    """Return what a function takes, without types: `(data=None, *, level=None)`."""
    found = inspect.signature(what)
    taken = [
        one.replace(annotation=inspect.Parameter.empty)
        for name, one in found.parameters.items()
        if name not in ("self", "cls")
    ]
    return str(found.replace(parameters=taken, return_annotation=inspect.Signature.empty))


def _told(said: str, taken: Mapping[str, inspect.Parameter]) -> str:
    """Return a docstring as Markdown: its text, its arguments as a table, its example as code."""
    opening, *found = SECTION.split(said)
    sections = zip(found[::3], found[1::3], found[2::3], strict=True)
    parts = [opening]
    for title, text, after in sections:
        inner = inspect.cleandoc(text)
        if title == "Example":
            parts.append(f"```pycon\n{inner}\n```")
        elif title == "Args":
            meanings = _arguments(said)
            rows = ([code(name), f"{_kind(one)}{meanings.get(name, '')}"] for name, one in taken.items())
            parts.append(table(["argument", "meaning"], rows))
        elif title == "Raises":
            raised = (f"`{name}` if {why.rstrip('.')}" for name, why in _arguments(said, title).items())
            parts.append(f"**Raises** {'; '.join(raised)}.")
        elif title != "Attributes":
            parts += [f"**{title}**", inner]
        parts.append(after)  # such as the source, one line between two sections
    return page(*parts)


def _arguments(said: str, *titles: str) -> dict[str, str]:
    """Return names and what is said of them, from the sections of a docstring with these titles."""
    wanted = titles or ("Args", "Attributes")
    return {
        name: " ".join(text.split())
        for title, inner in SECTION.findall(said)
        if title in wanted
        for name, text in ARGUMENT.findall(inner)
    }


def _kind(one: inspect.Parameter) -> str:
    """Return the type of an argument before its meaning, nothing if it may be anything."""
    kind = "" if one.annotation is one.empty else shown_type(one.annotation)
    return "" if kind in ("", "Any") else f"*{code(kind)}* "
