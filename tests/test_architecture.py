"""The code keeps to the rules of `tests/rooms.py`. Change a rule there first, on purpose."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

from tests.rooms import FOLDERS, ROOMS, written

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "judgelab"

LIBRARIES: dict[str, set[str]] = {
    "streamlit": {"ui"},
    "sqlalchemy": {"store"},
    "alembic": {"store"},
    "dbos": {"runs"},
    "openai": {"backends"},
    "keyring": {"backends"},
    "plotly": {"charts", "ui", "api"},  # in the API as the type of figures only
    "typer": {"cli"},
    "click": {"cli"},
    "torch": {"metrics", "backends"},
    "transformers": {"metrics", "backends"},
    "peft": {"backends"},
}
PURE = {"scales", "rendering", "protocols", "metaeval", "metrics", "learned", "studies", "charts"}
SESSION_MAKERS = {"reading", "writing", "engine"}  # of `Store`
TOUCHES_THE_WORLD = {"requests", "httpx", "aiohttp", "socket", "subprocess", "sqlite3", "streamlit"}


def _modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def _room(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def _libraries(path: Path) -> set[str]:
    return {name.split(".")[0] for name in _imported(path)}


@cache
def _imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def test_a_room_imports_only_from_the_rooms_it_may_touch() -> None:
    violations = {}
    for path in _modules():
        room = _room(path)
        if room not in {"cli", "__main__", "__init__"}:
            rooms_used = {name.split(".")[1] for name in _imported(path) if name.startswith("judgelab.")}
            violations[str(path)] = rooms_used - {room, "__version__"} - ROOMS[room].may_import
    assert {path: rooms for path, rooms in violations.items() if rooms} == {}


def test_a_folder_imports_only_from_the_folders_it_may_touch() -> None:
    violations = {}
    for path in _modules():
        room, *inside = path.relative_to(PACKAGE).with_suffix("").parts
        if room not in FOLDERS or inside[-1] == "__main__" or inside == ["__init__"]:
            continue
        folder = _folder(room, inside)
        folders_used = {
            _folder(room, names[2:])
            for names in (name.split(".") for name in _imported(path))
            if names[:2] == ["judgelab", room] and _is_module(names)
        }
        violations[str(path)] = folders_used - {folder} - FOLDERS[room][folder].may_import
    assert {path: folders for path, folders in violations.items() if folders} == {}


def test_rooms_and_folders_form_no_ring() -> None:
    for rooms in (ROOMS, *FOLDERS.values()):
        graph = {name: room.may_import - {name} for name, room in rooms.items()}
        assert set().union(*graph.values()) <= set(graph)
        TopologicalSorter(graph).prepare()  # raises CycleError


def test_each_folder_of_a_large_room_is_told_of() -> None:
    for room, folders in FOLDERS.items():
        names = {path.parent.name for path in (PACKAGE / room).glob("*/__init__.py")}
        assert names == set(folders) - {""}


def test_each_room_of_the_package_is_told_of() -> None:
    rooms = {_room(path) for path in _modules()} - {"cli", "__main__", "__init__"}
    assert rooms == set(ROOMS)


def test_the_table_of_rooms_is_that_of_the_rules() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert page == written(page), "run: python -m tests.rooms"


def _folder(room: str, inside: Sequence[str]) -> str:
    return inside[0] if inside[0] in FOLDERS[room] else ""


def _is_module(names: Sequence[str]) -> bool:
    """Return whether a dotted name is of a module or folder of its room."""
    return len(names) > 2 and (
        (PACKAGE / names[1] / names[2]).is_dir() or (PACKAGE / names[1] / f"{names[2]}.py").is_file()
    )


def test_a_library_is_used_only_in_its_room() -> None:
    violations = [
        f"{path} uses {library}, which belongs to {rooms}"
        for path in _modules()
        for library, rooms in LIBRARIES.items()
        if library in _libraries(path) and _room(path) not in rooms
    ]
    assert violations == []


def test_pure_rooms_do_not_touch_the_world() -> None:
    pure_modules = [path for path in _modules() if _room(path) in PURE]
    assert [str(path) for path in pure_modules if _libraries(path) & TOUCHES_THE_WORLD] == []


def test_only_one_file_knows_the_job_engine() -> None:
    modules = [str(p.relative_to(PACKAGE)) for p in _modules() if "dbos" in _libraries(p)]
    assert modules == ["runs/worker/engine.py"]


def test_only_one_file_uses_what_streamlit_does_not_publish() -> None:
    unpublished = re.compile(
        r"streamlit\.(runtime|web|env_util|source_util|config|proto|elements|navigation|_)"
    )
    files = [*_modules(), ROOT / "app.py", *(ROOT / "pages").rglob("*.py")]
    users = [str(path.relative_to(ROOT)) for path in files if any(map(unpublished.match, _imported(path)))]
    assert users == ["judgelab/ui/kit/streamlit_internals.py"]


def test_the_screen_opens_no_database_session() -> None:
    """Pages and `ui` call functions of other rooms that take the store; these open the session."""
    files = [ROOT / "app.py", *(ROOT / "pages").rglob("*.py"), *(PACKAGE / "ui").rglob("*.py")]
    opens = {
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in files
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (isinstance(node, ast.Attribute) and node.attr in SESSION_MAKERS)
        or (isinstance(node, ast.ImportFrom) and any(alias.name == "Session" for alias in node.names))
    }
    assert opens == set()


def test_a_module_that_a_docstring_names_exists() -> None:
    named = re.compile(r"`((?:" + "|".join(ROOMS) + r")(?:\.\w+)+)(?:\(\))?`")
    missing = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in _modules()
        for name in named.findall(path.read_text(encoding="utf-8"))
        if not _exists(name.split("."))
    ]
    assert missing == []


def _exists(names: Sequence[str]) -> bool:
    """Return whether dotted names below the package lead to a folder, a module, or a word in one."""
    folder = PACKAGE
    for position, name in enumerate(names):
        if (folder / name).is_dir():
            folder /= name
            continue
        module = folder / f"{name}.py"
        words = names[position + 1 :] if module.is_file() else names[position:]
        source = (module if module.is_file() else folder / "__init__.py").read_text(encoding="utf-8")
        return all(re.search(rf"\b{word}\b", source) for word in words)
    return True


def test_no_page_lies_directly_in_pages() -> None:
    """A file lying there is served to a deep link on a fresh server without app.py having run."""
    assert list((ROOT / "pages").glob("*.py")) == []


def test_a_page_is_short_and_holds_no_sql_and_no_statistics() -> None:
    assert [str(page) for page in _pages() if _libraries(page) & {"sqlalchemy", "scipy", "numpy"}] == []
    assert [str(page) for page in _pages() if _lines(page) > 150] == []


def test_a_page_asks_for_the_role_before_anything_else() -> None:
    pages = [page for page in _pages() if page.parent.name != "everyone"]
    assert [str(page) for page in pages if "gate.enter(" not in _first_statement(page)] == []
    assert len(pages) > 10


def _pages() -> list[Path]:
    return sorted((ROOT / "pages").rglob("*.py"))


def _first_statement(path: Path) -> str:
    body = ast.parse(path.read_text(encoding="utf-8")).body
    return ast.unparse(
        next(n for n in body if not isinstance(n, ast.Import | ast.ImportFrom) and not _is_docstring(n))
    )


def _lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def test_a_module_is_no_longer_than_three_hundred_lines() -> None:
    assert [str(path) for path in _modules() if _lines(path) > 300] == []


def test_the_app_script_is_short() -> None:
    assert _lines(ROOT / "app.py") <= 60


def test_heavy_libraries_are_not_imported_with_the_package() -> None:
    """The app must start without torch, and quickly."""
    import subprocess
    import sys

    code = (
        "import sys, judgelab.cli\n"
        "from judgelab.protocols import protocols\nfrom judgelab.metrics import metrics\n"
        "protocols.names(); metrics.names();"
        "print([m for m in ('torch', 'transformers', 'nltk', 'streamlit') if m in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert result.stdout.strip() == "[]"


def test_the_server_takes_in_ratings_without_statistics(tmp_path: Path) -> None:
    """Loaded at the start, they double the memory of the app and the time to its first page."""
    import os
    import subprocess
    import sys

    code = (
        "import sys, app\n"  # the server, with its routes and all that it imports to draw a page
        "print([m for m in ('pandas', 'scipy', 'pyarrow', 'dbos') if m in sys.modules])"
    )
    environment = {**os.environ, "JUDGELAB_DATABASE_URL": f"sqlite:///{tmp_path / 'app.db'}"}
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=environment)
    assert result.stdout.splitlines()[-1] == "[]"
