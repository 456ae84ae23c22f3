// Two answers side by side: one is better, or there is no difference.
FORMS.pairwise = class extends Form {
  build() {
    const better = (choice, sign) => ({ value: choice, sign, label: phrase("better"), anchor: "" });
    const much = (choice, sign) => ({ value: `${choice}+`, sign, label: phrase("much_better"), anchor: "" });
    const tie = { value: "tie", sign: "", label: phrase("tie"), anchor: "" };
    const points = this.options.strength
      ? [much("first", "A"), better("first", "A"), tie, better("second", "B"), much("second", "B")]
      : [better("first", "A"), tie, better("second", "B")];
    const keyed = points.map((point, index) => ({ ...point, key: String(index + 1) }));
    return this.criteria.map(({ key, label, question }) => ({
      id: key,
      key,
      label,
      question,
      widget: "points",
      points: keyed,
    }));
  }

  pointOf(row, key) {
    const value = { a: "first", b: "second", "=": "tie", 0: "tie" }[key.toLowerCase()];
    return value ? row.points.findIndex((point) => point.value === value) : super.pointOf(row, key);
  }

  read(said) {
    const chosen = ({ choice, strength }) => (strength > 1 ? `${choice}+` : choice);
    return Object.fromEntries(Object.entries(said.choices ?? {}).map(([key, one]) => [key, chosen(one)]));
  }

  say(given) {
    const choice = (value) => ({ choice: value.replace("+", ""), strength: value.endsWith("+") ? 2 : 1 });
    return { choices: Object.fromEntries(Object.entries(given).map(([key, value]) => [key, choice(value)])) };
  }
};
