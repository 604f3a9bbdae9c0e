"""What LOLA looks like: shells, joint modules, hands and feet, made from the lengths between its joints.

All is written in the axes of a person who stands: forward, outward (to the left for what is in the middle) and up, in m
from the origin of each body; `_AXES` says how these lie in the frames of the bodies. Left and right are mirrored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.robot.model import Robot
from footfall.viewer.shells import METAL, RUBBER, Color, Part, lathe, rounded_box

_SHELL: Color = (0.78, 0.79, 0.81, 1.0)
_GREY: Color = (0.58, 0.61, 0.65, 1.0)
_GRAPHITE: Color = (0.20, 0.215, 0.24, 1.0)
_BLUE: Color = (0.0, 0.36, 0.72, 1.0)
_GLASS: Color = (0.03, 0.035, 0.05, 1.0)
_SIDES, _RINGS, _END = 24, 12, 4  # of a loft: around, along, and along its ends
_FORWARD, _OUTWARD, _UP = range(3)
# Axes x, y and z of the frames of bodies, right limbs and the middle: f forward, o outward, u up; large ones backwards.
_AXES = {
    "torso": "fuO",
    "br": "fou",
    "ba": "uoF",
    "hr": "fOu",
    "ha": "UOf",
    "hf": "fUO",
    "kf": "fUO",
    "sa": "UOf",
    "sf": "fUO",
    "zf": "fUO",
    "af": "fUO",
    "aa": "oUf",
    "ar": "ofu",
    "ef": "fUO",
    "vp": "fou",
    "vt": "fuO",
}
_MIDDLE = ("torso", "br", "ba", "vp", "vt")
SEGMENTS = frozenset((*_MIDDLE, *(name + side for name in _AXES if name not in _MIDDLE for side in "rl")))


class Section(NamedTuple):
    """A cross-section of a loft. at: along its axis; half widths and middle along the two other axes, in the order
    forward, outward, up, m."""

    at: float
    half: tuple[float, float]
    middle: tuple[float, float] = (0.0, 0.0)


def lola_parts(robot: Robot) -> dict[str, list[Part]]:
    """Parts of every body of LOLA in its frame, by its name; none for other robots."""
    bodies = {body.name: body for body in robot.bodies}
    if not bodies.keys() >= SEGMENTS:
        return {}
    origins = {joint.child: np.array(joint.placement.translation) for joint in robot.joints}
    found = {}
    for name in SEGMENTS:
        kind, left = (name, False) if name in _MIDDLE else (name[:-1], name.endswith("l"))
        axes = _axes(kind, left)
        below = _BELOW.get(kind)
        length = 0.0
        if below is not None:  # from this joint to the next one
            length = float(np.linalg.norm(origins[below + name[-1]]))
        parts = _LOOKS[kind](length) if below is not None else _LOOKS[kind]()
        found[name] = [_turned(part, axes) for part in parts]
    return found


def _axes(kind: str, left: bool) -> Array:
    """Axes of a body's frame as rows, in those of `Section`."""
    rows = np.zeros((3, 3))
    for row, letter in enumerate(_AXES[kind]):
        sign = -1.0 if letter.isupper() else 1.0
        if left and letter in "fF":  # frames of left limbs are turned by half a turn
            sign = -sign
        rows[row, "fou".index(letter.lower())] = sign
    return rows


def _turned(part: Part, axes: Array) -> Part:
    vertices, triangles, color = part
    mirrored = np.linalg.det(axes) < 0.0
    return vertices @ axes.T, triangles[:, ::-1] if mirrored else triangles, color


# Shapes


def _loft(
    axis: int, sections: Sequence[Section], color: Color, *, square: float = 3.0, ends: float = 0.012
) -> Part:
    """A smooth skin over cross-sections |a|^square + |b|^square = 1, with ends that are round by so many m."""
    from scipy.interpolate import PchipInterpolator

    rows = np.array([(at, *half, *middle) for at, half, middle in sections])
    rows = rows[np.argsort(rows[:, 0])]
    course = PchipInterpolator(rows[:, 0], rows[:, 1:])
    low, high = rows[0, 0], rows[-1, 0]
    angles = np.linspace(0.0, np.pi / 2, _END)
    rise = ends * np.sin(angles)
    places = np.concatenate([low + ends - rise[::-1], np.linspace(low + ends, high - ends, _RINGS)[1:-1]])
    places = np.concatenate([places, high - ends + rise])
    shrunk = ends * (1.0 - np.cos(angles))
    less = np.concatenate([shrunk[::-1], np.zeros(_RINGS - 2), shrunk])
    values = course(np.clip(places, low, high))
    half = np.maximum(values[:, :2] - less[:, None], 1e-4)
    around = _superellipse(square)
    others = [each for each in range(3) if each != axis]
    points = np.zeros((len(places), _SIDES, 3))
    points[:, :, axis] = places[:, None]
    for k, other in enumerate(others):
        points[:, :, other] = values[:, 2 + k, None] + half[:, k, None] * around[None, :, k]
    caps = np.zeros((2, 3))
    caps[:, axis] = places[[0, -1]]
    caps[:, others] = values[[0, -1], 2:]
    triangles = _skin(len(places))
    if axis == _OUTWARD:  # forward and up turn the other way about it
        triangles = triangles[:, ::-1]
    return np.concatenate([points.reshape(-1, 3), caps]), triangles, color


def _superellipse(square: float) -> Array:
    angles = 2 * np.pi * np.arange(_SIDES) / _SIDES
    c, s = np.cos(angles), np.sin(angles)
    radius = (np.abs(c) ** square + np.abs(s) ** square) ** (-1.0 / square)
    return np.column_stack([radius * c, radius * s])


def _skin(rings: int) -> Integers:
    """Triangles between rings of `_SIDES` vertices, closed by two more vertices."""
    here, found = np.arange(_SIDES), []
    after = (here + 1) % _SIDES
    for k in range(rings - 1):
        low, high = k * _SIDES, (k + 1) * _SIDES
        found += [np.column_stack([low + here, low + after, high + after])]
        found += [np.column_stack([low + here, high + after, high + here])]
    last = (rings - 1) * _SIDES
    bottom, top = np.full(_SIDES, rings * _SIDES), np.full(_SIDES, rings * _SIDES + 1)
    found += [np.column_stack([bottom, after, here]), np.column_stack([top, last + here, last + after])]
    return np.concatenate(found)


def _round(
    axis: int, profile: Sequence[tuple[float, float]], at: Sequence[float], color: Color, sides: int = _SIDES
) -> Part:
    """A profile of radius and height turned about an axis through a place."""
    vertices, triangles = lathe(profile, sides)
    order = {_UP: [0, 1, 2], _FORWARD: [2, 0, 1], _OUTWARD: [1, 2, 0]}[axis]
    return vertices[:, order] + np.array(at), triangles, color


def _rod(axis: int, radius: float, span: tuple[float, float], at: Sequence[float], color: Color) -> Part:
    """A cylinder with small bevels, between two places along its axis."""
    low, high = span
    edge = min(0.25 * radius, 0.3 * (high - low))
    profile = [(0.0, low), (radius - edge, low), (radius, low + edge)]
    profile += [(radius, high - edge), (radius - edge, high), (0.0, high)]
    return _round(axis, profile, at, color)


def _ring(axis: int, radius: float, span: tuple[float, float], at: Sequence[float], color: Color) -> Part:
    """A cylinder without bevels, for what is small."""
    low, high = sorted(span)
    profile = [(0.0, low), (radius, low), (radius, high), (0.0, high)]
    return _round(axis, profile, at, color, 8 if radius < 0.006 else _SIDES)


def _module(
    axis: int, radius: float, half: float, at: Sequence[float] = (0.0, 0.0, 0.0), color: Color = _GRAPHITE
) -> list[Part]:
    """A drive: a drum with two blue lines, and caps of metal with screws."""
    r, parts = radius, [_rod(axis, radius, (-half, half), at, color)]
    others = [each for each in range(3) if each != axis]
    for side in (-1.0, 1.0):
        end = side * half
        parts.append(_ring(axis, 0.74 * r, (end, end + side * 0.08 * r), at, METAL))
        parts.append(_ring(axis, 0.30 * r, (end, end + side * 0.12 * r), at, color))
        parts.append(_ring(axis, 1.012 * r, (0.60 * end, 0.68 * end), at, _BLUE))
        for angle in np.pi * np.arange(6) / 3.0:
            screw = list(at)
            for other, share in zip(others, (np.cos(angle), np.sin(angle)), strict=True):
                screw[other] += 0.52 * r * share
            parts.append(_ring(axis, 0.075 * r, (end, end + side * 0.11 * r), screw, color))
    return parts


def _block(size: Sequence[float], at: Sequence[float], color: Color, radius: float = 0.012) -> Part:
    """A box with round edges."""
    vertices, triangles = rounded_box(np.array(size, np.float64), min(radius, 0.45 * min(size)))
    return vertices + np.array(at), triangles, color


# Bodies


def _torso() -> list[Part]:
    chest = [
        Section(0.012, (0.058, 0.066), (0.066, 0.0)),
        Section(0.07, (0.078, 0.088), (0.072, 0.0)),
        Section(0.17, (0.090, 0.105), (0.077, 0.0)),
        Section(0.275, (0.098, 0.116), (0.080, 0.0)),
        Section(0.345, (0.092, 0.110), (0.084, 0.0)),
        Section(0.395, (0.064, 0.074), (0.094, 0.0)),
    ]
    parts = [_loft(_UP, chest, _SHELL, square=3.4, ends=0.022)]
    # A plate on the chest, and one below it: the same skin, a little before it.
    upper = [Section(at, (0.62 * f, 0.66 * o), (m + 0.385 * f, 0.0)) for at, (f, o), (m, _) in chest[2:5]]
    parts.append(_loft(_UP, upper, _GREY, square=4.5, ends=0.02))
    lower = [Section(at, (0.60 * f, 0.58 * o), (m + 0.405 * f, 0.0)) for at, (f, o), (m, _) in chest[:3]]
    lower[-1] = Section(0.155, *lower[-1][1:])
    lower[0] = Section(0.03, *lower[0][1:])
    parts.append(_loft(_UP, lower, _GRAPHITE, square=4.5, ends=0.016))
    parts.append(_block((0.012, 0.070, 0.008), (0.1765, 0.0, 0.300), _BLUE, 0.003))
    # Batteries and computers on its back, with slots.
    parts.append(_block((0.085, 0.175, 0.265), (-0.022, 0.0, 0.215), _GRAPHITE, 0.022))
    parts += [_block((0.006, 0.12, 0.007), (-0.0645, 0.0, 0.16 + 0.022 * k), METAL, 0.002) for k in range(6)]
    # Shoulders: collars in which the arms turn.
    for side in (-1.0, 1.0):
        parts.append(_ring(_OUTWARD, 0.060, (side * 0.09, side * 0.152), (0.108, 0.0, 0.287), _GRAPHITE))
        parts.append(_ring(_OUTWARD, 0.0612, (side * 0.132, side * 0.138), (0.108, 0.0, 0.287), _BLUE))
    neck = [Section(0.375, (0.036, 0.040), (0.104, 0.0)), Section(0.462, (0.028, 0.030), (0.150, 0.0))]
    parts.append(_loft(_UP, neck, _GRAPHITE, square=2.2, ends=0.006))
    return parts


def _waist() -> list[Part]:
    return [
        _rod(_UP, 0.058, (-0.052, 0.020), (0.03, 0.0, 0.0), _GRAPHITE),
        _rod(_UP, 0.060, (-0.012, -0.006), (0.03, 0.0, 0.0), _BLUE),
        _rod(_FORWARD, 0.046, (-0.04, 0.062), (0.058, 0.0, -0.051), _GRAPHITE),
    ]


def _pelvis() -> list[Part]:
    shell = [Section(0.0, (0.060, 0.058), (0.046, -0.075))]
    for side in (-1.0, 1.0):
        shell.append(Section(side * 0.060, (0.056, 0.054), (0.046, -0.080)))
        shell.append(Section(side * 0.112, (0.046, 0.044), (0.044, -0.094)))
    parts = [_loft(_OUTWARD, shell, _SHELL, square=3.2, ends=0.018)]
    parts += _module(_FORWARD, 0.044, 0.064, (0.040, 0.0, -0.022))
    parts.append(_block((0.012, 0.075, 0.045), (0.1035, 0.0, -0.088), _GRAPHITE, 0.006))
    parts.append(_block((0.05, 0.12, 0.07), (-0.012, 0.0, -0.085), _GRAPHITE, 0.016))
    return parts


def _hip_rotation() -> list[Part]:
    parts = [_rod(_UP, 0.046, (0.010, 0.070), (0.0, 0.0, 0.0), _GRAPHITE)]
    parts.append(_rod(_UP, 0.0475, (0.056, 0.062), (0.0, 0.0, 0.0), _BLUE))
    return parts + _module(_FORWARD, 0.036, 0.040, (-0.058, 0.0, 0.045))


def _hip_adduction() -> list[Part]:
    return _module(_FORWARD, 0.050, 0.058)


def _thigh(length: float) -> list[Part]:
    end = -length
    shell = [
        Section(-0.030, (0.050, 0.050)),
        Section(0.22 * end, (0.068, 0.060), (0.006, 0.004)),
        Section(0.45 * end, (0.068, 0.057), (0.006, 0.003)),
        Section(0.70 * end, (0.055, 0.049), (0.001, 0.0)),
        Section(0.87 * end, (0.045, 0.043)),
    ]
    front = [
        Section(0.17 * end, (0.030, 0.034), (0.038, 0.004)),
        Section(0.45 * end, (0.036, 0.034), (0.041, 0.003)),
        Section(0.74 * end, (0.024, 0.026), (0.034, 0.0)),
    ]
    parts = [_loft(_UP, shell, _SHELL, square=2.5, ends=0.014), _loft(_UP, front, _GREY, ends=0.012)]
    parts += _module(_OUTWARD, 0.047, 0.060)
    parts.append(_rod(_UP, 0.0485, (0.89 * end, 0.86 * end), (0.0, 0.0, 0.0), _GRAPHITE))
    for side in (-1.0, 1.0):  # a fork around the knee
        parts.append(_block((0.060, 0.012, 0.115), (0.0, side * 0.042, end + 0.035), _GRAPHITE, 0.006))
        parts.append(_ring(_OUTWARD, 0.045, (side * 0.034, side * 0.050), (0.0, 0.0, end), _GRAPHITE))
        parts.append(_ring(_OUTWARD, 0.033, (side * 0.049, side * 0.054), (0.0, 0.0, end), METAL))
        parts.append(_ring(_OUTWARD, 0.013, (side * 0.049, side * 0.056), (0.0, 0.0, end), _GRAPHITE))
    return parts


def _shank(length: float) -> list[Part]:
    end = -length
    shell = [
        Section(-0.028, (0.040, 0.028)),
        Section(-0.070, (0.046, 0.040), (-0.002, 0.0)),
        Section(0.32 * end, (0.053, 0.046), (-0.008, 0.0)),
        Section(0.55 * end, (0.047, 0.042), (-0.008, 0.0)),
        Section(0.78 * end, (0.036, 0.034), (-0.002, 0.0)),
        Section(0.90 * end, (0.031, 0.031)),
    ]
    shin = [
        Section(0.14 * end, (0.018, 0.024), (0.028, 0.0)),
        Section(0.36 * end, (0.022, 0.026), (0.027, 0.0)),
        Section(0.72 * end, (0.014, 0.019), (0.026, 0.0)),
    ]
    parts = [_loft(_UP, shell, _SHELL, square=2.5, ends=0.012), _loft(_UP, shin, _GREY, ends=0.009)]
    parts.append(_rod(_OUTWARD, 0.041, (-0.033, 0.033), (0.0, 0.0, 0.0), _GRAPHITE))
    parts.append(_rod(_UP, 0.034, (0.935 * end, 0.90 * end), (0.0, 0.0, 0.0), _GRAPHITE))
    for side in (-1.0, 1.0):  # the two drives of the ankle
        at = (-0.047, side * 0.027, 0.0)
        parts.append(_rod(_UP, 0.0155, (0.56 * end, 0.27 * end), at, _GRAPHITE))
        parts.append(_rod(_UP, 0.0165, (0.545 * end, 0.53 * end), at, _BLUE))
        parts.append(_rod(_UP, 0.0075, (0.97 * end, 0.55 * end), at, METAL))
    return parts


def _ankle() -> list[Part]:
    return [
        _rod(_FORWARD, 0.026, (-0.046, 0.046), (0.0, 0.0, 0.0), METAL),
        _rod(_OUTWARD, 0.024, (-0.044, 0.044), (0.0, 0.0, 0.0), _GRAPHITE),
    ]


def _foot() -> list[Part]:
    shell = [
        Section(-0.098, (0.070, 0.016), (0.0, -0.074)),
        Section(-0.060, (0.074, 0.022), (0.0, -0.070)),
        Section(-0.010, (0.072, 0.030), (0.0, -0.064)),
        Section(0.045, (0.072, 0.026), (0.0, -0.068)),
        Section(0.108, (0.070, 0.016), (0.0, -0.074)),
    ]
    parts = [_loft(_FORWARD, shell, _SHELL, square=4.0, ends=0.012)]
    parts.append(_block((0.094, 0.224, 0.026), (-0.0465, 0.0, -0.066), _GREY, 0.010))  # bears the pads
    for side in (-1.0, 1.0):
        parts.append(_block((0.064, 0.014, 0.066), (0.0, side * 0.049, -0.022), _GRAPHITE, 0.006))
        parts.append(_ring(_OUTWARD, 0.020, (side * 0.055, side * 0.060), (0.0, 0.0, 0.0), METAL))
    for place in (-0.075, 0.075):
        parts.append(_block((0.05, 0.022, 0.020), (0.110, place, -0.066), _GRAPHITE, 0.006))
    return parts


def _toes() -> list[Part]:
    cap = [
        Section(-0.026, (0.106, 0.017), (0.0, -0.009)),
        Section(0.015, (0.110, 0.021), (0.0, -0.009)),
        Section(0.064, (0.106, 0.015), (0.0, -0.013)),
    ]
    parts = [_loft(_FORWARD, cap, _BLUE, square=4.5, ends=0.009)]
    parts.append(_rod(_OUTWARD, 0.0085, (-0.113, 0.113), (0.0, 0.0, 0.0), METAL))
    return parts


def _shoulder() -> list[Part]:
    parts = [_rod(_OUTWARD, 0.050, (-0.008, 0.062), (0.0, 0.0, 0.0), _SHELL)]
    parts.append(_rod(_OUTWARD, 0.0512, (0.004, 0.010), (0.0, 0.0, 0.0), _GRAPHITE))
    return parts


def _upper_arm_above() -> list[Part]:
    shell = [
        Section(-0.022, (0.042, 0.040)),
        Section(-0.085, (0.046, 0.043), (0.0, 0.002)),
        Section(-0.192, (0.040, 0.039)),
    ]
    parts = [_loft(_UP, shell, _SHELL, square=2.5, ends=0.012)]
    parts.append(_rod(_UP, 0.0435, (-0.205, -0.186), (0.0, 0.0, 0.0), _GRAPHITE))
    return parts + _module(_FORWARD, 0.044, 0.050)


def _upper_arm(length: float) -> list[Part]:
    end = -length
    shell = [
        Section(-0.203, (0.040, 0.039)),
        Section(0.5 * (end - 0.203), (0.040, 0.038)),
        Section(end + 0.038, (0.033, 0.032)),
    ]
    parts = [_loft(_UP, shell, _SHELL, square=2.5, ends=0.010)]
    parts.append(_rod(_UP, 0.0445, (-0.216, -0.207), (0.0, 0.0, 0.0), _BLUE))
    parts.append(_block((0.050, 0.040, 0.07), (0.0, -0.006, end + 0.028), _GRAPHITE, 0.012))
    return parts


def _forearm() -> list[Part]:
    out = 0.05055  # m: the hand is outside the plane of the elbow
    shell = [
        Section(-0.018, (0.034, 0.032), (0.0, out)),
        Section(-0.085, (0.039, 0.036), (0.0, out)),
        Section(-0.200, (0.034, 0.032), (0.0, out)),
        Section(-0.278, (0.027, 0.027), (0.0, out)),
    ]
    back = [
        Section(-0.05, (0.020, 0.022), (0.0, out + 0.018)),
        Section(-0.13, (0.022, 0.022), (0.0, out + 0.018)),
        Section(-0.23, (0.016, 0.016), (0.0, out + 0.016)),
    ]
    parts = [_loft(_UP, shell, _SHELL, square=2.5, ends=0.012), _loft(_UP, back, _GREY, ends=0.008)]
    parts += _module(_OUTWARD, 0.041, 0.038, (0.0, 0.018, 0.0))
    parts.append(_rod(_UP, 0.031, (-0.292, -0.274), (0.0, out, 0.0), METAL))  # measures forces
    parts.append(_rod(_UP, 0.0318, (-0.286, -0.281), (0.0, out, 0.0), _GRAPHITE))
    # The hand: a ball of 5 cm, of rubber where it touches.
    hand = (0.0, out, -0.345)
    angles = np.linspace(-np.pi / 2, np.pi / 2, 21)
    touches = [(0.05 * np.cos(each), 0.05 * np.sin(each)) for each in angles if each < 0.01]
    holds = [(0.049 * np.cos(each), 0.049 * np.sin(each)) for each in angles if each > 0.01]
    parts.append(_round(_UP, [*touches, (0.0, 0.0)], hand, RUBBER))
    parts.append(_round(_UP, [(0.0, 0.0), *holds], hand, _GREY))
    parts.append(_rod(_UP, 0.0508, (0.0, 0.006), hand, _BLUE))
    return parts


def _neck() -> list[Part]:
    return [
        _rod(_UP, 0.026, (-0.066, -0.012), (0.0, 0.0, 0.0), _GRAPHITE),
        _rod(_UP, 0.0272, (-0.046, -0.041), (0.0, 0.0, 0.0), _BLUE),
        _rod(_OUTWARD, 0.020, (-0.028, 0.028), (0.0, 0.0, 0.0), _GRAPHITE),
    ]


def _head() -> list[Part]:
    shell = [Section(0.0, (0.036, 0.040), (-0.008, 0.048))]
    for side in (-1.0, 1.0):
        shell.append(Section(side * 0.05, (0.036, 0.039), (-0.008, 0.048)))
        shell.append(Section(side * 0.090, (0.026, 0.029), (-0.012, 0.047)))
    visor = [Section(at, (0.012, 0.56 * high), (0.0215, 0.050)) for at, (_, high), _ in shell]
    visor = [each._replace(at=0.86 * each.at) for each in visor]
    parts = [_loft(_OUTWARD, shell, _SHELL, square=3.0, ends=0.016)]
    parts.append(_loft(_OUTWARD, visor, _GLASS, square=4.0, ends=0.006))
    for side in (-1.0, 1.0):
        eye = (0.0, side * 0.046, 0.0505)
        parts.append(_rod(_FORWARD, 0.0165, (0.026, 0.0375), eye, METAL))
        parts.append(_rod(_FORWARD, 0.0120, (0.030, 0.0385), eye, _GLASS))
        parts.append(_ring(_OUTWARD, 0.017, (side * 0.086, side * 0.094), (-0.012, 0.0, 0.047), _BLUE))
    parts.append(_rod(_FORWARD, 0.007, (0.026, 0.0355), (0.0, 0.0, 0.0505), _BLUE))
    parts.append(_rod(_OUTWARD, 0.018, (-0.020, 0.020), (0.0, 0.0, 0.006), _GRAPHITE))
    return parts


_LOOKS: dict[str, Callable[..., list[Part]]] = {
    "torso": _torso,
    "br": _waist,
    "ba": _pelvis,
    "hr": _hip_rotation,
    "ha": _hip_adduction,
    "hf": _thigh,
    "kf": _shank,
    "sa": _ankle,
    "sf": _foot,
    "zf": _toes,
    "af": _shoulder,
    "aa": _upper_arm_above,
    "ar": _upper_arm,
    "ef": _forearm,
    "vp": _neck,
    "vt": _head,
}
_BELOW = {"hf": "kf", "kf": "sa", "ar": "ef"}  # the next joint of a limb
