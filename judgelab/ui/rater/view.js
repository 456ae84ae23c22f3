// The whole screen: the line on top, both sides, the two dialogs, and the page when nothing is left.
class View {
  constructor(rater, data) {
    this.rater = rater;
    this.reading = new Reading(rater, data);
    this.scoring = new Scoring(rater, data);
    this.done = el("span", { class: "done", "data-testid": "done" });
    this.bar = el("div", { class: "bar-fill" });
    this.left = el("span", { class: "left" });
    this.pace = el("span", { class: "pace" });
    this.check = icon("check");
    this.savedText = el("span");
    this.saved = el(
      "span",
      { class: "saved", role: "status", "aria-live": "polite", "data-testid": "saved" },
      this.check,
      this.savedText,
    );
    this.spoken = el("span", { class: "spoken", "aria-live": "polite" });
    this.progress = el(
      "div",
      { class: "bar", role: "progressbar", "aria-label": phrase("answers_rated"), "aria-valuemin": "0" },
      this.bar,
    );
    this.head = el(
      "header",
      { class: "head" },
      el("h2", { class: "project", dir: "auto", text: data.project.name }),
      this.done,
      this.progress,
      el("span", { class: "time" }, this.left, this.pace),
      rater.lease.line,
      this.saved,
    );
    this.board = el("div", { class: "board" }, this.reading.root, this.scoring.root);
    this.nothing = el("div", { class: "nothing", "data-testid": "nothing", hidden: true });
    this.flagDialog = new FlagDialog(rater);
    this.keys = keysDialog(keysOf(data.form, data.criteria, data.questions), data.help);
    this.practice = el("p", { class: "practice", "data-testid": "practice", hidden: true });
    this.elsewhere = el("p", { class: "practice", role: "status", "data-testid": "elsewhere", hidden: true });
    rater.root.replaceChildren(
      this.head,
      rater.lease.bar,
      this.practice,
      this.elsewhere,
      this.board,
      this.nothing,
      rater.wayOut.farewell,
      rater.messages.inline,
      this.flagDialog.root,
      this.keys,
      rater.feedback.root,
      rater.lease.pauseDialog,
      rater.wayOut.dialog,
      rater.messages.dialog,
      this.spoken,
    );
  }

  showItem(item) {
    this.board.hidden = !item;
    this.nothing.hidden = Boolean(item);
    this.scoring.root.classList.remove("commenting");
    this.rater.evidence.reset();
    this.reading.pointed = null;
    this.letGo();
    if (item) this.reading.show(item);
  }

  // Drawn when it changes only: a button that was built anew would lose the focus.
  showNothing(sentences, offer) {
    const said = JSON.stringify([sentences, offer]);
    if (said === this.nothingSaid) return;
    this.nothingSaid = said;
    const lines = sentences.map((text, index) => el(index ? "p" : "h3", { text, dir: "auto" }));
    const again =
      offer &&
      el(
        "button",
        { type: "button", class: "submit ready", "data-testid": "offer", on: { click: () => this.rater.lookAgainAtSkipped() } },
        el("span", { text: offer }),
        kbd("Enter"),
      );
    this.nothing.replaceChildren(...lines, ...[again].filter(Boolean));
    if (again) this.say(sentences.join(" "));
  }

  draw(desk) {
    if (!desk.item) return;
    this.scoring.draw(desk);
    this.reading.pointAt(desk.row.at);
    if (this.rater.evidence.offered) this.rater.evidence.draw();
  }

  // The button counts down, and is drawn once more when the wait is over.
  drawWait(desk) {
    if (desk.waitMs || this.waits) this.scoring.drawSubmit(desk);
    this.waits = desk.waitMs > 0;
  }

  drawProgress(progress, outbox) {
    const unsent = outbox.waiting.filter((op) => op.kind === "rate" && !op.again).length;
    const done = Math.min(progress.done + unsent, progress.total);
    put(this.done, progress.total ? phrase("done", { done, total: progress.total }) : "");
    this.progress.hidden = !progress.total;
    this.bar.style.transform = `scaleX(${progress.total ? done / progress.total : 0})`;
    mark(this.progress, "aria-valuenow", done);
    mark(this.progress, "aria-valuemax", progress.total);
    const minutes = ((progress.total - done) * (progress.seconds_per_answer ?? 0)) / 60;
    const known = progress.seconds_per_answer !== null && done >= 3 && done < progress.total;
    const left = minutes < 0.5 ? "minute_left" : "minutes_left";
    put(this.left, known ? phrase(left, { minutes: Math.round(minutes) }) : "");
    put(this.pace, known ? phrase(`${left}_at_pace`, { minutes: Math.round(minutes) }) : "");
  }

  drawPractice(said) {
    put(this.practice, said);
    this.practice.hidden = !said || !this.rater.desk.item;
  }

  drawElsewhere(said) {
    put(this.elsewhere, said);
    this.elsewhere.hidden = !said;
  }

  drawSaved(outbox, savedAt, refusal) {
    const waiting = outbox.waiting.length;
    const late = waiting > 0 && outbox.late;
    this.saved.className = `saved${late || (refusal && !waiting) ? " attention" : ""}`;
    this.check.classList.toggle("off", waiting > 0 || Boolean(refusal) || !savedAt);
    if (late) put(this.savedText, phrase("late", { n: waiting }));
    else if (waiting) put(this.savedText, phrase("saving", { n: waiting }));
    else if (refusal) put(this.savedText, phrase("refused", { why: refusal }));
    else put(this.savedText, savedAt ? phrase("saved", { clock: clockOf(new Date(savedAt)) }) : "");
  }

  // A field in hand keeps what was typed into it; what it holds for another answer is not that.
  letGo() {
    this.rater.root.getRootNode().activeElement?.blur();
  }

  focus({ scroll = true } = {}) {
    if (!this.rater.byFinger()) this.scoring.focus(this.rater.desk, scroll);
  }

  // Where the page scrolls the text, the next one would begin where the reader left the last one.
  toBeginning() {
    const { root } = this.reading;
    if (!this.rater.inSheet()) return;
    this.scoring.root.scrollTop = 0;
    const above = parseFloat(getComputedStyle(root).scrollMarginTop);
    if (root.getBoundingClientRect().top < above) root.scrollIntoView({ block: "start" });
  }

  // Text and scores from the window's upper edge on.
  fillWindow({ exactly = false } = {}) {
    const { top } = this.board.getBoundingClientRect();
    if (top > 0 || (exactly && top < -1)) this.board.scrollIntoView({ block: "start" });
  }

  focusComment() {
    this.showComment();
    this.scoring.comment.focus({ preventScroll: true });
  }

  showComment() {
    this.scoring.root.classList.add("commenting");
    if (this.rater.inSheet()) this.scoring.comment.focus();
  }

  typeNumber(digit) {
    const { field } = this.scoring.rows[this.rater.desk.pos].number;
    field.value = digit;
    field.focus({ preventScroll: true });
    this.rater.number(this.rater.desk.pos, digit);
  }

  say(text) {
    put(this.spoken, text);
  }

  openFlag() {
    if (this.rater.desk.item) this.flagDialog.open(this.rater.desk.item);
  }

  openKeys() {
    showFromTop(this.keys);
  }

  dialogOpen() {
    return this.rater.root.querySelector("dialog[open]") !== null;
  }
}

class FlagDialog {
  constructor(rater) {
    this.reason = el("textarea", { rows: "3", maxlength: "2000", "aria-label": phrase("flag_why") });
    writtenFrom(this.reason);
    const send = (reason) => {
      this.root.close();
      rater.flag(reason);
    };
    this.off = el("button", { type: "button", class: "action", text: phrase("unflag"), on: { click: () => send("") } });
    const save = el("button", { type: "submit", class: "submit ready", text: phrase("flag") });
    const close = el("button", {
      type: "button",
      class: "action",
      text: phrase("cancel"),
      on: { click: () => this.root.close() },
    });
    const form = el(
      "form",
      { method: "dialog", on: { submit: () => send(this.reason.value.trim() || "–") } },
      el("h3", { text: phrase("flag_title") }),
      el("p", { text: phrase("flag_why") }),
      this.reason,
      el("div", { class: "dialog-buttons" }, save, close, this.off),
    );
    this.reason.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        form.requestSubmit();
      }
    });
    this.root = el("dialog", { "aria-label": phrase("flag_title") }, form);
  }

  open(item) {
    this.reason.value = item.flag ?? "";
    directed(this.reason);
    this.off.hidden = !item.flag;
    this.root.showModal();
    this.reason.focus();
  }
}

function keysDialog(keys, help) {
  const rows = keys.map(([keys, act]) => el("tr", {}, el("td", {}, ...keyCaps(keys)), el("td", { text: phrase(act) })));
  const dialog = el("dialog", { "aria-label": phrase("keys") });
  const close = el("button", {
    type: "button",
    class: "action",
    text: phrase("close"),
    on: { click: () => dialog.close() },
  });
  const more = el("a", { class: "how", href: help, target: "_blank", text: phrase("how_to_rate") });
  dialog.append(el("h3", { text: phrase("keys") }), el("table", {}, ...rows), el("div", { class: "dialog-buttons" }, close, more));
  return dialog;
}
