// Every word a rater reads in the component, in one place.
const WORDS = {
  done: (done, total) => `${done} of ${total} done`,
  timeLeft: (minutes) => (minutes < 1 ? "under a minute left" : `about ${minutes} min left`),
  pace: " at your pace",
  saving: (n) => `Saving ${n}…`,
  saved: (clock) => `Saved ${clock}`,
  late: (n) => `${n} not saved yet, trying again`,
  refused: (why) => `Not stored: ${why}`,
  headings: {
    qa: { question: "Question", answer: "Answer to rate", context: "Text the answer was written from" },
    summarisation: { question: "Task", answer: "Summary to rate", context: "Source text" },
  },
  named: (task, name) => (task === "summarisation" ? `Summary ${name}` : `Answer ${name}`),
  answer: (name) => `Answer ${name}`,
  better: "better",
  muchBetter: "much better",
  tie: "No difference",
  best: "Best",
  worst: "Worst",
  bestEnd: "best",
  worstEnd: "worst",
  order: (names) => `Order so far: ${names}`,
  orderNone: "1 is the best place; equal places are ties.",
  ends: (best, worst) => `Best ${best}, worst ${worst}`,
  pass: "Cannot judge",
  passOf: (label) => `${label}: cannot judge`,
  mark: "Mark evidence",
  marked: "Marked as evidence",
  markKeys: "Arrows choose a word or a sentence, Shift takes more, Enter marks, Esc leaves.",
  unmark: (said) => `Take the mark away: ${said}`,
  announceMarked: (said) => `Marked: ${said}`,
  announceUnmarked: "Mark taken away",
  references: "Reference answers",
  referenceSummaries: "Reference summaries",
  guidelines: "Guideline for this project",
  version: (n) => `version ${n}`,
  words: (n) => `${n.toLocaleString("en")} ${n === 1 ? "word" : "words"}`,
  more: "Show more",
  less: "Show less",
  again: "You rated this one before. It stays as it was until you save a change.",
  flagged: (why) => `Flagged: ${why}`,
  scores: "Scores",
  scored: "scored",
  chosen: "chosen",
  current: "current",
  missing: "score missing",
  choiceMissing: "choice missing",
  meaning: (label) => `${label}: what each point means`,
  comment: "Comment, if the score needs a reason",
  choiceComment: "Comment, if the choice needs a reason",
  allKeys: "all keys",
  addComment: "Comment",
  range: (low, high) => `A number from ${low} to ${high}`,
  submit: "Submit",
  change: "Save changes",
  left: (n) => `Submit · ${n} ${n === 1 ? "criterion" : "criteria"} left`,
  choicesLeft: (n) => `Submit · ${n} ${n === 1 ? "choice" : "choices"} left`,
  next: (label) => `Next: ${label}`,
  skip: "Skip",
  flag: "Flag",
  undo: "Undo",
  flagTitle: "Flag this answer",
  flagWhy: "What is wrong with it? The researcher reads this. The answer stays on your screen.",
  flagSave: "Flag",
  unflag: "Take the flag away",
  cancel: "Cancel",
  close: "Close",
  keysTitle: "Keys",
  checking: "Checking your scores…",
  goOn: "Go on",
  verdict: (label, said, known, right) =>
    right && said === known ? `${label}: ${said}, right` : right ? `${label}: you said ${said}, expected ${known}; close enough` : `${label}: you said ${said}, expected ${known}`,
  pause: "Pause",
  paused: "Paused",
  pausedUntil: (clock) => `What lies on your screen is kept for you until ${clock}. Everything before is saved.`,
  pauseOver: (clock) => `The pause ended at ${clock}; what lay on your screen may have gone to other raters. Your ratings are saved.`,
  resume: "Go on",
  keep: "Keep them",
  leaseEnds: (clock) => `Are you still there? In ${clock} these answers go to other raters.`,
  leaseOver: "The time for these answers is over; other raters may get them. What you submit now is still kept.",
  ownHow: "Time spent on answers; silences of more than a minute are left out.",
  loading: "Fetching the next answers…",
  announceNext: "Next answer",
  announceMissing: (labels) => `Missing: ${labels}`,
};

const FORM_KEYS = {
  pointwise: [
    [["0", "…", "9"], "give this score and move on"],
    [["↑", "↓"], "another criterion"],
    [["←", "→"], "another point"],
  ],
  pairwise: [
    [["1", "A"], "the first one is better"],
    [["2", "="], "no difference"],
    [["3", "B"], "the second one is better"],
    [["↑", "↓"], "another criterion"],
    [["←", "→"], "towards the first or the second one"],
  ],
  pairwiseStrength: [
    [["1"], "the first one is much better"],
    [["2", "A"], "the first one is better"],
    [["3", "="], "no difference"],
    [["4", "B"], "the second one is better"],
    [["5"], "the second one is much better"],
    [["↑", "↓"], "another criterion"],
    [["←", "→"], "towards the first or the second one"],
  ],
  ranking: [
    [["1", "…", "9"], "give this place and move on; the same place twice is a tie"],
    [["↑", "↓"], "another answer"],
    [["←", "→"], "a better or a worse place"],
  ],
  best_worst: [
    [["1", "…", "9"], "name the best answer, then the worst"],
    [["↑", "↓"], "from best to worst and back"],
    [["←", "→"], "another answer"],
  ],
};

// The same in short, under the buttons.
const LEGENDS = {
  pointwise: (form, criteria) => {
    const values = criteria.flatMap((c) => (c.widget === "number" ? [] : c.points.map((p) => p.value)));
    const digits = [[[`${Math.min(...values)}–${Math.max(...values)}`], "score and move on"]];
    return [...(values.length ? digits : []), [["↑", "↓"], "criterion"], [["←", "→"], "point"]];
  },
  pairwise: ({ strength }) => [
    [strength ? ["1", "2"] : ["1"], "first"],
    [strength ? ["3"] : ["2"], "no difference"],
    [strength ? ["4", "5"] : ["3"], "second"],
    [["↑", "↓"], "criterion"],
  ],
  ranking: () => [
    [["1–9"], "place, next answer"],
    [["↑", "↓"], "answer"],
    [["←", "→"], "place"],
  ],
  best_worst: () => [
    [["1–9"], "best, then worst"],
    [["↑", "↓"], "best or worst"],
    [["←", "→"], "answer"],
  ],
};

const KEYS = [
  [["Enter"], "submit, once nothing is missing"],
  [["S"], "skip; it comes back at the end"],
  [["U"], "undo: the last one comes back as you left it"],
  [["F"], "flag it for the researcher"],
  [["/"], "comment on the criterion in hand; Enter or Esc leaves the field"],
  [["R"], "open or close the references"],
  [["C"], "open or close the text behind the answer"],
  [["G"], "open or close the guideline"],
  [["P"], "pause; what lies on your screen is kept for you"],
  [["?"], "this list"],
];
const PASS_KEY = [["X"], "cannot judge this criterion"];
const MARK_KEY = [["E"], "mark the selected text as evidence, or choose words and sentences by arrows"];

function keysOf(form, criteria) {
  const own = FORM_KEYS[form.name === "pairwise" && form.strength ? "pairwiseStrength" : form.name];
  const pass = form.name === "pointwise" && criteria.some((criterion) => criterion.may_pass);
  const rest = KEYS.filter(([[key]]) => key !== "/" || form.comment);
  return [...own, ...(pass ? [PASS_KEY] : []), ...(asksEvidence(form) ? [MARK_KEY] : []), ...rest];
}

function asksEvidence(form) {
  return form.name === "pointwise" && form.evidence;
}

function missingWord(form) {
  return form.name === "pointwise" ? WORDS.missing : WORDS.choiceMissing;
}
