// A crowd worker's way out: returning the work after a question, the time that is left, the code at the end.
class WayOut {
  constructor(rater) {
    this.rater = rater;
    this.over = false;
    this.until = el("span", { class: "until", "data-testid": "until", hidden: true });
    this.button = el("button", {
      type: "button",
      class: "action give-back",
      "data-testid": "give-back",
      hidden: true,
      text: phrase("give_back"),
      on: { click: () => showFromTop(this.dialog) },
    });
    const sure = el("button", {
      type: "button",
      class: "submit ready",
      "data-testid": "give-back-sure",
      text: phrase("give_back_sure"),
      on: { click: () => this.giveBack() },
    });
    const stay = el("button", {
      type: "button",
      class: "action",
      text: phrase("cancel"),
      on: { click: () => this.dialog.close() },
    });
    this.dialog = el(
      "dialog",
      { "aria-labelledby": "give-back-title", "data-testid": "give-back-dialog" },
      el("h3", { id: "give-back-title", text: phrase("give_back_title") }),
      el("p", { text: phrase("give_back_what") }),
      el("div", { class: "dialog-buttons" }, sure, stay),
    );
    this.dialog.addEventListener("close", () => this.stays());
    this.farewell = el("div", { class: "farewell", "data-testid": "farewell", role: "status", hidden: true });
  }

  update({ crowd, queue, questions_pass }) {
    // What was opened again at the end is still the rater's to change.
    this.over = Boolean(crowd?.over) && !queue.length;
    this.button.hidden = !crowd?.may_return;
    this.until.hidden = !crowd?.due || !crowd.may_return;
    if (crowd?.due) put(this.until, phrase("time_ends", { clock: clockOf(new Date(crowd.due), { timeStyle: "short" }) }));
    const questions = crowd?.questions && ownAddress(crowd.questions, questions_pass);
    const given = JSON.stringify([questions, crowd?.code, crowd?.url]);
    if (given !== this.given) this.draw({ ...crowd, questions });
    this.given = given;
    this.farewell.hidden = !this.over || !(crowd.questions || crowd.code || crowd.url);
  }

  // Drawn when it changes only: a link that was built anew would lose the focus.
  draw({ questions, first, code, url }) {
    const label = first ? phrase("entry_questions") : phrase("exit_questions");
    const asked = questions && el("a", { class: "submit ready", href: questions, text: label });
    const said = code && el("p", {}, el("span", { text: phrase("platform_code") }), el("code", { dir: "ltr", text: code }));
    const way =
      url &&
      el("a", {
        class: "submit ready",
        href: url,
        rel: "noopener noreferrer",
        referrerpolicy: "no-referrer",
        text: phrase("platform_back"),
      });
    this.farewell.replaceChildren(...[asked, said, way].filter(Boolean));
  }

  // Back to the answer: Enter must not ask again.
  stays() {
    this.button.blur();
    if (this.rater.desk.item) this.rater.view.focus();
  }

  giveBack() {
    this.dialog.close();
    this.rater.keepDraft();
    this.rater.outbox.push("return", 0);
  }
}
