"""What `pip install .` brings: everything the app needs, from any folder, in a folder of its own for data."""

from __future__ import annotations

import ast
import importlib.metadata
import os
import re
import socket
import subprocess
import sys
import sysconfig
import time
import tomllib
import urllib.request
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from hatch_build import BESIDE
from tests.documentation.pages import blocks, run

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    [built] = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def judgelab(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command of a fresh environment that has the wheel, and lends all other packages from this one."""
    folder = tmp_path_factory.mktemp("fresh")
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps"]
    subprocess.run([*install, "--no-index", "--no-compile", "--quiet", str(wheel)], check=True)
    [packages] = (folder / "lib").glob("python*/site-packages")
    (packages / "lent.pth").write_text(sysconfig.get_paths()["purelib"])
    return folder / "bin" / "judgelab"


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A folder to work in, with a file that must not be taken for a module of Python."""
    (tmp_path / "statistics.py").write_text("raise ImportError('the wrong file')")
    return tmp_path


def _environment(**settings: str) -> dict[str, str]:
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(("JUDGELAB_", "PYTHON"))
    }
    return {**inherited, **settings}


def test_the_wheel_carries_every_file_of_the_app_and_nothing_else(wheel: Path) -> None:
    def files(folder: Path) -> Iterator[Path]:
        yield from ([folder] if folder.is_file() else (file for file in folder.rglob("*") if file.is_file()))

    def lasting(path: Path) -> bool:
        return "__pycache__" not in path.parts

    ours = {str(file.relative_to(ROOT)) for file in files(ROOT / "judgelab") if lasting(file)}
    beside = {
        f"judgelab/_app/{file.relative_to(ROOT)}"
        for name in BESIDE
        for file in files(ROOT / name)
        if lasting(file)
    }
    with zipfile.ZipFile(wheel) as archive:
        wheel_files = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert wheel_files == ours | beside
    assert {"judgelab/_app/pages/annotator/rate.py", "judgelab/ui/rater/rater.js"} <= wheel_files
    assert "judgelab/py.typed" in wheel_files  # so that type checkers of users read our annotations


def test_demo_and_app_run_from_another_folder_and_keep_everything_there(
    judgelab: Path, elsewhere: Path
) -> None:
    result = subprocess.run(
        [judgelab, "demo", "--no-serve"], cwd=elsewhere, env=_environment(), capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    assert "kitchen" in result.stdout and (elsewhere / "judgelab.db").stat().st_size > 100_000
    for _, info, commands in blocks(ROOT / "docs" / "tutorials" / "visitor.md", "console"):
        assert "demo" in info
        run(commands, f"sqlite:///{elsewhere / 'judgelab.db'}", elsewhere)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    log = elsewhere / "up.log"
    with log.open("wb") as out:
        command = [judgelab, "up", "--port", str(port), "--workers", "0", "--no-browser"]
        app = subprocess.Popen(command, cwd=elsewhere, env=_environment(), stdout=out, stderr=out)
    try:
        log_text = _ready(log)
        link = re.search(r"http://\S+/invite/\S+", log_text)
        assert link is not None and f"stored in {elsewhere / 'judgelab.db'}" in log_text
        with urllib.request.urlopen(link[0], timeout=60) as page:
            assert "default-src" in page.headers["Content-Security-Policy"] and b"<form" in page.read()
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/app/static/mark.svg", timeout=60) as mark:
            assert b"<svg" in mark.read()
    finally:
        app.terminate()
        assert app.wait(60) == 0


def _ready(log: Path) -> str:
    end = time.monotonic() + 60
    while "Ctrl-C" not in (log_text := log.read_text(encoding="utf-8")):
        assert time.monotonic() < end, log_text
        time.sleep(0.05)
    return log_text


def test_a_home_holds_database_and_settings_wherever_one_is(
    judgelab: Path, elsewhere: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    home = tmp_path_factory.mktemp("home")
    (home / ".env").write_text("JUDGELAB_DATABASE_URL=sqlite:///ours.db\n", encoding="utf-8")
    result = subprocess.run(
        [judgelab, "migrate"],
        cwd=elsewhere,
        env=_environment(JUDGELAB_HOME=str(home)),
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"{home}/ours.db" in result.stdout and (home / "ours.db").exists()
    assert not list(elsewhere.glob("*.db"))


def _pins(name: str) -> Iterator[Requirement]:
    for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith(("#", "-r")):
            yield Requirement(line)


@pytest.mark.parametrize(
    ("ranges", "pins"),
    [
        (PROJECT["dependencies"], "requirements-core.txt"),
        (PROJECT["optional-dependencies"]["models"], "requirements.txt"),
    ],
)
def test_every_dependency_has_an_upper_bound_and_its_pin_lies_within(ranges: list[str], pins: str) -> None:
    allowed = {requirement.name: requirement for requirement in map(Requirement, ranges)}
    tested_pins = {pin.name: pin for pin in _pins(pins)}
    assert allowed.keys() == tested_pins.keys()
    for name, requirement in allowed.items():
        [version] = [pin.version for pin in tested_pins[name].specifier]
        assert requirement.specifier.contains(version), name
        assert "<" in {specifier.operator for specifier in requirement.specifier}, name
        assert requirement.extras == tested_pins[name].extras, name


def test_whatever_is_imported_is_declared() -> None:
    names = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["models"]]
    declared = {canonicalize_name(Requirement(name).name) for name in names}
    distributions_of = importlib.metadata.packages_distributions()
    sources = [
        ROOT / "app.py",
        *(file for folder in ("judgelab", "pages", "migrations") for file in (ROOT / folder).rglob("*.py")),
    ]
    for top in {top for source in sources for top in _imported(source)}:
        assert declared & {canonicalize_name(distribution) for distribution in distributions_of[top]}, top


def _imported(source: Path) -> Iterator[str]:
    """Yield the packages of others that a source imports, wherever in it."""
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules = [name.name for name in node.names]
        else:
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        for module in modules:
            top = module.partition(".")[0]
            if top and top != "judgelab" and top not in sys.stdlib_module_names:
                yield top


def test_the_named_pythons_are_those_that_it_installs_on() -> None:
    named_versions = {
        classifier.rpartition(" ")[2] for classifier in PROJECT["classifiers"] if ":: Python ::" in classifier
    }
    supported = SpecifierSet(PROJECT["requires-python"])
    assert named_versions == {f"3.{minor}" for minor in range(8, 20) if supported.contains(f"3.{minor}")}
    assert importlib.metadata.version("judgelab")
