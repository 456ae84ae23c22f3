"""`python -m judgelab.runs [--local [--idle SECONDS]]`: a worker, without what other commands import."""

import argparse
import sys

from judgelab import startup

if __name__ == "__main__":
    startup.pause_gc()

from judgelab import logs  # noqa: E402
from judgelab.config import settings  # noqa: E402
from judgelab.errors import UserError  # noqa: E402
from judgelab.runs.worker.worker import run_worker  # noqa: E402
from judgelab.store.db.schema import open_store  # noqa: E402

# A worker touches each row once, from several threads with a connection each: with SQLite's own 2,000 KiB its
# memory grew by 10 MB over 30,000 units, and it judged no faster.
PAGE_CACHE = 200


def main() -> None:
    """Work until told to end; a mistake of the user is one sentence."""
    parser = argparse.ArgumentParser(prog="judgelab.runs")
    parser.add_argument("--local", action="store_true")
    parser.add_argument("--idle", type=float)
    given = parser.parse_args()
    chosen = settings()
    logs.set_up(chosen)
    startup.resume_gc()
    try:
        run_worker(
            open_store(chosen.database_url, page_cache=PAGE_CACHE),
            chosen.job_engine_url,
            slots=chosen.slots,
            kind="local" if given.local else "api",
            idle=given.idle,
        )
    except UserError as error:
        print(error, file=sys.stderr)
        raise SystemExit(1) from None


if __name__ == "__main__":
    main()
