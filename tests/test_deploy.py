"""The recipes in `deploy/`: settings that exist, units that systemd accepts, proxies that lose nothing."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from judgelab.config import Settings

ROOT = Path(__file__).resolve().parents[1]
DEPLOY = ROOT / "deploy"
RECIPES = [path for path in sorted(DEPLOY.iterdir()) if path.suffix != ".py" and path.is_file()]


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.name)
def test_settings_in_a_recipe_are_settings_of_ours(path: Path) -> None:
    settings = {f"JUDGELAB_{name.upper()}" for name in Settings.model_fields}
    assert set(re.findall(r"JUDGELAB_[A-Z_]+", path.read_text())) <= settings


def test_every_recipe_stands_in_the_document() -> None:
    document = (ROOT / "docs" / "deploy.md").read_text()
    assert [path.name for path in RECIPES if f"deploy/{path.name}" not in document] == []


@pytest.mark.parametrize("unit", sorted(p.name for p in (*DEPLOY.glob("*.service"), *DEPLOY.glob("*.timer"))))
def test_systemd_reads_a_unit(tmp_path: Path, unit: str) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd is not installed")
    for path in (*DEPLOY.glob("*.service"), *DEPLOY.glob("*.timer")):
        text = path.read_text().replace("/opt/judgelab/bin/judgelab", "/bin/true")
        (tmp_path / path.name).write_text(text)
    name = unit.replace("@.", "@1.")
    (tmp_path / name).write_text((tmp_path / unit).read_text())
    result = subprocess.run(["systemd-analyze", "verify", tmp_path / name], capture_output=True, text=True)
    assert (result.returncode, [line for line in result.stderr.splitlines() if "judgelab" in line]) == (0, [])


@pytest.mark.timeout(180)
@pytest.mark.parametrize("proxy", ["nginx", "caddy"])
def test_two_apps_behind_a_proxy_lose_nothing_when_one_is_killed(proxy: str) -> None:
    if shutil.which(proxy) is None:
        pytest.skip(f"{proxy} is not installed")
    command = [sys.executable, str(DEPLOY / "try_proxy.py"), proxy, "4"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "WRONG" not in result.stdout and result.stdout.count("ok ") == 10
