// One answer, a score for each criterion.
FORMS.pointwise = class extends Form {
  answers() {
    return [];
  }

  build() {
    return this.criteria.map((criterion) => ({
      ...criterion,
      id: criterion.key,
      points: criterion.points.map((point) => {
        const key = point.key ?? String(point.value);
        return { ...point, sign: key, key };
      }),
    }));
  }

  // A label of a set is switched on or off; with the last one off, nothing is said yet.
  set(given, row, value) {
    if (row.widget !== "set" || value === 0) return super.set(given, row, value);
    const left = (given[row.id] ?? 0) ^ value;
    if (left) given[row.id] = left;
    else delete given[row.id];
  }

  read(said) {
    return { ...said.scores };
  }

  say(given) {
    return { scores: { ...given } };
  }
};
