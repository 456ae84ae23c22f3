"""The colours and symbols of charts, light and dark; each kind of rater has its own everywhere."""

from __future__ import annotations

from dataclasses import dataclass

from judgelab.domain import RaterKind


@dataclass(frozen=True)
class Palette:
    """The colours of one theme; contrast was measured on its paper."""

    paper: str
    surface: str
    ink: str
    muted: str
    accent: str
    tint: str
    on_accent: str
    rule: str
    control: str
    metric: str
    attention: str
    wrong: str
    grid: str
    band: str
    categorical: tuple[str, ...]
    sequential: tuple[str, ...]
    is_dark: bool

    def kind_colour(self, kind: RaterKind) -> str:
        """Return the colour of a kind of rater: people ink, judges accent, metrics grey."""
        return {"human": self.ink, "judge": self.accent, "metric": self.metric}[kind]


SYMBOLS: dict[RaterKind, str] = {"human": "circle", "judge": "diamond", "metric": "square-open"}

LIGHT = Palette(
    is_dark=False,
    paper="#FBFBF9",
    surface="#F1F3EF",
    ink="#1A2225",
    muted="#566266",
    accent="#0F5A6B",
    tint="#E3EDEE",
    on_accent="#FFFFFF",
    rule="#D8DCD6",
    control="#868F8E",
    metric="#7A8588",
    attention="#9A4A10",
    wrong="#A3262A",
    grid="#E6E9E4",
    band="rgba(26,34,37,0.11)",
    categorical=("#0F5A6B", "#C46A1B", "#6F7FD6", "#4A1230"),
    sequential=(
        "#F1F4F3",
        "#DCE7E8",
        "#C4D8DB",
        "#AAC8CD",
        "#8FB6BE",
        "#73A3AE",
        "#568F9C",
        "#397A89",
        "#1E6677",
        "#0C4654",
    ),
)

DARK = Palette(
    is_dark=True,
    paper="#12181A",
    surface="#1B2326",
    ink="#E4E9E9",
    muted="#9DAAAC",
    accent="#6CBFD1",
    tint="#1D3238",
    on_accent="#0B1214",
    rule="#2F3A3D",
    control="#6B787B",
    metric="#8B989B",
    attention="#E8A065",
    wrong="#F09087",
    grid="#253033",
    band="rgba(228,233,233,0.13)",
    categorical=("#6CBFD1", "#D98A3D", "#7C83E0", "#F3E3C0"),
    sequential=(
        "#192225",
        "#1D2D32",
        "#213A41",
        "#274953",
        "#2E5966",
        "#386B7A",
        "#457F90",
        "#5696A8",
        "#6CB0C2",
        "#9AD6E4",
    ),
)


def palette(theme: str | None) -> Palette:
    """Return the dark colours if `theme` is "dark", else the light ones."""
    return DARK if theme == "dark" else LIGHT
