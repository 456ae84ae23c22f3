"""What the theme options of Streamlit cannot say: muted captions, focus, and the space between parts.

Only fixed rules and the colours of the tokens stand here; nothing that anybody typed or uploaded may
ever become part of it. Selectors are Streamlit's test ids, which its own tests hold stable.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import streamlit as st

from judgelab.charts.tokens import Palette
from judgelab.languages import DEFAULT, _, current_language
from judgelab.package_files import package_path
from judgelab.ui.session import language

LANGUAGE_KEY = "look_language"

FOCUSED = (
    "a, button, summary, input[type=checkbox] + *, [role=radio], [role=slider], [role=tab], [tabindex='0']"
)
RULES = """
/* Captions are written at 60 % of the ink, 4.3:1; the muted ink is 6.1:1. */
[data-testid=stCaptionContainer] {{ opacity: 1; color: {muted}; }}
[data-testid=stMetric] > div {{ display: flex; flex-direction: column-reverse; }}
[data-testid=stMetricLabel] {{ color: {muted}; }}
[data-testid=stApp] h5 {{ padding: 0 0 15px; line-height: 1.4; }}
h5 [data-testid=stHeaderActionElements] {{ display: none; }}
[data-testid=stApp] h5 strong {{ font-weight: 620; }}
[data-testid=stApp] hr {{ margin: 4px 0 19px; }}
.st-key-projects_steps hr {{ margin: 14px 0 29px; }}
.st-key-projects_steps [data-testid=stElementContainer]:has(> [data-testid=stPageLink]) {{ margin: 0; }}
.st-key-projects_comparison {{ margin-bottom: 14px; }}
.st-key-projects_next_step {{ margin: 14px 0; }}
.st-key-projects_steps [data-testid=stHorizontalBlock] {{ overflow: visible; }}
[data-variant=segmented_control] {{ min-height: 38px; }}
[data-variant=segmented_control][aria-checked=true] p {{ font-weight: 600; }}
/* Streamlit writes white on a chosen word and in a checked box; on the dark accent that cannot be read. */
[data-testid=stCheckbox] label > div > svg {{ stroke: {on_accent}; }}
[data-testid=stMultiSelect] [data-tag], [data-testid=stMultiSelect] [data-tag] * {{
  color: {on_accent}; }}
[data-testid=stPageLink] a {{ border: 1px solid {rule}; border-radius: 4px; padding: 4px 12px; }}
[data-testid=stPageLink] a:hover {{ border-color: {accent}; }}
[class*=st-key-projects_title] [data-testid=stPageLink] a {{ border: 0; padding: 0; min-height: 0; }}
.st-key-response_text {{ border-left: 3px solid {ink}; padding-left: 16px; }}
.st-key-response_text [data-testid=stText] {{ font-size: 16px; line-height: 1.6; max-width: 75ch; }}
.st-key-response_text .rendered {{ font-size: 16px; line-height: 1.6; max-width: 75ch; }}
.st-key-question_text .rendered {{ font-size: 20px; font-weight: 600; max-width: 60ch; }}
.rendered {{ --rule: {rule}; --muted: {muted}; --accent: {accent}; --attention: {attention};
  --surface: {surface}; }}
[data-testid=stTopNavLink] {{ padding: 3px 10px; }}
[data-testid=stFileUploaderDropzoneInstructions] {{ display: none; }} /* `file_upload` says it in our words */
[data-testid=stTabs] [role=tablist] {{ flex-wrap: wrap; }}
/* Pages of one subject, in a row; the current one is underlined and no link. */
.st-key-navigation_row {{ border-bottom: 1px solid {rule}; row-gap: 0; }}
[data-testid=stLayoutWrapper]:has(> :is(.st-key-navigation_script, .st-key-viewport_place)) {{
  display: none; }}
.st-key-navigation_row :is([data-testid=stPageLink] a, [data-testid=stMarkdownContainer] p) {{ border: 0;
  margin: 0; padding: 4px 0; font-size: 14px; line-height: 20px; }}
.st-key-navigation_row [data-testid=stMarkdown] [data-testid=stMarkdownContainer] {{ margin-bottom: 0; }}
.st-key-navigation_row [data-testid=stMarkdown] p {{ border-bottom: 2px solid {accent}; }}
.st-key-navigation_row [data-testid=stPageLink] a {{ padding-block: 1px 8px; }}
/* The choice of a project stands in the bar, which leaves it room. */
[data-testid=stLayoutWrapper]:has(> .st-key-project_switcher) {{ position: fixed; inset-block-start: 10px;
  inset-inline-end: 16px; z-index: 999991; width: 230px; }}
[data-testid=stApp]:has(.st-key-project_switcher) [data-testid=stHeader] {{ padding-inline-end: 246px; }}
[data-testid=stSelectbox] input {{ text-overflow: ellipsis; }}
[data-testid=stExpandSidebarButton]::after {{ content: {menu}; font-size: 14px; }}
.st-key-guided_steps hr {{ margin: 14px 0 29px; }}
.st-key-guided_in_hand {{ margin: 14px 0; }}
.st-key-guided_bar {{ border-bottom: 1px solid {rule}; padding-bottom: 8px; }}
.st-key-guided_bar [data-testid=stPageLink] a {{ border: 0; padding: 4px 0; }}
/* What arrives while one reads stands beside the page and moves nothing of it. */
[data-testid=stLayoutWrapper]:has(> .st-key-latest) {{ position: fixed; inset-block-end: 16px;
  inset-inline-end: 16px; z-index: 99; width: auto; max-width: calc(100vw - 32px); }}
.st-key-latest:has(p) {{ background: {paper}; border: 1px solid {rule}; border-radius: 4px;
  padding: 6px 12px; width: auto; }}
/* The copy button of a link waits for a mouse: always there, it is reached by Tab and by finger too. */
[data-testid=stCode] > div:has([data-testid=stElementToolbarButton]) {{ opacity: 1; visibility: visible; }}
[data-testid=stCode] pre {{ padding-inline-end: 44px; }}
[data-testid=stApp] :is({focused}):focus-visible {{
  outline: 2px solid {accent}; outline-offset: 2px; box-shadow: none; }}
[data-testid=stApp] label:has(input:focus-visible) {{
  outline: 2px solid {accent}; outline-offset: 2px; border-radius: 4px; }}
/* The content takes the focus after a link; Streamlit frames the whole page then. */
[data-testid=stMain]:focus-visible::before {{ display: none; }}
/* A table that goes on to the right fades out there: a number cut by the edge would read as another one. */
[data-testid=stDataFrame] {{ timeline-scope: --table; }}
[data-testid=stDataFrame] .dvn-scroller {{ scroll-timeline: --table x; }}
[data-testid=stDataFrame] .dvn-underlay::after {{ content: "›"; position: absolute; inset: 0 0 0 auto;
  width: 52px; padding: 4px 6px; box-sizing: border-box; color: {muted}; font-size: 18px; line-height: 24px;
  text-align: right; opacity: 0; background: linear-gradient(to right, transparent, {paper} 75%);
  animation: table-goes-on linear; animation-timeline: --table; }}
[data-testid=stApp] mark {{ background: {tint}; color: inherit; border-bottom: 2px solid {accent}; }}
@media (forced-colors: active) {{
  [data-testid=stDataFrame] .dvn-underlay::after {{ background: Canvas; width: 16px; }}
}}
@keyframes table-goes-on {{ 0%, 99% {{ opacity: 1; }} }}
/* In a low window, such as one at 400 %, the bar goes with the page, and comes back with the focus. */
@media (max-height: 480px) {{
  [data-testid=stApp] {{ timeline-scope: --page; }}
  [data-testid=stMain] {{ scroll-timeline: --page y; }}
  :is([data-testid=stHeader], [data-testid=stLayoutWrapper]:has(> .st-key-project_switcher)):not(
    :focus-within) {{ animation: bar-goes linear both; animation-timeline: --page; animation-range: 0 56px; }}
}}
@keyframes bar-goes {{ to {{ transform: translateY(-56px); }} }}
/* Without a mouse to point with, the tools of charts and tables would always lie on what stands beneath. */
@media (hover: none) {{
  .modebar-container, [data-testid=stFullScreenFrame] [data-testid=stElementToolbar] {{ display: none; }}
}}
/* Streamlit's wide margins leave a window of 900 px less than one of 800. */
@media (min-width: 801px) and (max-width: 1100px) {{
  [data-testid=stMainBlockContainer] {{ padding-inline: 24px; }}
}}
@media (max-width: 640px) {{
  [data-testid=stHorizontalBlock] {{ row-gap: 14px; }}
  [data-variant=segmented_control] {{ padding-inline: 6px; }} /* five coefficients in one row of 390 px */
  [data-testid=stMainBlockContainer] {{ padding-bottom: 60px; }}
  [data-testid=stLayoutWrapper]:has(> .st-key-project_switcher) {{ width: min(230px, 100vw - 212px); }}
  [data-testid=stApp]:has([data-testid=stSidebar][data-collapsed=false])
    [data-testid=stLayoutWrapper]:has(> .st-key-project_switcher) {{ display: none; }}
  [data-testid=stApp]:has(.st-key-project_switcher) [data-testid=stHeader] {{
    padding-inline-end: min(246px, 100vw - 196px); }}
  .st-key-guided_bar {{ flex-wrap: wrap; }} /* in a narrow window of a desk, too */
}}
"""


# For right-to-left languages the whole page is mirrored except charts, tables and code. Each paragraph
# finds its own direction, so that untranslated text is still readable.
FROM_THE_RIGHT = """
body { direction: rtl; }
/* On a phone Streamlit moves its menu out of sight to the left, so that is where it stands. */
[data-testid=stAppViewContainer] { direction: ltr; }
:is([data-testid=stHeader], [data-testid=stMain], [data-testid=stSidebarContent]) { direction: rtl; }
[data-testid=stHeaderLogo] { margin-inline-start: 15px; }
:is([data-testid=stPlotlyChart], [data-testid=stDataFrame], [data-testid=stCode], pre, code) {
  direction: ltr; }
[data-testid=stApp] [data-testid=stElementContainer] { text-align: start; }
:is([data-testid=stMarkdownContainer], [data-testid=stCaptionContainer]) :is(p, li, h1, h2, h3, h4, h5) {
  unicode-bidi: plaintext; text-align: start; }
"""
HIDE_LANGUAGE = f"""
[data-testid=stLayoutWrapper]:has(> .st-key-{LANGUAGE_KEY}) {{ display: none; }}
"""


def apply_theme(theme: Palette) -> None:
    """Add the style rules in the theme's colours, the wordmark, and the page's language."""
    st.logo(
        str(package_path("static") / f"wordmark-{'dark' if theme.is_dark else 'light'}.svg"), size="medium"
    )
    rules = RULES.format(
        ink=theme.ink,
        muted=theme.muted,
        rule=theme.rule,
        paper=theme.paper,
        accent=theme.accent,
        tint=theme.tint,
        surface=theme.surface,
        attention=theme.attention,
        on_accent=theme.on_accent,
        focused=FOCUSED,
        menu=f'"{_("Menu")}"',
    )
    mirrored = FROM_THE_RIGHT if language.right_to_left() else ""
    st.html(f"<style>{rules}{_rendered_rules()}{HIDE_LANGUAGE}{mirrored}</style>")
    _name_language(current_language())


@cache
def _rendered_rules() -> str:
    return (Path(__file__).parents[1] / "kit" / "rendered.css").read_text(encoding="utf-8")


def _name_language(code: str) -> None:
    """Tell the browser the page's language; Streamlit declares every page as English."""
    if code == DEFAULT and LANGUAGE_KEY not in st.session_state:
        return
    st.session_state[LANGUAGE_KEY] = code  # drawn in every run from now on, so that the layout does not shift
    with st.container(key=LANGUAGE_KEY):
        st.html(f"<script>document.documentElement.lang = {code!r}</script>", unsafe_allow_javascript=True)
