"""The tab of the ground plane: soles, centre of mass, divergent component and zero-moment point as they are now."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.kinematics import frame_pose
from footfall.viewer.docks.dock import Dock
from footfall.viewer.walk_history import WalkHistory
from footfall.viewer.walk_scene import q_of
from footfall.walking.body import FEET
from footfall.walking.session import WalkSession

if TYPE_CHECKING:
    from footfall.viewer.walk_panel import WalkPanel

_SIZE, _REACH = 300.0, 0.55  # pixels of the picture, m from its middle to its border
_SECONDS = 2.0  # that are drawn
_SOLES, _PRESSED = ("#c44e52", "#4c72b0"), 0.05  # colours; share of the weight from which on a sole is filled
_COLORS = {"centre of mass": "#2e8b57", "divergent component": "#8172b3", "zero-moment point": "#141414"}
_BINS, _HIGH = 30, 60.0  # of the histogram, pixels


class GroundDock(Dock):
    """A look from above, heading up, and how long control periods take."""

    title = "Ground"

    def __init__(self, gui: Any, panel: WalkPanel) -> None:
        super().__init__(gui, panel)
        self.picture: Any = gui.add_html("")
        self.periods: Any = gui.add_html("")

    def refresh(self, session: WalkSession) -> None:
        if session.walker.period == 0:
            return
        self.picture.content = ground_picture(session, self._panel.history)
        self.periods.content = histogram([1e6 * each for each in self._panel.periods])


def ground_picture(session: WalkSession, history: WalkHistory) -> str:
    """An SVG of the ground around the robot, in the axes of its heading."""
    body, walker = session.code.body, session.walker
    q = np.ascontiguousarray(q_of(session)[: body.robot.nq])
    feet = [frame_pose(body.robot, q, body.model.frames[name]) for name in FEET]
    ahead = feet[0].rotation[:2, 0] + feet[1].rotation[:2, 0]
    ahead = ahead / max(float(np.linalg.norm(ahead)), 1e-9)
    middle = 0.5 * (feet[0].translation + feet[1].translation)[:2]
    turned = np.array([[ahead[1], -ahead[0]], [ahead[0], ahead[1]]])  # to the right and ahead

    def placed(points: Array) -> str:
        at = (np.atleast_2d(points)[:, :2] - middle) @ turned.T * (0.5 * _SIZE / _REACH)
        return " ".join(f"{0.5 * _SIZE + x:.1f},{0.5 * _SIZE - y:.1f}" for x, y in at)

    rear, front, right, left = body.model.sole
    corners = np.array([(rear, right), (front, right), (front, left), (rear, left)])
    weight, drawn = walker.gains.mass * walker.gains.gravity, list[str]()
    for foot, part, color in zip(feet, ("right_foot", "left_foot"), _SOLES, strict=True):
        sole = corners @ foot.rotation[:2, :2].T + foot.translation[:2]
        filled = 0.3 if walker.latest[part][2] > _PRESSED * weight else 0.0
        drawn.append(
            f'<polygon points="{placed(sole)}" stroke="{color}" fill="{color}" fill-opacity="{filled}"/>'
        )
    for name, points in _courses(history, walker.gains.gravity).items():
        color = _COLORS[name]
        line = placed(points)
        drawn.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-opacity="0.5"/>')
        x, y = line.split()[-1].split(",")
        drawn.append(f'<circle cx="{x}" cy="{y}" r="4" fill="{color}"><title>{name}</title></circle>')
    ruler = 0.1 * 0.5 * _SIZE / _REACH
    drawn.append(
        f'<path d="M8 {_SIZE - 8} h{ruler:.1f}" stroke="#5b6b7f"/>'
        f'<text x="8" y="{_SIZE - 12}" font-size="10" fill="#5b6b7f">10 cm</text>'
    )
    words = " ".join(f'<span style="color:{color}">&#9679;</span> {name}' for name, color in _COLORS.items())
    return (
        f'<div style="padding:0 .75em;font-size:.78em"><svg viewBox="0 0 {_SIZE:g} {_SIZE:g}" '
        f'style="width:100%;background:#f4f6f9">{"".join(drawn)}</svg>{words}</div>'
    )


def _courses(history: WalkHistory, gravity: float) -> dict[str, Array]:
    """Of the last seconds, (n, 2) each, m; the divergent component is c + c' / sqrt(g / z)."""
    time, center, zmp = (history.last(name, _SECONDS) for name in ("time", "center", "zmp"))
    if len(time) < 2:
        return {}
    height = max(float(center[-1, 2]), 0.05)
    rate = np.gradient(center, time, axis=0)
    diverging = center + rate / math.sqrt(gravity / height)
    found = {"centre of mass": center, "divergent component": diverging, "zero-moment point": zmp}
    return {name: points[:, :2] for name, points in found.items() if np.isfinite(points[:, :2]).all()}


def histogram(values: Sequence[float]) -> str:
    """An SVG of how often a control period took how long, us."""
    if len(values) < 2:
        return ""
    top = float(np.percentile(values, 99.0)) * 1.2 + 1e-9
    counts, _ = np.histogram(np.clip(values, 0.0, top), bins=_BINS, range=(0.0, top))
    wide, most = _SIZE / _BINS, max(int(counts.max()), 1)
    bars = "".join(
        f'<rect x="{k * wide:.1f}" y="{_HIGH * (1 - count / most):.1f}" width="{wide - 1:.1f}" '
        f'height="{_HIGH * count / most:.1f}" fill="#4c72b0"/>'
        for k, count in enumerate(counts)
    )
    text = f"median {np.median(values):.0f}, largest {max(values):.0f} us of processor time a control period"
    return (
        f'<div style="padding:.5em .75em;font-size:.78em"><svg viewBox="0 0 {_SIZE:g} {_HIGH:g}" '
        f'style="width:100%;background:#f4f6f9">{bars}</svg>0 to {top:.0f} us; {text}</div>'
    )
