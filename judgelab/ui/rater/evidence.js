// Marking what a score rests on: selected text, or words and sentences chosen by keyboard.
class Evidence {
  constructor(rater, { form, criteria }) {
    this.rater = rater;
    this.asksEverywhere = asksEvidence(form);
    this.most = form.most_marks;
    this.offered = this.asksEverywhere || (rates(form) && marksErrors(criteria));
    this.cursor = null;
    this.last = null; // where the keyboard's cursor was when an error was marked
    this.chooser = new ErrorChooser(this);
    this.told = ""; // what stands below the button instead of the usual hint
    this.button = button(phrase("mark"), "E", () => this.act({ byFinger: this.rater.byFinger() }));
    this.button.addEventListener("pointerdown", (event) => event.preventDefault()); // keeps the selection
    this.list = el("ul", { class: "quotes", "aria-label": phrase("marked") });
    this.hint = el("p", { class: "caption", hidden: true });
    this.root = el("div", { class: "evidence" }, this.button, this.hint, this.chooser.root, this.list);
  }

  get spans() {
    const { desk } = this.rater;
    return desk.evidence[desk.row.key] ?? [];
  }

  get active() {
    return this.cursor !== null;
  }

  // Whether what is marked in this row are errors, from which its score follows.
  get ofErrors() {
    return this.rater.desk.row?.widget === "spans";
  }

  // Whether something can be marked in the row in hand.
  get asked() {
    return this.asksEverywhere || (this.offered && this.ofErrors);
  }

  // How a marked error looks in the text: the more severe, the stronger.
  look({ severity }) {
    const { severities = [] } = this.rater.desk.row;
    const at = severities.findIndex(({ name }) => name === severity);
    return at < 0 ? "" : `severity-${Math.round((2 * at) / Math.max(1, severities.length - 1))}`;
  }

  reset() {
    this.cursor = this.last = this.drawn = null;
    this.told = "";
    this.chooser.close();
  }

  draw() {
    const { desk } = this.rater;
    const given = desk.given[desk.row.id];
    const pending = this.chooser.span ?? null;
    const state = JSON.stringify([desk.item.id, desk.row.key, desk.evidence, given, this.cursor, pending, this.told]);
    if (state === this.drawn) return; // drawing again would take away what is selected
    this.drawn = state;
    this.chooser.keepTo(desk.row.key);
    this.root.hidden = !this.asked;
    put(this.button.firstChild, phrase(this.ofErrors ? "mark_error" : "mark"));
    mark(this.list, "aria-label", phrase(this.ofErrors ? "errors" : "marked"));
    this.list.classList.toggle("errors", this.ofErrors);
    const texts = this.rater.view.reading.parts();
    const rows = this.spans.map((span, index) => this.quote(texts[span.part] ?? "", span, index));
    this.list.replaceChildren(...rows);
    const open = this.ofErrors && given === undefined && !this.chooser.pending;
    this.hint.hidden = !this.active && !open && !this.told;
    put(this.hint, this.active ? phrase("mark_keys") : this.told || phrase("error_hint"));
    this.rater.view.reading.drawMarks();
  }

  quote(text, span, index) {
    const said = quoteOf(text, span);
    const take = el("button", {
      type: "button",
      class: "unmark",
      "aria-label": phrase("unmark", { said }),
      text: "×",
      on: { click: () => this.remove(index) },
    });
    const kind = this.ofErrors && this.chooser.kindButton(span, said, index);
    return el("li", { class: this.look(span) }, el("q", { dir: "auto", text: said, title: said }), kind, take);
  }

  // What is selected now becomes evidence; with nothing selected the keyboard chooses.
  act({ byFinger = false } = {}) {
    const span = this.rater.view.reading.selected();
    this.told = "";
    if (this.spans.length >= this.most) this.tell(phrase("marks_full", { n: this.most }));
    else if (span) this.add(span);
    else if (this.active) this.leave();
    else if (byFinger) this.tell(phrase("select_first")); // a phone has no arrow keys
    else this.begin();
  }

  add(span) {
    const { desk, view } = this.rater;
    if (this.ofErrors) return this.chooser.open(span);
    const same = this.spans.some((one) => one.part === span.part && one.start === span.start && one.end === span.end);
    if (!same) desk.evidence = { ...desk.evidence, [desk.row.key]: [...this.spans, span] };
    view.reading.unselect();
    const said = quoteOf(view.reading.parts()[span.part], span);
    view.say(phrase("announce_marked", { said }));
    this.changed();
  }

  remove(index) {
    const { desk } = this.rater;
    this.chooser.close(); // what it would replace may have moved up
    desk.evidence = { ...desk.evidence, [desk.row.key]: this.spans.filter((_, at) => at !== index) };
    this.rater.view.say(phrase("announce_unmarked"));
    this.changed();
    (this.list.querySelectorAll(".unmark")[Math.max(0, index - 1)] ?? this.button).focus();
  }

  // Puts an error in the place of the one at `index`, or behind all.
  putError(span, index = this.spans.length) {
    const { desk } = this.rater;
    const said = quoteOf(this.rater.view.reading.parts()[span.part], span);
    desk.evidence = { ...desk.evidence, [desk.row.key]: this.spans.toSpliced(index, 1, span) };
    this.rater.view.say(phrase("announce_error", { said, kind: kindOf(span) }));
    [this.last, this.cursor] = [this.cursor, null]; // the arrows are free again; E comes back to this place
    desk.scoreErrors();
    this.changed();
  }

  changed() {
    const { desk } = this.rater;
    if (this.ofErrors && desk.given[desk.row.id] !== null) desk.scoreErrors(); // "cannot judge" stays
    this.rater.changed();
  }

  // By keyboard: a cursor over words and sentences of the answer, then of the text behind it -------------

  begin() {
    this.cursor = this.last ?? { part: "response", ...this.units("response", "sentence")[0] };
    this.show();
  }

  tell(said) {
    this.told = said;
    this.cursor = null;
    this.draw();
    this.rater.view.say(said);
  }

  leave() {
    this.cursor = null;
    this.told = "";
    if (this.rater.desk.item) this.draw();
  }

  units(part, granularity) {
    const { reading } = this.rater.view;
    const [text, tree] = [reading.parts()[part], reading.trees()[part]];
    return tree ? unitsShown(tree, text, granularity) : unitsIn(text, granularity);
  }

  move(granularity, by, extend) {
    const { part, from, to } = this.cursor;
    const units = this.units(part, granularity);
    if (extend) {
      const ends = units.map((unit) => unit.to).filter((end) => (by > 0 ? end > to : end < to && end > from));
      if (ends.length) this.cursor = { part, from, to: by > 0 ? ends[0] : ends.at(-1) };
    } else {
      const next = by > 0 ? units.find((unit) => unit.from > from) : units.findLast((unit) => unit.from < from);
      this.cursor = next ? { part, ...next } : this.other(granularity, by);
    }
    this.show();
  }

  // Beyond the last sentence of the answer stands the first one of the text behind it.
  other(granularity, by) {
    const part = by > 0 ? "context" : "response";
    const text = this.rater.view.reading.parts()[part];
    if (part === this.cursor.part || !text) return this.cursor;
    return { part, ...this.units(part, granularity).at(by > 0 ? 0 : -1) };
  }

  show() {
    const { reading } = this.rater.view;
    if (this.cursor.part === "context") reading.folds.context.unfold();
    this.draw();
    this.rater.fit(); // what the sheet says of the keys makes it higher
    reading.root.querySelector("mark.cursor")?.scrollIntoView({ block: "nearest" });
    const { part, from, to } = this.cursor;
    this.rater.view.say(shownBetween(reading.trees()[part], reading.parts()[part], from, to));
  }

  // How the text under the cursor is written, whatever the language of the screen.
  fromTheRight() {
    const node = this.rater.view.reading.nodes()[this.cursor.part];
    return getComputedStyle(node).direction === "rtl";
  }

  markCursor() {
    const { part, from, to } = this.cursor;
    const text = this.rater.view.reading.parts()[part];
    const span = { part, start: charactersBefore(text, from), end: charactersBefore(text, to) };
    const same = (one) => one.part === part && one.start === span.start && one.end === span.end;
    const over = (one) => one.part === part && one.start < span.end && one.end > span.start;
    const at = this.spans.findIndex(this.ofErrors ? same : over); // errors may lie in one another
    if (at < 0) return this.add(span);
    if (this.ofErrors) return this.chooser.open(span, at);
    this.remove(at);
    this.rater.view.focus();
  }

  key(event) {
    const steps = {
      ArrowDown: ["sentence", 1],
      ArrowUp: ["sentence", -1],
      ArrowRight: ["word", this.fromTheRight() ? -1 : 1],
      ArrowLeft: ["word", this.fromTheRight() ? 1 : -1],
    };
    const step = steps[event.key];
    if (step) return () => this.move(...step, event.shiftKey);
    if (event.key === "Enter" || event.key === " ") return () => this.markCursor();
    if (event.key === "Escape") return () => this.leave();
    if (event.key.length === 1 && latinKey(event).toLowerCase() !== "e") this.leave(); // a score: back to scoring
    return null;
  }
}

function unitsIn(text, granularity) {
  return segments(text, granularity).map(({ segment, index }) => ({
    from: index + segment.length - segment.trimStart().length,
    to: index + segment.trimEnd().length,
  }));
}

// Words or sentences of a rendered text, in places of the text as typed; characters that are not shown are
// passed over.
function unitsShown(tree, text, granularity) {
  const { said, places } = shownOf(tree, text);
  return unitsIn(said, granularity)
    .map(({ from, to }) => places.slice(from, to).filter(Boolean))
    .filter((found) => found.length)
    .map((found) => ({ from: found[0][0], to: found.at(-1)[1] }));
}

function segments(text, granularity) {
  if (!Intl.Segmenter) {
    const found = text.matchAll(granularity === "word" ? WORD : /[^.!?\n]*[^.!?\s][^.!?\n]*[.!?]*/g);
    return [...found].map((one) => ({ segment: one[0], index: one.index }));
  }
  const found = new Intl.Segmenter(undefined, { granularity }).segment(text);
  return [...found].filter((one) => one.segment.trim() && one.isWordLike !== false);
}
