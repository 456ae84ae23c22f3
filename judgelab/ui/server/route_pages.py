"""HTML pages of our own routes: signing in by link or by name, and errors."""

from __future__ import annotations

from html import escape

from starlette.requests import Request
from starlette.responses import HTMLResponse

from judgelab.languages import _, current_language, text_direction

# These pages have no scripts. Browsers apply this policy and that of every response (`headers`).
STILL = "; ".join(
    (
        "default-src 'none'",
        "style-src 'unsafe-inline'",
        "font-src 'self'",
        "img-src 'self' data:",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
PAGE = """<!doctype html><html lang="{lang}" dir="{dir}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1"><title>{title} · JudgeLab</title>
<link rel="icon" href="/app/static/mark.svg"><style>
@font-face {{ font-family: "IBM Plex Sans"; font-weight: 100 700;
  src: url(/app/static/ibm-plex-sans-latin-wght-normal.woff2) format("woff2"); }}
:root {{ color-scheme: light dark; --paper: #FBFBF9; --surface: #F1F3EF; --ink: #1A2225; --edge: #868F8E;
  --muted: #566266; --rule: #D8DCD6; --accent: #0F5A6B; --on: #FFFFFF; --wrong: #A3262A; }}
@media (prefers-color-scheme: dark) {{
  :root {{ --paper: #12181A; --surface: #1B2326; --ink: #E4E9E9; --edge: #6B787B;
    --muted: #9DAAAC; --rule: #2F3A3D; --accent: #6CBFD1; --on: #0B1214; --wrong: #F09087; }} }}
body {{ background: var(--paper); color: var(--ink); margin: 0; padding: 18vh 24px 48px;
  font: 16px/1.6 "IBM Plex Sans", "Source Sans", sans-serif; overflow-wrap: anywhere; }}
body.long {{ padding-top: 44px; }}
main {{ max-width: 34rem; margin: 0 auto; }} h1 {{ font-size: 1.5rem; font-weight: 600; margin: 0 0 .5rem; }}
h2, h3, h4, h5, h6 {{ font-size: 1.1rem; font-weight: 600; margin: 1.4rem 0 .4rem; }}
p, ul, ol {{ margin: .7rem 0; }}
a {{ color: var(--accent); }}
label, legend {{ display: block; margin-top: .9rem; padding: 0; }}
fieldset {{ border: 0; padding: 0; margin: .9rem 0 0; min-width: 0; }}
fieldset label {{ display: flex; gap: .6rem; align-items: baseline; margin-top: .3rem; }}
input, textarea {{ font: inherit; color: inherit; background: var(--surface); border: 1px solid var(--edge);
  border-radius: 4px; padding: .45rem .6rem; width: 100%; max-width: 20rem; box-sizing: border-box;
  display: block; }}
textarea {{ max-width: none; min-height: 5rem; }}
input[type=radio], input[type=checkbox] {{ width: auto; accent-color: var(--accent); flex: none; }}
button, a.button {{ font: inherit; font-weight: 600; color: var(--on); background: var(--accent);
  border: 1px solid var(--accent); border-radius: 4px; padding: .6rem 1.1rem; margin-top: 1.2rem;
  cursor: pointer; display: inline-block; text-decoration: none; }}
button.second {{ color: var(--ink); background: none; border-color: var(--edge); font-weight: 400; }}
.buttons {{ display: flex; flex-wrap: wrap; gap: 0 14px; }}
.facts {{ color: var(--muted); margin: 0 0 1.2rem; padding: 0; list-style: none; }}
.consent {{ border-block: 1px solid var(--rule); padding: .3rem 0; }}
.muted {{ color: var(--muted); }}
code {{ font-family: "IBM Plex Mono", monospace; background: var(--surface); padding: .1rem .35rem;
  border-radius: 4px; user-select: all; }}
.code {{ font-size: 1.2rem; display: inline-block; padding: .35rem .7rem; }}
:focus-visible {{ outline: 2px solid var(--accent); outline-offset: 2px; }}
[role=alert] {{ color: var(--wrong); }}
</style></head><body{long}><main><h1 dir="auto">{title}</h1>{body}</main></body></html>"""


def page(title: str, text: str, *, more: str = "", status: int = 200, long: bool = False) -> HTMLResponse:
    """Return a page with a heading and a sentence, followed by the HTML in `more`.

    Args:
        title: the heading.
        text: the sentence; may be empty.
        more: trusted HTML.
        status: the HTTP status.
        long: whether there is much to read, so that the page begins at the top of the window.
    """
    language = current_language()
    answer = HTMLResponse(
        PAGE.format(
            lang=escape(language),
            dir=text_direction(language),
            title=escape(title),
            body=(f'<p dir="auto">{escape(text)}</p>' if text else "") + more,
            long=' class="long"' if long else "",
        ),
        status_code=status,
    )
    answer.headers["cache-control"] = "no-store"
    answer.headers["content-security-policy"] = STILL
    answer.headers["content-language"] = language
    answer.headers["vary"] = "accept-language, cookie"
    return answer


def button(label: str) -> str:
    """Return a form with one button that posts to the current address."""
    return f'<form method="post"><button autofocus>{escape(label)}</button></form>'


def sign_in_form(*, name: str = "", wrong: str = "", status: int = 200) -> HTMLResponse:
    """Return the form for name and password, with the error of the last attempt."""
    alert = f'<p role="alert">{escape(wrong)}</p>' if wrong else ""
    form = (
        f'{alert}<form method="post" action="/sign-in">'
        f'<label>{escape(_("Name"))}<input name="name" dir="auto" autocomplete="username" required '
        f'value="{escape(name)}"{"" if name else " autofocus"}></label>'
        f'<label>{escape(_("Password"))}<input name="password" type="password" '
        f'autocomplete="current-password" required{" autofocus" if name else ""}></label>'
        f"<button>{escape(_('Sign in'))}</button></form>"
    )
    text = _("For owners and researchers. Raters open the link they received; it can be used again.")
    return page(_("Sign in"), text, more=form, status=status)


def languages_of(request: Request) -> list[str]:
    """Return the languages that the browser accepts, preferred ones first."""
    weighted = []
    for place, part in enumerate(request.headers.get("accept-language", "").split(",")[:20]):
        tag, _semicolon, rest = part.strip().partition(";")
        weight = rest.strip().removeprefix("q=")
        try:
            weighted.append((-float(weight) if weight else -1.0, place, tag.strip()))
        except ValueError:
            continue
    return [tag for _weight, _place, tag in sorted(weighted)]
