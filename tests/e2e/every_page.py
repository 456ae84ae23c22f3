"""The addresses of all pages of the app, as `navigation` knows them: a new page is among them by itself."""

from __future__ import annotations

from judgelab.ui.session.navigation import ACCOUNT, ENDPOINTS, INNER, RESEARCHER, RESULTS

ADDRESSES = tuple(dict.fromkeys(page[2] for page in (*RESEARCHER, *INNER, *RESULTS, ENDPOINTS, ACCOUNT)))
