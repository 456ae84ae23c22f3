"""Print what a server that has just started sends to whoever comes first: `PAGE QUERY COOKIE`."""

from __future__ import annotations

import sys

from judgelab.config import settings
from judgelab.store.db.schema import shared_store
from tests.security.conftest import Site, served

if __name__ == "__main__":
    page, query, cookie = sys.argv[1:]
    with served() as client:
        print(*Site(client, shared_store(settings().database_url), 0).drawn(page, query, cookie))
