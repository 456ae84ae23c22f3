// Messages to the study team about the item in hand, and its answers: one dialog, and the same list when there is
// nothing to rate.
class Messages {
  constructor(rater) {
    this.rater = rater;
    this.threads = [];
    this.drafts = new Map(); // by item; a dialog that was closed keeps what was written in it
    this.fresh = new Set(); // answers that were not read when this page got them: called new until it goes
    this.readTo = 0;
    this.announced = 0;
    this.count = el("span", { class: "unread", hidden: true });
    this.button = el(
      "button",
      { type: "button", class: "action messages", "data-testid": "messages", on: { click: () => this.open() } },
      icon("mail"),
      this.count,
      el("span", { class: "messages-name", text: phrase("messages") }),
      kbd("W"),
    );
    this.about = el("p", { id: "message-about", dir: "auto" });
    this.field = el("textarea", { rows: "3", "aria-labelledby": "message-about", "data-testid": "message" });
    writtenFrom(this.field);
    this.field.addEventListener("input", () => this.drafts.set(this.item, this.field.value));
    this.form = el(
      "form",
      { on: { submit: (event) => this.send(event) } },
      this.about,
      this.field,
      el("p", { text: phrase("message_help") }),
      el(
        "div",
        { class: "dialog-buttons" },
        el("button", { type: "submit", class: "submit ready", "data-testid": "message-send", text: phrase("message_send") }),
      ),
    );
    this.field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        this.form.requestSubmit();
      }
    });
    this.list = el("div", { class: "threads" });
    const close = el("button", { type: "button", class: "action", text: phrase("close"), on: { click: () => this.dialog.close() } });
    this.dialog = el(
      "dialog",
      { class: "messages-dialog", "aria-labelledby": "messages-title", "data-testid": "messages-dialog" },
      el("h3", { id: "messages-title", text: phrase("messages_title") }),
      this.form,
      this.list,
      el("div", { class: "dialog-buttons" }, close),
    );
    this.dialog.addEventListener("close", () => this.rater.desk.item && this.rater.view.focus());
    this.inlineList = el("div", { class: "threads" });
    this.inline = el(
      "section",
      { class: "messages-inline", "aria-labelledby": "messages-inline", "data-testid": "messages-list", hidden: true },
      el("h3", { id: "messages-inline", text: phrase("messages") }),
      this.inlineList,
    );
  }

  get answers() {
    return this.threads.flatMap(({ messages }) => messages.filter(({ answer }) => answer));
  }

  get unread() {
    return this.answers.filter(({ id, read }) => !read && id > this.readTo);
  }

  // Whether a question waits for an answer.
  get unanswered() {
    return this.threads.some(({ messages }) => !messages.at(-1).answer);
  }

  update({ messages }) {
    this.threads = messages.threads;
    this.mayWrite = messages.may_write;
    mark(this.field, "maxlength", messages.most);
    for (const { id } of this.unread) this.fresh.add(id);
    const n = this.unread.length;
    if (n > this.announced) this.rater.view.say(countedPhrase("new_messages", n));
    this.announced = n;
  }

  draw() {
    const { desk, outbox } = this.rater;
    const threads = this.withUnsent();
    this.button.hidden = !desk.item && !threads.length;
    const said = JSON.stringify([threads, this.mayWrite]);
    if (said !== this.drawn) {
      this.list.replaceChildren(...threads.map((thread) => this.threadOf(thread)));
      this.inlineList.replaceChildren(...threads.map((thread) => this.threadOf(thread)));
    }
    this.drawn = said;
    const leaves = outbox.waiting.some(({ kind }) => kind !== "ask"); // the next item may be on its way
    this.inline.hidden = Boolean(desk.item) || leaves || !threads.length;
    const seen = this.dialog.open || (!this.inline.hidden && document.visibilityState === "visible");
    if (seen) this.markRead();
    this.drawCount();
  }

  drawCount() {
    const n = this.unread.length;
    put(this.count, n ? String(n) : "");
    this.count.hidden = !n;
    const name = phrase("messages");
    mark(this.button, "aria-label", n ? `${name}, ${countedPhrase("new_messages", n)}` : name);
    mark(this.button, "title", n ? countedPhrase("new_messages", n) : name);
  }

  markRead() {
    if (!this.unread.length) return;
    this.readTo = Math.max(...this.unread.map(({ id }) => id));
    this.announced = 0;
    this.rater.outbox.push("read", 0, { last: this.readTo });
  }

  // What waits in the outbox stands in its thread, or in one of its own.
  withUnsent() {
    const unsent = this.rater.outbox.ops.filter((op) => op.kind === "ask");
    const own = this.threads.map((thread) => ({ ...thread, messages: [...thread.messages] }));
    for (const { item, text, label } of unsent) {
      let thread = own.find((one) => one.item === item);
      if (!thread) own.unshift((thread = { item, label, messages: [] }));
      thread.messages.push({ text });
    }
    return own;
  }

  threadOf({ item, label, messages }) {
    const again =
      this.mayWrite &&
      item !== null &&
      el("button", { type: "button", class: "action", text: phrase("message_again"), on: { click: () => this.writeAbout(item, label) } });
    return el("article", {}, el("h4", { dir: "auto", text: label }), ...messages.map((one) => this.messageOf(one)), again);
  }

  messageOf({ id, answer, text, at }) {
    const who = phrase(answer ? "message_team" : "message_you");
    const when = at ? dateOf(new Date(at)) : phrase("message_waiting");
    const fresh = this.fresh.has(id) && el("strong", { class: "fresh", text: phrase("message_new") });
    return el(
      "div",
      { class: answer ? "message answer-said" : "message" },
      el("p", { class: "message-who" }, el("span", { text: `${who} · ${when}` }), fresh),
      el("p", { class: "message-text", dir: "auto", text }),
    );
  }

  open() {
    const { desk } = this.rater;
    if (desk.item && this.mayWrite) this.aim(desk.item.id, phrase("message_about"), shortened(desk.item.question || desk.item.answer));
    this.form.hidden = !desk.item || !this.mayWrite;
    if (this.form.hidden && !this.threads.length) return;
    if (!this.dialog.open) this.dialog.showModal();
    this.draw();
    if (!this.form.hidden) this.field.focus();
  }

  writeAbout(item, label) {
    this.aim(item, phrase("message_about_item", { label }), label);
    this.form.hidden = false;
    if (!this.dialog.open) this.dialog.showModal();
    this.draw();
    this.field.focus();
  }

  aim(item, said, label) {
    this.item = item;
    this.label = label;
    put(this.about, said);
    this.field.value = this.drafts.get(item) ?? "";
    directed(this.field);
  }

  send(event) {
    event.preventDefault();
    const text = this.field.value.trim();
    if (!text) return this.field.focus();
    this.drafts.delete(this.item);
    this.field.value = "";
    this.rater.outbox.push("ask", this.item, { text, label: this.label });
    this.dialog.close();
    this.rater.drawStatus();
    this.rater.view.say(phrase("message_sent"));
  }
}

// As the server shortens what it names an item by (own_messages.py).
function shortened(question) {
  const words = question.split(/\s+/).filter(Boolean).join(" ");
  return [...words].length <= 100 ? words : `${[...words].slice(0, 100).join("").trimEnd()}…`;
}
