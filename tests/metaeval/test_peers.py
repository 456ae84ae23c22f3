"""Strengths beside choix's, Krippendorff's alpha beside krippendorff's, MASI beside nltk's."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from judgelab.metaeval.coefficients.alpha import krippendorff_alpha
from judgelab.metaeval.core.label_sets import masi_alpha, masi_distance
from judgelab.metaeval.judges.bradley_terry import bradley_terry

PEERS = json.loads(Path(__file__).with_name("choix_and_krippendorff.json").read_text(encoding="utf-8"))
MASI = json.loads(Path(__file__).with_name("nltk_masi.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", PEERS["choix"])
def test_strengths_are_choix_s(name: str) -> None:
    peer = PEERS["choix"][name]
    names = [str(number) for number in range(len(peer["wins"]))]
    fitted = bradley_terry(np.array(peer["wins"]), names)
    assert fitted.prior == peer["prior"]
    assert [fitted.strength[system].value for system in names] == pytest.approx(peer["strength"], abs=1e-6)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
@pytest.mark.parametrize("name", PEERS["krippendorff"])
def test_alpha_is_krippendorff_s(name: str, level: str) -> None:
    peer = PEERS["krippendorff"][name]
    labels = np.array(
        [[np.nan if letter == "." else int(letter) for letter in row] for row in peer["labels"]]
    )
    units = np.broadcast_to(np.arange(labels.shape[1]), labels.shape)
    alpha = krippendorff_alpha(units.ravel(), labels.ravel(), level=level)
    assert alpha.value == pytest.approx(peer["alpha"][level], abs=1e-6)


def test_masi_is_nltks() -> None:
    one, other, distance = np.array(MASI["distances"]).T
    assert masi_distance(one, other) == pytest.approx(distance, abs=1e-9)


@pytest.mark.parametrize("name", MASI["rated"])
def test_alpha_with_masis_distance_is_nltks(name: str) -> None:
    rated = MASI["rated"][name]
    assert masi_alpha(np.array(rated["unit"]), rated["set"]) == pytest.approx(rated["alpha"], abs=1e-9)
