// What a rater reads in the component: templates that the server gives in the reader's language (words.py),
// and for what is counted one template for each plural form.
const SPOKEN = { language: "en", direction: "ltr", said: {}, counted: {} };
const PLACE = /\{(\w+)\}/g;
const ISOLATE = ["\u2068", "\u2069"]; // keeps a name from reordering a sentence written the other way

function speak(words) {
  Object.assign(SPOKEN, words, { rules: new Intl.PluralRules(words.language) });
}

function rightToLeft() {
  return SPOKEN.direction === "rtl";
}

function phrase(name, values = {}) {
  return filledIn(SPOKEN.said[name], values);
}

function countedPhrase(name, n) {
  const forms = SPOKEN.counted[name];
  return filledIn(forms[SPOKEN.rules.select(n)] ?? forms.other, { n });
}

function filledIn(template, values) {
  return template.replace(PLACE, (_, name) => writtenAs(values[name]));
}

// Counts look as those that come in the server's sentences: 1,462, in digits that the keyboard has.
function writtenAs(value) {
  if (typeof value === "number") return value.toLocaleString("en");
  return rightToLeft() && value ? `${ISOLATE[0]}${value}${ISOLATE[1]}` : String(value);
}

// The time of today, the day and time of another day.
function dateOf(date) {
  if (date.toDateString() === new Date().toDateString()) return clockOf(date, { timeStyle: "short" });
  return date.toLocaleString(SPOKEN.language, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", numberingSystem: "latn", hourCycle: "h23" });
}

function clockOf(date, options = { timeStyle: "medium" }) {
  return date.toLocaleTimeString(SPOKEN.language, { ...options, numberingSystem: "latn", hourCycle: "h23" });
}

const ACROSS = ["←", "→"];
const FORM_KEYS = {
  pointwise: [
    [["0", "…", "9"], "key_score"],
    [["↑", "↓"], "key_criterion"],
    [ACROSS, "key_point"],
  ],
  pairwise: [
    [["1", "A"], "key_first"],
    [["2", "="], "key_tie"],
    [["3", "B"], "key_second"],
    [["↑", "↓"], "key_criterion"],
    [ACROSS, "key_towards"],
  ],
  pairwiseStrength: [
    [["1"], "key_much_first"],
    [["2", "A"], "key_first"],
    [["3", "="], "key_tie"],
    [["4", "B"], "key_second"],
    [["5"], "key_much_second"],
    [["↑", "↓"], "key_criterion"],
    [ACROSS, "key_towards"],
  ],
  ranking: [
    [["1", "…", "9"], "key_place"],
    [["↑", "↓"], "key_answer"],
    [ACROSS, "key_other_place"],
  ],
  best_worst: [
    [["1", "…", "9"], "key_best"],
    [["↑", "↓"], "key_ends"],
    [ACROSS, "key_answer"],
  ],
};

// The same in short, under the buttons.
const LEGENDS = {
  pointwise: (form, criteria) => {
    const pointed = criteria.filter(({ widget }) => widget !== "number" && widget !== "spans");
    const values = pointed.flatMap((c) => c.points.map((p) => Number(p.key ?? p.value)));
    const several = criteria.length > 1; // else there is nothing to move on to before Enter
    const score = several ? "short_score" : "short_one_score";
    const digits = [[[`${Math.min(...values)}–${Math.max(...values)}`], score]];
    const another = several ? [[["↑", "↓"], "short_criterion"]] : [];
    const errors = marksErrors(criteria) ? [[["E"], "short_error"], [["0"], "short_no_errors"]] : [];
    return [...errors, ...(values.length ? [...digits, ...another, [ACROSS, "short_point"]] : another)];
  },
  pairwise: ({ strength }) => [
    [strength ? ["1", "2"] : ["1"], "short_first"],
    [strength ? ["3"] : ["2"], "key_tie"],
    [strength ? ["4", "5"] : ["3"], "short_second"],
    [["↑", "↓"], "short_criterion"],
  ],
  ranking: () => [
    [["1–9"], "short_place"],
    [["↑", "↓"], "short_answer"],
    [ACROSS, "short_other_place"],
  ],
  best_worst: () => [
    [["1–9"], "short_best"],
    [["↑", "↓"], "short_ends"],
    [ACROSS, "short_answer"],
  ],
};

const KEYS = [
  [["Enter"], "key_submit"],
  [["S"], "key_skip"],
  [["U"], "key_undo"],
  [["F"], "key_flag"],
  [["/"], "key_comment"],
  [["Q"], "key_question"],
  [["M"], "key_typed"],
  [["R"], "key_references"],
  [["C"], "key_context"],
  [["G"], "key_guidelines"],
  [["W"], "key_messages"],
  [["P"], "key_pause"],
  [["?"], "key_list"],
];
const PASS_KEY = [["X"], "key_pass"];
const MARK_KEY = [["E"], "key_mark"];
const ERROR_KEYS = [
  [["E"], "key_error"],
  [["1", "…", "9"], "key_error_kind"],
  [["0"], "key_no_errors"],
];
const PAIR_KEYS = [
  [["D"], "key_differences"],
  [["T"], "key_apart"],
  [["V"], "key_other_text"],
];

function keysOf(form, criteria, questions) {
  const own = FORM_KEYS[form.name === "pairwise" && form.strength ? "pairwiseStrength" : form.name];
  const pass = form.name === "pointwise" && criteria.some((criterion) => criterion.may_pass);
  const offered = { "/": form.comment, M: form.formatted, S: form.skip, Q: questions.length > 0 };
  const rest = KEYS.filter(([[key]]) => offered[key] ?? true);
  const marking = [...(asksEvidence(form) ? [MARK_KEY] : []), ...(marksErrors(criteria) && rates(form) ? ERROR_KEYS : [])];
  const texts = [...marking, ...(comparesTwo(form) ? PAIR_KEYS : [])];
  return [...own, ...(pass ? [PASS_KEY] : []), ...texts, ...rest];
}

// The keys side by side as they lie on the keyboard: the left arrow at the left in every language.
function keyCaps(keys) {
  return (keys === ACROSS && rightToLeft() ? [...keys].reverse() : keys).map(kbd);
}

function rates(form) {
  return form.name === "pointwise";
}

function asksEvidence(form) {
  return rates(form) && form.evidence;
}

function marksErrors(criteria) {
  return criteria.some(({ widget }) => widget === "spans");
}

function comparesTwo(form) {
  return form.name === "pairwise";
}

function missingWord(form) {
  return phrase(form.name === "pointwise" ? "score_missing" : "choice_missing");
}
