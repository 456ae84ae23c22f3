"""What `import judgelab` promises: its names, what they take and return, and the classes of their results."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from importlib import import_module
from typing import Any

import judgelab as jl

OURS = "judgelab."


class _Bare(str):
    """An annotation that is printed as it stands in the source, without quotes."""

    def __repr__(self) -> str:
        return str(self)


@cache
def public() -> Mapping[str, Any]:
    """Return the public names with what they stand for, without the version."""
    return {name: getattr(jl, name) for name in jl.__all__ if name != "__version__"}


@cache
def classes() -> Mapping[str, type]:
    """Return the public classes and those that public functions and methods return, by name."""
    named = public()
    found = {name: one for name, one in named.items() if inspect.isclass(one)}
    waiting: list[Any] = list(named.values())
    seen: set[Any] = set()
    while waiting:
        one = waiting.pop(0)
        if one in seen:
            continue
        seen.add(one)
        if not inspect.isclass(one):
            waiting += _mentioned(one, getattr(one, "__annotations__", {}).get("return"))
        elif one.__module__.startswith(OURS):
            if one not in found.values():
                found[one.__name__] = one
            waiting += [base for base in one.__bases__ if base.__module__.startswith(OURS)]
            waiting += [member for _, member in members(one)]
            module = sys.modules[one.__module__]
            waiting += [result for _, kind, _ in attributes(one) for result in _mentioned(module, kind)]
    return found


def members(of: type) -> list[tuple[str, Callable[..., Any]]]:
    """Return the public methods and properties that a class defines itself, as functions."""
    unwrapped = (
        (name, member.fget if isinstance(member, property) else getattr(member, "__func__", member))
        for name, member in vars(of).items()
        if not name.startswith("_")
    )
    return [(name, member) for name, member in unwrapped if inspect.isfunction(member)]


def attributes(of: type) -> list[tuple[str, str, str]]:
    """Return the public fields of a data class or named tuple: name, type, default ("" without one)."""
    if not is_dataclass(of):
        defaults = getattr(of, "_field_defaults", {})
        return [
            (name, shown_type(of.__annotations__[name]), repr(defaults[name]) if name in defaults else "")
            for name in getattr(of, "_fields", ())
        ]
    inherited = {one.name for base in of.__bases__ if is_dataclass(base) for one in fields(base)}
    return [
        (one.name, shown_type(one.type), "" if one.default is MISSING else repr(one.default))
        for one in fields(of)
        if not one.name.startswith("_") and one.name not in inherited
    ]


def signature(one: Callable[..., Any]) -> str:
    """Return what a function takes and returns as its source says it, without `self`."""
    found = inspect.signature(one)
    parameters = [
        each.replace(annotation=_bare(each.annotation))
        for name, each in found.parameters.items()
        if name not in ("self", "cls")
    ]
    return str(found.replace(parameters=parameters, return_annotation=_bare(found.return_annotation)))


def shown_type(annotation: Any) -> str:
    """Return an annotation as its source says it, with the public names of our classes."""
    written = getattr(annotation, "__forward_arg__", annotation)
    text = written if isinstance(written, str) else inspect.formatannotation(written)
    for name, one in public().items():
        if inspect.isclass(one) and one.__name__ != name:  # `Filter` has another name within the package
            text = re.sub(rf"\b{one.__name__}\b", name, text)
    return text


def is_property(of: type, name: str) -> bool:
    """Return whether a member of a class is read without being called."""
    return isinstance(inspect.getattr_static(of, name), property)


def _bare(annotation: Any) -> Any:
    return annotation if annotation is inspect.Signature.empty else _Bare(shown_type(annotation))


def _mentioned(where: Any, annotation: Any) -> list[Any]:
    """Return our classes that an annotation names, also those imported for the type checker only."""
    if annotation is None:
        return []
    module = where if inspect.ismodule(where) else sys.modules[where.__module__]
    names = re.findall(r"[A-Za-z_]\w*", shown_type(annotation))
    known = {name: getattr(module, name, None) or _imported(module, name) for name in dict.fromkeys(names)}
    return [one for one in known.values() if inspect.isclass(one) and one.__module__.startswith(OURS)]


def _imported(module: Any, name: str) -> Any:
    source = _sources(module).get(name)
    return None if source is None else getattr(import_module(source), name, None)


@cache
def _sources(module: Any) -> Mapping[str, str]:
    """Return the names that a module imports from ours, wherever in it, with the modules they are from."""
    return {
        alias.asname or alias.name: node.module
        for node in ast.walk(ast.parse(inspect.getsource(module)))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(OURS)
        for alias in node.names
    }
