"""The few pages that our own routes write: signing in by link or by name, and what went wrong."""

from __future__ import annotations

from html import escape

from starlette.responses import HTMLResponse

PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1"><title>{title} · JudgeLab</title>
<link rel="icon" href="/app/static/mark.svg"><style>
@font-face {{ font-family: "IBM Plex Sans"; font-weight: 100 700;
  src: url(/app/static/ibm-plex-sans-latin-wght-normal.woff2) format("woff2"); }}
:root {{ color-scheme: light dark; --paper: #FBFBF9; --surface: #F1F3EF; --ink: #1A2225; --edge: #868F8E;
  --accent: #0F5A6B; --on: #FFFFFF; --wrong: #A3262A; }}
@media (prefers-color-scheme: dark) {{
  :root {{ --paper: #12181A; --surface: #1B2326; --ink: #E4E9E9; --edge: #6B787B;
    --accent: #6CBFD1; --on: #0B1214; --wrong: #F09087; }} }}
body {{ background: var(--paper); color: var(--ink); margin: 0; padding: 18vh 24px 48px;
  font: 16px/1.6 "IBM Plex Sans", "Source Sans", sans-serif; overflow-wrap: anywhere; }}
main {{ max-width: 34rem; margin: 0 auto; }} h1 {{ font-size: 1.5rem; font-weight: 600; margin: 0 0 .5rem; }}
label {{ display: block; margin-top: .9rem; }}
input {{ font: inherit; color: inherit; background: var(--surface); border: 1px solid var(--edge);
  border-radius: 4px; padding: .45rem .6rem; width: 100%; max-width: 20rem; box-sizing: border-box;
  display: block; }}
button {{ font: inherit; font-weight: 600; color: var(--on); background: var(--accent); border: 0;
  border-radius: 4px; padding: .6rem 1.1rem; margin-top: 1.2rem; cursor: pointer; }}
button:focus-visible, input:focus-visible {{ outline: 2px solid var(--accent); outline-offset: 2px; }}
[role=alert] {{ color: var(--wrong); }}
</style></head><body><main><h1>{title}</h1>{body}</main></body></html>"""


def page(title: str, text: str, *, more: str = "", status: int = 200) -> HTMLResponse:
    """Return a page with a heading and a sentence; `more` is HTML of our own that follows them."""
    body = f"<p>{escape(text)}</p>{more}"
    answer = HTMLResponse(PAGE.format(title=escape(title), body=body), status_code=status)
    answer.headers["cache-control"] = "no-store"
    return answer


def button(label: str) -> str:
    """Return a form with one button, which sends the address it stands on."""
    return f'<form method="post"><button autofocus>{escape(label)}</button></form>'


def sign_in_form(*, name: str = "", wrong: str = "", status: int = 200) -> HTMLResponse:
    """Return the form for name and password, with what was wrong about the last try."""
    alert = f'<p role="alert">{escape(wrong)}</p>' if wrong else ""
    form = (
        f'{alert}<form method="post" action="/sign-in">'
        f'<label>Name<input name="name" autocomplete="username" required value="{escape(name)}"'
        f"{'' if name else ' autofocus'}></label>"
        '<label>Password<input name="password" type="password" autocomplete="current-password" required'
        f"{' autofocus' if name else ''}></label>"
        "<button>Sign in</button></form>"
    )
    text = "For owners and researchers. A rater opens the link they were sent; it works again and again."
    return page("Sign in", text, more=form, status=status)
