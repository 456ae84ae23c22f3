// What every form of rating has in common. A form turns a unit into rows, each row one choice among points,
// and the choices into what the server is told; desk, keys and scoring know rows only.
function nameOf(place) {
  const [first, last] = [Math.floor(place / 26), place % 26];
  return (first ? nameOf(first - 1) : "") + String.fromCharCode(65 + last);
}

// What a text to rate is called among several, in one word on the whole screen.
function calledBy(task, place) {
  return phrase(task === "summarisation" ? "summary_named" : "answer_named", { name: nameOf(place) });
}

class Form {
  constructor(options, criteria, task) {
    this.options = options;
    this.criteria = criteria;
    this.task = task;
    this.built = new Map();
  }

  // The same rows for every unit of this size, so that the screen is built once.
  rows(item) {
    const size = this.answers(item).length;
    if (!this.built.has(size)) this.built.set(size, this.build(size));
    return this.built.get(size);
  }

  // The texts to rate, in the order shown.
  answers(item) {
    return item?.answers ?? [];
  }

  // One line about the choices so far, where they are worth reading together.
  summary() {
    return "";
  }

  set(given, row, value) {
    given[row.id] = value;
  }

  // Whether what is chosen in this row needs a comment that says why; the server decides it in the same way.
  needsComment(row, given) {
    const { comment_always: always, comment_below: below, comment_above: above } = this.options;
    if (given === undefined || always) return given !== undefined;
    if (typeof given !== "number" || !row.ordered) return false;
    return (below !== null && given < below) || (above !== null && given > above);
  }

  // Keys beside those of the points; returns the place of the point.
  pointOf(row, key) {
    return row.points.findIndex((point) => point.key === key);
  }
}

// Whether a point is chosen: of a set of labels, several can be.
function isChosen(row, point, given) {
  if (row.widget === "set" && point.value) return Boolean(given & point.value);
  return point.value === given;
}

const FORMS = {};

function formOf(data) {
  return new FORMS[data.form.name](data.form, data.criteria, data.project.task);
}
