// One answer, a score for each criterion.
FORMS.pointwise = class extends Form {
  answers() {
    return [];
  }

  build() {
    return this.criteria.map((criterion) => ({
      ...criterion,
      id: criterion.key,
      points: criterion.points.map((point) => ({ ...point, sign: String(point.value), key: String(point.value) })),
    }));
  }

  read(said) {
    return { ...said.scores };
  }

  say(given) {
    return { scores: { ...given } };
  }
};
