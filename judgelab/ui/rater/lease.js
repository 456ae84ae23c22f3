// How long the answers on the screen are this rater's: a warning before that ends, and a pause that keeps them.
const WARN_SHARE = 0.2;
const WARN_AT_MOST_MS = 120_000;
const ASK_AGAIN_MS = 5000;

class Lease {
  constructor(rater) {
    this.rater = rater;
    this.made = 0;
    this.endsAt = Infinity;
    this.pausedUntil = null;
    this.askedAt = 0;
    this.text = el("span");
    this.keep = el("button", {
      type: "button",
      class: "action",
      text: phrase("keep"),
      on: { click: () => rater.renew() },
    });
    this.bar = el("div", { class: "lease", role: "alert", "data-testid": "lease", hidden: true }, this.text, this.keep);
    this.said = el("p");
    const go = el("button", {
      type: "button",
      class: "submit ready",
      "data-testid": "resume",
      text: phrase("go_on"),
      on: { click: () => this.pauseDialog.close() },
    });
    this.pauseDialog = el(
      "dialog",
      { "aria-labelledby": "pause-title", "data-testid": "paused" },
      el("h3", { id: "pause-title", text: phrase("paused") }),
      this.said,
      el("div", { class: "dialog-buttons" }, go),
    );
    this.pauseDialog.addEventListener("close", () => this.resume());
    this.own = el("span", { class: "own-said", title: phrase("own_how"), "data-testid": "own" });
    this.pauseButton = el(
      "button",
      { type: "button", class: "action pause", "data-testid": "pause", on: { click: () => this.pause() } },
      el("span", { text: phrase("pause") }),
      kbd("P"),
    );
    const { until, button } = rater.wayOut;
    this.line = el("span", { class: "own" }, this.own, until, rater.messages.button, this.pauseButton, button);
  }

  get paused() {
    return this.pausedUntil !== null;
  }

  // A server that is away hands out its last data again: only new data move the end of the lease.
  update({ lease, own }) {
    put(this.own, own);
    if (lease.made === this.made) return;
    this.made = lease.made;
    this.leaseMs = 60_000 * lease.minutes;
    this.endsAt = lease.ms > 0 ? Date.now() + lease.ms : Infinity;
    this.pauseMs = 60_000 * lease.pause_minutes;
    this.draw();
  }

  tick() {
    if (this.paused) this.drawPause();
    else this.draw();
  }

  get left() {
    return this.endsAt - Date.now();
  }

  get warns() {
    return this.left < Math.min(WARN_AT_MOST_MS, WARN_SHARE * this.leaseMs);
  }

  draw() {
    const warns = Boolean(this.rater.desk.item) && !this.paused && this.warns;
    const text = !warns ? "" : this.left > 0 ? phrase("lease_ends", { clock: countdown(this.left) }) : phrase("lease_over");
    // The countdown is read once by a screen reader, not every second.
    mark(this.bar, "aria-live", this.bar.hidden ? "assertive" : "off");
    put(this.text, text);
    this.bar.hidden = !warns;
    this.pauseButton.hidden = !this.rater.desk.item;
  }

  // Somebody is there: what is about to end is renewed without being asked.
  noticeActivity() {
    const asked = Date.now() - this.askedAt < ASK_AGAIN_MS;
    if (asked || this.paused || !this.rater.desk.item || !this.warns) return;
    this.askedAt = Date.now();
    this.rater.renew();
  }

  pause() {
    if (!this.rater.desk.item || this.paused) return;
    this.rater.keepDraft();
    this.rater.outbox.push("pause", 0);
    this.pausedAt = Date.now();
    this.pausedUntil = this.pausedAt + this.pauseMs;
    this.drawPause();
    this.bar.hidden = true;
    showFromTop(this.pauseDialog);
  }

  drawPause() {
    const clock = clockOf(new Date(this.pausedUntil), { timeStyle: "short" });
    put(this.said, Date.now() < this.pausedUntil ? phrase("paused_until", { clock }) : phrase("pause_over", { clock }));
  }

  resume() {
    this.pausedUntil = null;
    this.rater.desk.paused(Date.now() - this.pausedAt);
    this.rater.renew();
    this.rater.view.focus();
  }
}

function countdown(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
