// What the rater is told after a practice answer or a loud check. Practice waits for it: the next answer
// is not of use before this one is understood.
class Feedback {
  constructor(rater) {
    this.rater = rater;
    this.seen = new Set();
    this.expected = null;
    this.title = el("h3", { id: "feedback-title" });
    this.body = el("div", { class: "verdicts", "aria-live": "polite" });
    this.verdict = el("p", { class: "verdict" });
    this.go = el("button", {
      type: "button",
      class: "submit ready",
      "data-testid": "feedback-go",
      on: { click: () => this.root.close() },
    });
    this.root = el(
      "dialog",
      { class: "feedback", "aria-labelledby": "feedback-title", "data-testid": "feedback" },
      this.title,
      this.body,
      this.verdict,
      el("div", { class: "dialog-buttons" }, this.go),
    );
    this.root.addEventListener("cancel", (event) => this.expected !== null && event.preventDefault());
    this.root.addEventListener("close", () => this.rater.view.focus());
  }

  // A practice answer was sent: nothing else is done until the server has spoken.
  expect(item) {
    this.expected = item;
    put(this.title, phrase("checking"));
    this.body.replaceChildren();
    put(this.verdict, "");
    this.go.disabled = true;
    put(this.go, phrase("go_on"));
    showFromTop(this.root);
  }

  update(told, outbox) {
    if (told && !this.seen.has(told.uid)) {
      this.seen.add(told.uid);
      this.rater.desk.history = this.rater.desk.history.filter((past) => past.item.id !== told.item);
      this.show(told);
    } else if (this.expected !== null && !outbox.hasLeft(this.expected)) {
      // Stored, or refused, without a word about it.
      this.expected = null;
      this.root.close();
    }
  }

  show(told) {
    this.expected = null;
    put(this.title, told.title);
    this.body.replaceChildren(...told.lines.map(verdictOf));
    put(this.verdict, told.verdict);
    this.go.disabled = false;
    put(this.go, phrase("go_on"));
    showFromTop(this.root);
    this.go.focus({ preventScroll: true });
  }
}

function verdictSaid(values, right) {
  if (!right) return phrase("verdict_wrong", values);
  return phrase(values.said === values.known ? "verdict_right" : "verdict_close", values);
}

function verdictOf({ label, said, known, right, explanation }) {
  return el(
    "div",
    { class: `verdict-line${right ? " right" : " wrong"}` },
    el("p", { class: "verdict-said", text: verdictSaid({ label, said, known }, right) }),
    explanation && el("p", { class: "verdict-why", dir: "auto", text: explanation }),
  );
}
