// What the project asks beside its criteria: texts, numbers, one or several options, some only after a certain answer.
const COMPARES = {
  "<=": (a, b) => a <= b,
  ">=": (a, b) => a >= b,
  "!=": (a, b) => a !== b,
  "<": (a, b) => a < b,
  ">": (a, b) => a > b,
  "=": (a, b) => a === b,
};

// The questions asked for these scores and answers, as the server decides it too.
function askedOf(questions, given, answers) {
  const open = new Set();
  const keys = new Set(questions.map((question) => question.key));
  return questions.filter(({ key, when }) => {
    if (when) {
      if (keys.has(when.of) && !open.has(when.of)) return false;
      if (!holds(when, keys.has(when.of) ? answers[when.of] : given[when.of])) return false;
    }
    open.add(key);
    return true;
  });
}

function holds({ operator, value, in_set: inSet }, given) {
  if (given === undefined || given === null || given === "") return false;
  if (Array.isArray(given)) return given.includes(value) === (operator === "=");
  if (inSet) return Boolean(given & value) === (operator === "=");
  return typeof given === typeof value && COMPARES[operator](given, value);
}

// The answers that the questions can still have: an option may have been taken away since.
function fittingAnswers(questions, answers = {}) {
  const fits = ({ key, options }) => {
    const answer = answers?.[key];
    if (!options.length || answer === undefined) return [key, answer];
    return [key, Array.isArray(answer) ? answer.filter((one) => options.includes(one)) : options.includes(answer) ? answer : undefined];
  };
  return Object.fromEntries(questions.map(fits).filter(([, answer]) => answer !== undefined));
}

function isAnswered(answer) {
  if (typeof answer === "string") return Boolean(answer.trim());
  return Array.isArray(answer) ? answer.length > 0 : answer !== undefined && answer !== null;
}

class Questions {
  constructor(rater, questions) {
    this.rater = rater;
    this.fields = questions.map((question, place) => new QuestionField(rater, question, place));
    this.root = el("div", { class: "extra-questions", role: "group", "aria-label": phrase("questions") }, ...this.fields.map((field) => field.root));
  }

  draw(desk) {
    const asked = new Set(desk.askedQuestions.map((question) => question.key));
    for (const field of this.fields) {
      field.root.hidden = !asked.has(field.question.key);
      field.draw(desk.answers[field.question.key], desk.complained);
    }
    this.root.hidden = asked.size === 0;
  }

  focus(key) {
    this.fields.find((field) => field.question.key === key)?.focus();
  }
}

class QuestionField {
  constructor(rater, question, place) {
    this.question = question;
    const name = `question-${place}`;
    const write = (value) => rater.answer(question.key, value);
    this.state = el("span", { class: "state" });
    const label = el("span", { id: name, class: "extra-text", dir: "auto", text: question.text });
    this.inputs = [];
    this.field = this.build(question, name, write);
    this.root = el("div", { class: "extra-question", "data-testid": `question-${question.key}` }, el("div", { class: "extra-head" }, label, this.state), this.field);
  }

  build({ kind, options, required }, name, write) {
    const labelled = { "aria-labelledby": name, "aria-required": String(required), "data-role": "question" };
    if (kind === "text") {
      const text = el("textarea", { ...labelled, rows: "2", maxlength: "5000", on: { input: () => write(text.value) } });
      writtenFrom(text);
      this.inputs = [text];
      return text;
    }
    if (kind === "number") {
      const number = el("input", { ...labelled, type: "number", step: "any", inputmode: "decimal", class: "number" });
      number.addEventListener("input", () => write(number.value === "" ? undefined : Number(number.value)));
      this.inputs = [number];
      return number;
    }
    const type = kind === "choice" ? "radio" : "checkbox";
    this.inputs = options.map((option) => el("input", { type, name, value: option, "data-role": "question" }));
    const chosen = () => this.inputs.filter((input) => input.checked).map((input) => input.value);
    for (const input of this.inputs) {
      input.addEventListener("change", () => write(kind === "choice" ? chosen()[0] : chosen()));
    }
    const lines = this.inputs.map((input) => el("label", {}, input, el("span", { dir: "auto", text: input.value })));
    const one = kind === "choice"; // a group of boxes cannot be required for a screen reader
    const role = one ? "radiogroup" : "group";
    return el("div", { class: "options", role, "aria-labelledby": name, "aria-required": one && String(required) }, ...lines);
  }

  draw(answer, complained) {
    const missing = complained && this.question.required && !isAnswered(answer);
    this.root.classList.toggle("missing", missing);
    put(this.state, missing ? phrase("missing_answer") : this.question.required ? phrase("required_answer") : "");
    const [first] = this.inputs;
    if (this.question.options.length) {
      for (const input of this.inputs) input.checked = Array.isArray(answer) ? answer.includes(input.value) : answer === input.value;
    } else if (first.getRootNode().activeElement !== first) {
      const text = answer === undefined || answer === null ? "" : String(answer);
      if (first.value !== text) first.value = text;
      if (this.question.kind === "text") directed(first);
    }
  }

  focus() {
    const target = this.inputs.find((input) => input.checked) ?? this.inputs[0];
    target.focus({ preventScroll: true });
    this.root.scrollIntoView({ block: "nearest" });
  }
}
