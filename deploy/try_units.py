"""The units of docs/deploy.md started by systemd on a machine of its own, with JudgeLab installed as it says.

    python3 deploy/try_units.py

Run as root where nothing else serves, after the first two lines of "One machine": a new Debian machine, or
`systemd-nspawn --boot` on a folder that debootstrap made. Puts settings and units in place, makes an owner,
imports a sample, lets a judge judge, kills and stops what runs, puts a backup back. Exit 1 if anything
is not as the document says. Needs nothing but Python.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
SAMPLE = HERE.parent / "sample_data" / "kitchen"
SETTINGS = Path("/etc/judgelab/judgelab.env")
HOME = Path("/var/lib/judgelab")
PROGRAM = "/opt/judgelab/bin/judgelab"
READY = "http://127.0.0.2:8501/readyz"
SECOND_WORKER = "http://127.0.0.1:9466/metrics"
PATIENCE = 60.0
STOPS_WITHIN = 15.0


def main() -> None:
    """Try the units and print what was found."""
    if reason := _unfit():
        raise SystemExit(reason)
    _install()
    found: dict[str, bool] = {}
    for step in (_without_owner, _with_owner, _judged, _killed, _second_worker, _backup, _stopped, _restored):
        for said, fine in step().items():
            print(f"{'ok' if fine else 'WRONG':<6} {said}", flush=True)
            found[said] = fine
    raise SystemExit(not all(found.values()))


def _unfit() -> str:
    if os.geteuid() or not Path("/run/systemd/system").exists():
        return "This wants root on a machine that systemd runs."
    if SETTINGS.exists():
        return f"{SETTINGS} is there already; this is for a machine that serves nobody."
    if not Path(PROGRAM).exists():
        return f"{PROGRAM} is missing: the first two lines of docs/deploy.md come before this."
    return ""


def _install() -> None:
    SETTINGS.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(HERE / "judgelab.env", SETTINGS)
    SETTINGS.chmod(0o640)
    shutil.chown(SETTINGS, group="judgelab")
    for unit in (*HERE.glob("*.service"), *HERE.glob("*.timer")):
        shutil.copy(unit, "/etc/systemd/system")
    _run("systemctl", "daemon-reload")


def _without_owner() -> dict[str, bool]:
    _run("systemctl", "enable", "--now", "judgelab", "judgelab-backup.timer")
    time.sleep(5)
    refused = "no owner could sign in yet" in _journal("judgelab") and not _answers(READY)
    return {"without an owner it does not listen, and says so": refused}


def _with_owner() -> dict[str, bool]:
    made = _judgelab(
        "user", "add", "Ann", "--role", "owner", "--password-stdin", given="a long pass phrase\n"
    )
    up = _until(lambda: _answers(READY))
    doctor = _judgelab("doctor")
    exposure = _run("systemd-analyze", "security", "judgelab", "--no-pager").stdout.strip().splitlines()
    rated = exposure[-1].removeprefix("→ ").split(":-")[0].strip() if exposure else "not rated"
    return {
        "an owner is made in the settings of the service": made.returncode == 0,
        "then the unit comes up by itself": up,
        "judgelab doctor finds nothing to mend": doctor.returncode == 0 and "\nbroken" not in doctor.stdout,
        "the log is JSON lines": '"message": "worker ' in _journal("judgelab"),
        f"systemd's own view: {rated}": bool(exposure),
        "a backup is due every night": "judgelab-backup.timer" in _run("systemctl", "list-timers").stdout,
    }


def _judged() -> dict[str, bool]:
    made = _judgelab("project", "create", "kitchen", "--study", "elect")
    brought = _judgelab("import", "kitchen", str(SAMPLE / "items.jsonl"), str(SAMPLE / "ratings.csv"))
    judge = ("judge", "kitchen", "direct", "--backend", "scripted", "--model", "rule", "--wait")
    done = _judgelab(*judge)
    said = (done.stdout.strip().splitlines() or ["nothing"])[-1]
    fine = made.returncode == brought.returncode == done.returncode == 0
    return {f"the worker of the unit judges a project: {said}": fine}


def _killed() -> dict[str, bool]:
    os.kill(_main_process(), signal.SIGKILL)
    gone = _until(lambda: not _answers(READY))
    whole = gone and _until(lambda: _answers(READY))
    app = int(_run("pgrep", "-u", "judgelab", "-f", "judgelab.ui run").stdout.split()[0])
    os.kill(app, signal.SIGKILL)
    time.sleep(1)
    return {
        "killed with -9, systemd starts it again": whole,
        "the app alone killed with -9 is started again": _until(lambda: _answers(READY)),
    }


def _second_worker() -> dict[str, bool]:
    _run("systemctl", "start", "judgelab-worker@1")
    found = _until(lambda: 'role="worker"' in _page(SECOND_WORKER))
    return {"a second worker on this machine takes a place and a port of its own": found}


def _backup() -> dict[str, bool]:
    done = _run("systemctl", "start", "judgelab-backup")
    files = list((HOME / "backups").iterdir())
    modes = {file.stat().st_mode & 0o777 for file in files}
    return {"a backup is one file that its owner alone reads": done.returncode == 0 and modes == {0o600}}


def _stopped() -> dict[str, bool]:
    began = time.monotonic()
    _run("systemctl", "stop", "judgelab", "judgelab-worker@1")
    took = time.monotonic() - began
    results = {_shown(unit, "Result") for unit in ("judgelab", "judgelab-worker@1")}
    left = _run("pgrep", "-u", "judgelab").stdout
    return {
        f"stopped in {took:.1f} s, nothing left": took < STOPS_WITHIN and results == {"success"} and not left
    }


def _restored() -> dict[str, bool]:
    before = _judgelab("project", "show", "kitchen").stdout
    newest = max((HOME / "backups").iterdir())
    deleted = _judgelab("project", "delete", "kitchen", "--yes")
    gone = _judgelab("project", "show", "kitchen").returncode != 0
    back = _judgelab("restore", str(newest), "--yes")
    same = _judgelab("project", "show", "kitchen").stdout == before != ""
    _run("systemctl", "start", "judgelab")
    return {
        "the backup brings a deleted project back": deleted.returncode == back.returncode == 0
        and gone
        and same,
        "and the unit starts on it": _until(lambda: _answers(READY)),
    }


def _judgelab(*words: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command as docs/deploy.md says: as the user, with the settings of the service."""
    return _run(
        *("systemd-run", "--quiet", "--wait", "--pipe", "--uid=judgelab", f"--working-directory={HOME}"),
        *("-p", f"EnvironmentFile={SETTINGS}", PROGRAM, *words),
        given=given,
    )


def _run(*command: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, input=given, capture_output=True, text=True, timeout=300)


def _main_process() -> int:
    return int(_shown("judgelab", "MainPID"))


def _shown(unit: str, name: str) -> str:
    return _run("systemctl", "show", "--property", name, "--value", unit).stdout.strip()


def _journal(unit: str) -> str:
    return _run("journalctl", "--unit", unit, "--output", "cat", "--no-pager").stdout


def _answers(address: str) -> bool:
    return bool(_page(address))


def _page(address: str) -> str:
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:
            return str(answer.read().decode())
    except (urllib.error.URLError, OSError):
        return ""


def _until(true: Callable[[], bool]) -> bool:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if true():
            return True
        time.sleep(0.2)
    return False


if __name__ == "__main__":
    main()
