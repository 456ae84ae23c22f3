// The type and the severity of a marked error, each chosen by one key or click.
const KIND_KEYS = "123456789abcdefghijk";

class ErrorChooser {
  constructor(evidence) {
    this.evidence = evidence;
    this.root = el("div", { class: "chooser", role: "group", hidden: true });
  }

  get pending() {
    return this.span !== undefined;
  }

  get row() {
    return this.evidence.rater.desk.row;
  }

  // Asks what kind of error the span is; `index` if it is marked already.
  open(span, index) {
    const { part, start, end } = span;
    [this.span, this.index, this.rowKey] = [{ part, start, end }, index, this.row.key];
    this.evidence.rater.view.reading.unselect();
    if (this.row.types.length === 1) this.choose(this.row.types[0]);
    else this.ask();
  }

  close() {
    this.span = undefined;
    this.root.hidden = true;
    this.root.replaceChildren();
  }

  // Another row in hand: what was not finished there is not marked.
  keepTo(rowKey) {
    if (this.pending && this.rowKey !== rowKey) this.close();
  }

  get names() {
    return this.span.type === undefined ? this.row.types : this.row.severities.map(({ name }) => name);
  }

  ask() {
    const { reading } = this.evidence.rater.view;
    const said = quoteOf(reading.parts()[this.span.part], this.span);
    const asked = phrase(this.span.type === undefined ? "error_type" : "error_severity", { said });
    const choices = this.names.map((name, at) => {
      const node = button(name, KIND_KEYS[at].toUpperCase(), () => this.choose(name));
      node.firstChild.dir = "auto";
      return node;
    });
    const cancel = button(phrase("cancel"), "Esc", () => this.cancel());
    this.evidence.draw(); // the words stay marked while their kind is chosen
    mark(this.root, "aria-label", asked);
    this.root.replaceChildren(el("p", { class: "caption", dir: "auto", text: asked }), ...choices, cancel);
    this.root.hidden = false;
    this.root.scrollIntoView({ block: "nearest" });
    choices[0].focus({ preventScroll: true });
  }

  choose(name) {
    if (this.span.type === undefined) {
      this.span.type = name;
      const [only, ...others] = this.row.severities;
      if (others.length) return this.ask();
      this.span.severity = only.name;
    } else this.span.severity = name;
    const { span, index } = this;
    this.close();
    this.evidence.putError(span, index);
    this.evidence.rater.view.focus();
  }

  cancel() {
    this.close();
    this.evidence.draw();
    this.evidence.rater.view.focus();
  }

  // While it asks, no other key does anything: S would skip the answer that is being marked, Enter submit it.
  key(event, target) {
    if (event.key === "Escape") return () => this.cancel();
    if (event.key === "Tab" || /^F\d+$/.test(event.key)) return null;
    if (event.key === "Enter" || event.key === " ") return this.root.contains(target) ? null : () => this.remind();
    const digit = /^Digit[0-9]$/.test(event.code) ? event.code[5] : null;
    const typed = [latinKey(event).toLowerCase(), digit].map((key) => (key ? KIND_KEYS.indexOf(key) : -1));
    const at = typed.find((place) => place >= 0 && place < this.names.length);
    return at === undefined ? () => {} : () => this.choose(this.names[at]);
  }

  // An error without its kind is not submitted and not forgotten.
  remind() {
    this.ask();
    this.evidence.rater.view.say(this.root.getAttribute("aria-label"));
  }

  // The kind of a marked error, which can be changed.
  kindButton(span, said, index) {
    const kind = kindOf(span);
    return el("button", {
      type: "button",
      class: "kind",
      dir: "auto",
      text: kind,
      "aria-label": phrase("change_error", { said: `${said} – ${kind}` }),
      on: { click: () => this.open(span, index) },
    });
  }
}

function kindOf({ type, severity }) {
  return `${type} · ${severity}`;
}
