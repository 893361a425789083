"""The palette: contrast as WCAG 2.2 measures it, and roles that stay apart with any common colour vision.

Colour-blind vision is that of Machado, Oliveira and Fernandes (2009) at severity 1; the distance of two colours is
CIEDE2000, tried here on pairs that Sharma, Wu and Dalal (2005) published.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray
from whyformer.lab.drawing import THEMES

Array = NDArray[np.float64]

ROLES = ("query", "key", "value", "score", "gradient")
VISION = {
    "full": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
WHITE = XYZ @ np.ones(3)


def encoded(colour: str) -> Array:
    return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255


def linear(rgb: Array) -> Array:
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def contrast(one: Array, other: Array) -> float:
    low, high = sorted(float(linear(rgb) @ [0.2126, 0.7152, 0.0722]) for rgb in (one, other))
    return (high + 0.05) / (low + 0.05)


def lab(rgb: Array) -> Array:
    """CIELAB of linear RGB."""
    share = XYZ @ rgb / WHITE
    x, y, z = np.where(share > 216 / 24389, np.cbrt(share), (24389 / 27 * share + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def ciede2000(one: Array, other: Array) -> float:
    chroma = (np.hypot(*one[1:]) + np.hypot(*other[1:])) / 2
    stretch = 1.5 - 0.5 * np.sqrt(chroma**7 / (chroma**7 + 25**7))
    (c1, h1), (c2, h2) = (
        (np.hypot(a * stretch, b), np.degrees(np.arctan2(b, a * stretch)) % 360) for _, a, b in (one, other)
    )
    turn = (h2 - h1 + 180) % 360 - 180 if c1 * c2 else 0
    lightness, chroma, hue = (one[0] + other[0]) / 2, (c1 + c2) / 2, np.radians(h1 + turn / 2 if c1 * c2 else h1 + h2)
    by_hue = (
        1
        - 0.17 * np.cos(hue - np.radians(30))
        + 0.24 * np.cos(2 * hue)
        + 0.32 * np.cos(3 * hue + np.radians(6))
        - 0.20 * np.cos(4 * hue - np.radians(63))
    )
    light = (other[0] - one[0]) / (1 + 0.015 * (lightness - 50) ** 2 / np.sqrt(20 + (lightness - 50) ** 2))
    colourful = (c2 - c1) / (1 + 0.045 * chroma)
    turned = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2)) / (1 + 0.015 * chroma * by_hue)
    blue = np.exp(-((((np.degrees(hue) % 360) - 275) / 25) ** 2))
    twist = -2 * np.sqrt(chroma**7 / (chroma**7 + 25**7)) * np.sin(np.radians(60 * blue))
    return float(np.sqrt(light**2 + colourful**2 + turned**2 + twist * colourful * turned))


def seen(colour: str, vision: str) -> Array:
    return lab(np.clip(np.asarray(VISION[vision]) @ linear(encoded(colour)), 0, 1))


@pytest.mark.parametrize(
    ("one", "other", "published"),
    [
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, -1, 2), (50, 0, 0), 2.3669),
        ((50, 2.5, 0), (58, 24, 15), 19.4535),
        ((22.7233, 20.0904, -46.6940), (23.0331, 14.9730, -42.5619), 2.0373),
        ((90.8027, -2.0831, 1.4410), (91.1528, -1.6435, 0.0447), 1.4441),
        ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
    ],
)
def test_the_distance_is_the_published_one(one: Array, other: Array, published: float) -> None:
    assert ciede2000(np.array(one), np.array(other)) == pytest.approx(published, abs=5e-5)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("vision", VISION)
def test_no_two_roles_look_alike(theme: str, vision: str) -> None:
    colours = {role: seen(THEMES[theme][role], vision) for role in ROLES}
    apart = {(a, b): ciede2000(colours[a], colours[b]) for a, b in combinations(ROLES, 2)}
    nearest = min(apart, key=lambda pair: apart[pair])
    assert apart[nearest] >= 9, f"{nearest}: {apart[nearest]:.1f}"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_and_fills_stand_out_from_their_ground(theme: str) -> None:
    colours = {name: encoded(hex_) for name, hex_ in THEMES[theme].items()}
    words: dict[str, tuple[str, tuple[str, ...]]] = {
        role: (f"{role}-text", ("paper", "face", f"{role}-tint")) for role in ROLES
    }
    tints = tuple(f"{role}-tint" for role in ROLES)
    words |= {"link": ("link", ("paper", "face")), "ink": ("ink", ("paper", "face", *tints))}
    words |= {"soft": ("soft", ("paper", "face", *tints))}
    for text, grounds in words.values():
        faint = {ground: round(contrast(colours[text], colours[ground]), 2) for ground in grounds}
        assert min(faint.values()) >= 4.5, f"{text} on {faint}"
    for fill in (*ROLES, "gradient-negative", "edge", "score-map"):
        faint = {ground: round(contrast(colours[fill], colours[ground]), 2) for ground in ("paper", "face")}
        assert min(faint.values()) >= 3, f"{fill} on {faint}"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_number_is_read_on_the_strongest_tint_of_a_cell(theme: str) -> None:
    colours = THEMES[theme]
    for role in (*ROLES, "gradient-negative", "soft"):
        cell = (encoded(colours.get(f"{role}-map", colours[role])) + encoded(colours["face"])) / 2
        assert contrast(encoded(colours["ink"]), cell) >= 4.5, role
