"""Draw a fragment anew every few seconds, while its page is in view only.

`st.fragment(run_every=…)` goes on in hidden tabs, of which a study's owner has many.
"""

from __future__ import annotations

import streamlit as st

SCRIPT = """
const WATCHES = new WeakMap();

export default function ({ parentElement, data, setTriggerValue }) {
  let watch = WATCHES.get(parentElement);
  if (!watch) {
    watch = {};
    watch.look = () => {
      if (document.visibilityState !== "visible" || Date.now() < watch.due) return;
      watch.due = Infinity; // until the fragment was drawn
      watch.tell();
    };
    watch.timer = setInterval(watch.look, 500);
    document.addEventListener("visibilitychange", watch.look);
    WATCHES.set(parentElement, watch);
  }
  watch.tell = () => setTriggerValue("due", data.drawn);
  watch.due = Date.now() + 1000 * data.seconds;
  return () => {
    clearInterval(watch.timer);
    document.removeEventListener("visibilitychange", watch.look);
    WATCHES.delete(parentElement);
  };
}
"""

_watch = st.components.v2.component("judgelab_refresh", html="<span></span>", js=SCRIPT)


def refresh_every(seconds: float, *, key: str, drawn: str) -> None:
    """Draw the fragment that calls this anew after so many seconds in view.

    `drawn` is when it was drawn, to the microsecond: equal ones would be one drawing to the browser.
    """
    _watch(key=key, data={"seconds": seconds, "drawn": drawn}, height=1, on_due_change=lambda: None)
