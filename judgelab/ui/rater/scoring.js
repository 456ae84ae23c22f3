const LABEL_PLACES = ["", "below", "listed"]; // beside the value, below it, or each point in a line of its own

// The right side: the rows to fill in, what their points mean, comment and buttons. On a phone it is the sheet.
class Scoring {
  constructor(rater, { form, criteria, questions }) {
    this.rater = rater;
    this.options = form;
    this.tabList = el("div", { class: "tabs", role: "group", "aria-label": phrase("scores") });
    this.list = el("div", { class: "criteria" });
    this.meaningList = el("div", { class: "meanings" });
    this.order = el("p", { class: "order", "data-testid": "order" });
    this.commentHint = form.name === "pointwise" ? "comment" : "choice_comment";
    this.comment = el("textarea", {
      class: "comment",
      rows: "1",
      maxlength: "5000",
      placeholder: phrase(this.commentHint),
      "aria-label": phrase(this.commentHint),
      "data-role": "comment",
      on: { input: () => rater.comment(this.comment.value) },
    });
    writtenFrom(this.comment);
    const field = form.comment && el("div", { class: "comment-field" }, this.comment, kbd("/"));
    this.submitText = el("span");
    this.submit = el(
      "button",
      { type: "button", class: "submit", "data-testid": "submit", on: { click: () => rater.submitOrNext() } },
      this.submitText,
      kbd("Enter"),
    );
    this.undo = button(phrase("undo"), "U", () => rater.undo());
    this.actions = el(
      "div",
      { class: "actions" },
      form.skip && button(phrase("skip"), "S", () => rater.skip()),
      button(phrase("flag"), "F", () => rater.view.openFlag(), icon("flag")),
      this.undo,
    );
    this.buttons = el("div", { class: "buttons" }, this.submit, this.actions);
    this.questions = new Questions(rater, questions);
    this.foot = el("div", { class: "foot" }, field, this.buttons, legend(form, criteria));
    this.root = el(
      "section",
      { "aria-label": phrase("scores") },
      this.tabList,
      this.list,
      this.questions.root,
      this.order,
      this.meaningList,
      this.foot,
    );
  }

  // Rows change only when a unit has more or fewer answers than the one before.
  build(rows) {
    if (this.built === rows) return;
    this.built = rows;
    this.rows = rows.map((row, pos) => new CriterionRow(this.rater, row, pos, rows[pos - 1]));
    this.tabs = rows.map((row, pos) => this.tab(row, pos));
    this.meanings = rows.map((row) => meaningOf(row));
    this.list.replaceChildren(...this.rows.map((row) => row.root));
    this.tabList.replaceChildren(...this.tabs);
    this.meaningList.replaceChildren(...this.meanings);
    const size = `${rows.length > 3 ? " many" : ""}${rows.length > 4 ? " most" : ""}`;
    const commenting = this.root.classList.contains("commenting") ? " commenting" : "";
    this.root.className = `scoring ${this.options.name}${size}${commenting}`; // `draw` adds the rest
  }

  tab(row, pos) {
    return el(
      "button",
      { type: "button", class: "tab", on: { click: () => this.rater.moveTo(pos) } },
      el("span", { class: "tab-name", dir: "auto", text: row.short ?? row.label }),
      el("span"),
    );
  }

  draw(desk) {
    this.build(desk.rows);
    this.rows.forEach((row, pos) => row.draw(desk, pos));
    this.placeEvidence(desk);
    this.meanings.forEach((node, pos) => this.drawMeaning(node, desk, pos));
    this.tabs.forEach((tab, pos) => this.drawTab(tab, desk, pos));
    this.questions.draw(desk);
    this.root.classList.toggle("asking", desk.missing.length === 0);
    this.drawSubmit(desk);
    put(this.order, desk.form.summary(desk.given, desk.row, desk.item));
    this.order.hidden = !this.order.textContent;
    this.undo.disabled = !desk.history.length;
    const note = desk.notes[desk.row.key] ?? "";
    if (this.comment.value !== note) this.comment.value = note;
    const needed = desk.needsComment(desk.row);
    if (note || needed) this.root.classList.add("commenting");
    mark(this.comment, "placeholder", phrase(needed ? "comment_needed" : this.commentHint));
    mark(this.comment, "aria-required", needed ? "true" : null);
    mark(this.comment, "aria-invalid", desk.complained && desk.unexplained.some((row) => row.key === desk.row.key) && "true");
    directed(this.comment);
    this.keepWordsWhole();
  }

  // Evidence stands above the comment; errors, which are the score, stand in their own row.
  placeEvidence(desk) {
    const { offered, root } = this.rater.evidence;
    const home = desk.row.widget === "spans" ? this.rows[desk.pos].root : this.foot;
    if (!offered || root.parentNode === home) return;
    if (home === this.foot) home.prepend(root);
    else home.append(root);
  }

  // In a sheet the button to submit stands last, where the thumb is; Tab goes the same way as the eye.
  placeButtons() {
    const first = this.rater.inSheet() ? this.actions : this.submit;
    if (this.buttons.firstChild !== first) this.buttons.prepend(first);
  }

  keepWordsWhole({ again = false } = {}) {
    for (const row of this.rows ?? []) row.keepWordsWhole({ again });
  }

  drawMeaning(node, desk, pos) {
    node.classList.toggle("shown", pos === desk.pos);
    if (pos !== desk.pos) return;
    const score = desk.given[desk.row.id];
    for (const line of node.querySelectorAll("[data-value]")) {
      const point = desk.row.points.find((one) => String(one.value) === line.dataset.value);
      line.classList.toggle("chosen", Boolean(point) && isChosen(desk.row, point, score));
    }
  }

  drawTab(tab, desk, pos) {
    const row = desk.rows[pos];
    const given = desk.given[row.id];
    const chosen = row.points.filter((one) => isChosen(row, one, given)).map((one) => one.sign || "=");
    const said = given === null ? "–" : (chosen.length ? chosen.join(" ") : given);
    put(tab.lastChild, given === undefined ? "" : `· ${said}`);
    mark(tab, "aria-current", pos === desk.pos && "true");
    tab.className = `tab${pos === desk.pos ? " current" : ""}${given === undefined ? "" : " scored"}`;
  }

  drawSubmit(desk) {
    const left = desk.missing;
    const elsewhere = left.find((row) => row !== desk.row);
    const { waitMs, unexplained, unanswered } = desk;
    const ready = !left.length && !unexplained.length && !unanswered.length && !waitMs;
    const count = this.options.name === "pointwise" ? "criteria_left" : "choices_left";
    let text = phrase(desk.item.again ? "change" : "submit");
    const goesOn = this.rater.inSheet() && elsewhere !== undefined;
    if (goesOn) text = phrase("next", { label: elsewhere.label });
    else if (waitMs) text = phrase("wait", { clock: countdown(waitMs) });
    else if (left.length) text = countedPhrase(count, left.length);
    else if (unexplained.length) text = countedPhrase("comments_left", unexplained.length);
    else if (unanswered.length) text = countedPhrase("answers_left", unanswered.length);
    put(this.submitText, text);
    const moves = goesOn && desk.given[desk.row.id] !== undefined;
    this.submit.classList.toggle("ready", ready || moves);
  }

  focus(desk, scroll) {
    this.rows[desk.pos].focus(desk.point, scroll);
  }
}

class CriterionRow {
  constructor(rater, row, pos, before) {
    this.rater = rater;
    this.row = row;
    this.pos = pos;
    this.stateText = el("span");
    // The comment itself is in sight while its criterion is in hand only.
    this.noted = el("span", { class: "noted", role: "img", "aria-label": phrase("noted"), hidden: true }, icon("note"));
    this.state = el("span", { class: "state" }, this.stateText, this.noted);
    this.points = row.points.map((point, index) => this.pointButton(point, index));
    this.number = row.widget === "number" ? new NumberField(rater, row, pos) : null;
    const heading = el("span", { class: "criterion-name", id: `criterion-${pos}`, dir: "auto", text: row.label });
    this.pass =
      row.may_pass &&
      el(
        "button",
        {
          type: "button",
          class: "pass",
          "aria-pressed": "false",
          "aria-label": phrase("pass_of", { label: row.label }),
          on: { click: (event) => this.passed(event) },
        },
        el("span", { text: phrase("pass") }),
        kbd("X"),
      );
    const note =
      rater.options.comment &&
      el("button", {
        type: "button",
        class: "note-button",
        text: phrase("add_comment"),
        on: { click: () => rater.view.showComment() },
      });
    this.tellsOfComment = before?.key !== row.key; // the first of the rows of one criterion
    const first = row.group && this.tellsOfComment;
    this.group = row.group && groupOf(row.group, `group-${pos}`);
    this.choices = this.number
      ? this.number.root
      : el(
          "div",
          {
            class: `points${row.ordered === false ? " unordered" : ""}`,
            role: row.widget === "set" ? "group" : "radiogroup",
            "aria-labelledby": row.group ? `group-${pos} criterion-${pos}` : `criterion-${pos}`,
            style: `--points: ${row.points.length}`,
          },
          ...this.points,
        );
    this.base = `criterion${first ? " first" : ""}${row.points.length > 4 ? " long" : ""}`;
    this.root = el(
      "div",
      { class: this.base, "data-testid": `criterion-${row.id.replace("\n", "-")}` },
      this.group,
      el("div", { class: "criterion-head" }, heading, this.pass, this.state, note),
      row.question && el("p", { class: "criterion-question", dir: "auto", text: row.question }),
      this.choices,
    );
    this.root.addEventListener("click", () => rater.moveTo(pos));
  }

  pointButton(point, index) {
    const said = [point.sign, point.label, point.anchor].filter((part) => part !== "").join(". ");
    return el(
      "button",
      {
        type: "button",
        class: "point",
        role: this.row.widget === "set" ? "checkbox" : "radio",
        tabindex: "-1",
        "aria-checked": "false",
        "aria-label": this.row.may_pass === undefined ? said.replace(". ", " ") : said,
        title: point.anchor || undefined,
        on: {
          click: (event) => this.click(event, index),
          focus: (event) => event.target.matches(":focus-visible") && this.rater.moveTo(this.pos, { focus: false }),
        },
      },
      point.sign && el("span", { class: "value", text: point.sign }),
      point.label && el("span", { class: "point-label", text: point.label, dir: "auto" }),
      point.key !== point.sign && kbd(point.key),
    );
  }

  passed(event) {
    event.stopPropagation();
    this.rater.moveTo(this.pos, { focus: false });
    this.rater.pass();
  }

  click(event, index) {
    event.stopPropagation();
    this.rater.choose(this.pos, index, { advance: Boolean(this.row.quick) && this.rater.inSheet() });
  }

  draw(desk, pos) {
    const given = desk.given[this.row.id];
    const current = pos === desk.pos;
    const unexplained = desk.unexplained.includes(this.row);
    const errors = this.row.widget === "spans" ? (desk.evidence[this.row.key] ?? []) : [];
    const missing = desk.complained && (given === undefined || unexplained);
    this.root.className = `${this.base}${current ? " current" : ""}${missing ? " missing" : ""}`;
    const state = this.stateOf(given, { missing, current, unexplained });
    const scored = errors.length > 0 && !missing && given !== null;
    put(this.stateText, scored ? `${countedPhrase("errors_marked", errors.length)} · ${writtenAs(given)}` : state);
    const note = this.tellsOfComment ? (desk.notes[this.row.key] ?? "").trim() : "";
    this.noted.hidden = !note;
    mark(this.noted, "title", note || null);
    const reached = current ? desk.point : Math.max(0, desk.placeOf(given, this.row)); // by Tab, one of each row
    this.points.forEach((node, index) => {
      mark(node, "aria-disabled", errors.length > 0);
      mark(node, "aria-checked", String(isChosen(this.row, this.row.points[index], given)));
      mark(node, "tabindex", index === reached ? "0" : "-1");
      node.classList.toggle("ring", current && index === desk.point);
    });
    if (this.pass) mark(this.pass, "aria-pressed", String(given === null));
    this.number?.draw(given ?? undefined);
  }

  stateOf(given, { missing, current, unexplained }) {
    if (missing && unexplained) return phrase("comment_missing");
    if (missing) return missingWord(this.rater.options);
    if (given === null) return ""; // the button pressed says it
    const done = phrase(this.rater.options.name === "pointwise" ? "scored" : "chosen");
    return given !== undefined ? done : current ? phrase("current") : "";
  }

  // No word of a label is broken while another place for the labels leaves it whole.
  keepWordsWhole({ again }) {
    const width = this.choices.clientWidth; // none while a sheet shows another criterion
    if (this.number || !width || (width === this.measuredAt && !again)) return;
    this.measuredAt = width;
    const labels = [...this.choices.querySelectorAll(".point-label")];
    const broken = () => labels.some((label) => label.scrollWidth > label.clientWidth);
    const place = LABEL_PLACES.find((one) => {
      this.choices.dataset.labels = one;
      return !broken();
    });
    this.choices.dataset.labels = place ?? LABEL_PLACES.at(-1);
  }

  focus(point, scroll) {
    const target = this.number ? this.number.field : this.points[point];
    target.focus({ preventScroll: true });
    if (!scroll) return;
    this.root.scrollIntoView({ block: "nearest" });
    target.scrollIntoView({ block: "nearest" }); // where the criterion is higher than the window
  }
}

// A number field with a slider beside it, for scales without single keys.
class NumberField {
  constructor(rater, criterion, pos) {
    const { low, high, step } = criterion;
    const bounds = { min: String(low), max: String(high), step: step === null ? "any" : String(step) };
    const said = phrase("range", { low, high });
    this.field = el("input", {
      type: "number",
      inputmode: "decimal",
      class: "number",
      "aria-label": `${criterion.label}. ${said}`,
      placeholder: "–",
      ...bounds,
      on: {
        input: () => rater.number(pos, this.field.value),
        focus: () => rater.moveTo(pos, { focus: false }),
      },
    });
    this.slider = el("input", {
      type: "range",
      class: "slider",
      tabindex: "-1",
      "aria-label": `${criterion.label}. ${said}`,
      ...bounds,
      step: String(step ?? (high - low) / 100),
      on: { input: () => rater.number(pos, this.slider.value, { write: true }) },
    });
    const end = (value, label) => el("span", { class: "end", dir: "auto", text: [value, label].filter((s) => s !== "").join(" ") });
    this.root = el(
      "div",
      { class: "number-row" },
      this.field,
      el(
        "div",
        { class: "slider-box" },
        this.slider,
        el("div", { class: "ends" }, end(low, criterion.low_label), end(high, criterion.high_label)),
      ),
    );
  }

  draw(score) {
    const text = score === undefined ? "" : String(score);
    // While a person types, "7." is not yet "7": their own text stays.
    if (this.field.getRootNode().activeElement !== this.field && this.field.value !== text) this.field.value = text;
    this.slider.classList.toggle("unset", score === undefined);
    if (score !== undefined && this.slider.value !== text) this.slider.value = text;
  }
}

// The criterion that several rows belong to; a phone shows it with each of them.
function groupOf({ label, question }, id) {
  return el(
    "div",
    { class: "group", id },
    el("span", { class: "group-name", text: label, dir: "auto" }),
    question && el("span", { class: "criterion-question", text: question, dir: "auto" }),
  );
}

function meaningOf(row) {
  const worded = row.points.some((point) => point.anchor);
  if (!worded) return el("div", { class: "meaning" });
  const lines = row.points.map((point) =>
    el(
      "li",
      { "data-value": point.value },
      el("span", { class: "value", text: point.sign }),
      el("span", { dir: "auto", text: point.anchor || point.label }),
    ),
  );
  return el(
    "div",
    { class: "meaning" },
    el("p", { class: "caption", text: phrase("meaning", { label: row.label }) }),
    el("ul", {}, ...lines),
  );
}

function button(text, key, act, picture) {
  return el("button", { type: "button", class: "action", on: { click: act } }, picture, el("span", { text }), kbd(key));
}

// The keys that are used most, where they are used; ? lists them all.
function legend(form, criteria) {
  const own = LEGENDS[form.name](form, criteria).map(([keys, said]) =>
    el("span", { class: "pair" }, ...keyCaps(keys), el("span", { text: ` ${phrase(said)}` })),
  );
  return el("p", { class: "legend" }, ...own, el("span", {}, kbd("?"), el("span", { text: ` ${phrase("all_keys")}` })));
}
