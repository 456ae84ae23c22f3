// The right side: the criteria, what their points mean, comment and buttons. On a phone it is the sheet.
class Scoring {
  constructor(rater, criteria) {
    this.rater = rater;
    this.rows = criteria.map((criterion, pos) => new CriterionRow(rater, criterion, pos));
    this.tabs = criteria.map((criterion, pos) =>
      el(
        "button",
        { type: "button", class: "tab", tabindex: "-1", on: { click: () => rater.moveTo(pos) } },
        el("span", { class: "tab-name", text: criterion.label }),
        el("span"),
      ),
    );
    this.meanings = criteria.map((criterion) => meaningOf(criterion));
    this.comment = el("textarea", {
      class: "comment",
      rows: "1",
      dir: "auto",
      maxlength: "5000",
      placeholder: WORDS.comment,
      "aria-label": WORDS.comment,
      "data-role": "comment",
      on: { input: () => rater.comment(this.comment.value) },
    });
    const field = el("div", { class: "comment-field" }, this.comment, kbd("/"));
    this.submitText = el("span");
    this.submit = el(
      "button",
      { type: "button", class: "submit", "data-testid": "submit", on: { click: () => rater.submitOrNext() } },
      this.submitText,
      kbd("Enter"),
    );
    this.undo = button(WORDS.undo, "U", () => rater.undo());
    const actions = el(
      "div",
      { class: "actions" },
      button(WORDS.skip, "S", () => rater.skip()),
      button(WORDS.flag, "F", () => rater.view.openFlag(), icon("flag")),
      this.undo,
    );
    this.root = el(
      "section",
      { class: `scoring${criteria.length > 3 ? " many" : ""}${criteria.length > 4 ? " most" : ""}`, "aria-label": WORDS.scores },
      el("div", { class: "tabs", "aria-hidden": "true" }, ...this.tabs),
      el("div", { class: "criteria" }, ...this.rows.map((row) => row.root)),
      el("div", { class: "meanings" }, ...this.meanings),
      el("div", { class: "foot" }, field, el("div", { class: "buttons" }, this.submit, actions), legend(criteria)),
    );
  }

  draw(desk) {
    this.rows.forEach((row, pos) => row.draw(desk, pos));
    this.meanings.forEach((node, pos) => this.drawMeaning(node, desk, pos));
    this.tabs.forEach((tab, pos) => this.drawTab(tab, desk, pos));
    this.drawSubmit(desk);
    this.undo.disabled = !desk.history.length;
    const note = desk.notes[desk.criterion.key] ?? "";
    if (this.comment.value !== note) this.comment.value = note;
  }

  drawMeaning(node, desk, pos) {
    node.classList.toggle("shown", pos === desk.pos);
    if (pos !== desk.pos) return;
    const score = desk.scores[desk.criterion.key];
    for (const line of node.querySelectorAll("[data-value]")) {
      line.classList.toggle("chosen", Number(line.dataset.value) === score);
    }
  }

  drawTab(tab, desk, pos) {
    const score = desk.scores[desk.criteria[pos].key];
    put(tab.lastChild, score === undefined ? "" : `· ${score}`);
    tab.className = `tab${pos === desk.pos ? " current" : ""}${score === undefined ? "" : " scored"}`;
  }

  drawSubmit(desk) {
    const left = desk.missing;
    const elsewhere = left.find((criterion) => criterion !== desk.criterion);
    const ready = left.length === 0;
    let text = desk.item.again ? WORDS.change : WORDS.submit;
    if (!ready) text = this.rater.onPhone() && elsewhere ? WORDS.next(elsewhere.label) : WORDS.left(left.length);
    put(this.submitText, text);
    const moves = this.rater.onPhone() && desk.scores[desk.criterion.key] !== undefined;
    this.submit.classList.toggle("ready", ready || moves);
  }

  focus(desk) {
    this.rows[desk.pos].focus(desk.point);
  }
}

class CriterionRow {
  constructor(rater, criterion, pos) {
    this.rater = rater;
    this.criterion = criterion;
    this.pos = pos;
    this.state = el("span", { class: "state" });
    this.points = criterion.points.map((point, index) => this.pointButton(point, index));
    this.number = criterion.widget === "number" ? new NumberField(rater, criterion, pos) : null;
    const heading = el("span", { class: "criterion-name", id: `criterion-${pos}`, text: criterion.label });
    const note = el("button", {
      type: "button",
      class: "note-button",
      text: WORDS.addComment,
      on: { click: () => rater.view.showComment() },
    });
    const choices = this.number
      ? this.number.root
      : el(
          "div",
          {
            class: "points",
            role: "radiogroup",
            "aria-labelledby": `criterion-${pos}`,
            style: `--points: ${criterion.points.length}`,
          },
          ...this.points,
        );
    this.root = el(
      "div",
      { class: "criterion", "data-testid": `criterion-${criterion.key}` },
      el("div", { class: "criterion-head" }, heading, this.state, note),
      criterion.question && el("p", { class: "criterion-question", dir: "auto", text: criterion.question }),
      choices,
    );
    this.root.addEventListener("click", () => rater.moveTo(pos));
  }

  pointButton(point, index) {
    return el(
      "button",
      {
        type: "button",
        class: "point",
        role: "radio",
        tabindex: "-1",
        "aria-checked": "false",
        "aria-label": [point.value, point.label, point.anchor].filter((said) => said !== "").join(". "),
        title: point.anchor || undefined,
        on: { click: (event) => this.click(event, index) },
      },
      el("span", { class: "value", text: String(point.value) }),
      point.label && el("span", { class: "point-label", text: point.label, dir: "auto" }),
    );
  }

  click(event, index) {
    event.stopPropagation();
    this.rater.choose(this.pos, index);
  }

  draw(desk, pos) {
    const score = desk.scores[this.criterion.key];
    const current = pos === desk.pos;
    const missing = desk.complained && score === undefined;
    this.root.className = `criterion${current ? " current" : ""}${missing ? " missing" : ""}`;
    put(this.state, missing ? WORDS.missing : score !== undefined ? WORDS.scored : current ? WORDS.current : "");
    this.points.forEach((node, index) => {
      mark(node, "aria-checked", String(this.criterion.points[index].value === score));
      mark(node, "tabindex", current && index === desk.point ? "0" : "-1");
      node.classList.toggle("ring", current && index === desk.point);
    });
    this.number?.draw(score);
  }

  focus(point) {
    const target = this.number ? this.number.field : this.points[point];
    target.focus({ preventScroll: true });
    this.root.scrollIntoView({ block: "nearest" });
  }
}

// A number field with a slider beside it, for scales without single keys.
class NumberField {
  constructor(rater, criterion, pos) {
    const { low, high, step } = criterion;
    const bounds = { min: String(low), max: String(high), step: step === null ? "any" : String(step) };
    const said = WORDS.range(low, high);
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
    const end = (value, label) => el("span", { class: "end", text: [value, label].filter((s) => s !== "").join(" ") });
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

function meaningOf(criterion) {
  const lines = criterion.points.map((point) =>
    el(
      "li",
      { "data-value": point.value },
      el("span", { class: "value", text: String(point.value) }),
      el("span", { dir: "auto", text: point.anchor || point.label }),
    ),
  );
  const worded = criterion.points.some((point) => point.anchor);
  return el(
    "div",
    { class: "meaning" },
    worded && el("p", { class: "caption", text: WORDS.meaning(criterion.label) }),
    worded && el("ul", {}, ...lines),
  );
}

function button(text, key, act, picture) {
  return el("button", { type: "button", class: "action", on: { click: act } }, picture, el("span", { text }), kbd(key));
}

function legend(criteria) {
  const values = criteria.flatMap((c) => (c.widget === "number" ? [] : c.points.map((p) => p.value)));
  const digits = values.length
    ? el(
        "span",
        {},
        kbd(String(Math.min(...values))),
        document.createTextNode("–"),
        kbd(String(Math.max(...values))),
        el("span", { text: " score and move on" }),
      )
    : null;
  return el(
    "p",
    { class: "legend" },
    digits,
    el("span", { class: "pair" }, kbd("↑"), kbd("↓"), el("span", { text: " criterion" })),
    el("span", { class: "pair" }, kbd("←"), kbd("→"), el("span", { text: " point" })),
    el("span", {}, kbd("?"), el("span", { text: " all keys" })),
  );
}
