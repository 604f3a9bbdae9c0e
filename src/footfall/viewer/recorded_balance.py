"""Balance of a recorded walk: where its masses were and should have been, friction cones, traces of feet and hands; and
where the robot should have been, as a ghost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.kinematics import frame_pose
from footfall.gait.poses import HANDS
from footfall.recording.reader import Recording
from footfall.viewer.limb_forces import Ground, foot_and_hand_forces, show_cones
from footfall.viewer.timeline import latest_row
from footfall.viewer.walk_layers import (
    PARTS,
    TRACE_SECONDS,
    TRACE_STEP,
    FrictionCones,
    Ghost,
    Traces,
    add_marks,
)
from footfall.walking.body import FEET

_COURSES = {  # signals of which lines are drawn, and their colours: what was planned is paler
    "center": (46, 139, 87),
    "planned_center": (152, 204, 174),
    "zmp": (20, 20, 20),
    "planned_zmp": (160, 160, 160),
}
_LAYERS = {  # what each needs, and what it is
    "Balance": ("masses", "centre of mass (green) and zero-moment point (black)"),
    "Courses": ("masses", "of both, three seconds around now; paler: as they were planned"),
    "Friction cones": ("limbs", "green holds, red slips"),
    "Traces": ("limbs", "of feet and hands, the last twelve seconds"),
    "Ghost: set points": ("wanted", "where the controller wanted the robot to be"),
}
_WANTED = ("wanted_base", "wanted_joints")  # signals: a configuration, in two parts
_SHOWN_TIME = 3.0  # s before and after an instant, of these lines
_FRICTION = 0.8  # where a recording knows of no ground


class RecordedBalance:
    """Nodes of a recording's balance, and their controls; nothing for recordings of what does not walk. frames: of its
    feet and hands, by landmark."""

    def __init__(self, scene: Any, recording: Recording, frames: Mapping[str, str]) -> None:
        known = recording.signals.values
        size = sum(len(np.atleast_2d(known[name].T)) for name in _WANTED if name in known)
        self._scene, self._recording, self._frames = scene, recording, frames
        self._known = {
            "masses": {"center", "zmp"} <= set(known),
            "limbs": set(PARTS) <= set(known) and {*FEET, *HANDS} <= set(frames),
            "wanted": {*_WANTED} <= set(known) and size <= recording.robot.nq,
        }
        self._boxes: dict[str, Any] = {}
        self._marks: dict[str, Any] = {}
        self._lines: dict[str, Any] = {}
        self._cones: FrictionCones | None = None
        self._traces: Traces | None = None
        self._ghost = Ghost(scene, recording.robot, "/ghost", size=size)
        self._aside: Any = None
        self._ground = Ground(recording.scene.fixed_objects if recording.scene else ())
        self._places: dict[int, Array] = {}  # of feet and hands, by rows of the recording

    def add_controls(self, gui: Any, redraw: Callable[[], None]) -> None:
        """Put the controls onto the page."""
        for word, (wanted, hint) in _LAYERS.items():
            if self._known[wanted]:
                self._boxes[word] = gui.add_checkbox(word, False, hint=hint)
                self._boxes[word].on_update(lambda _: redraw())
        if self._known["wanted"]:
            self._aside = gui.add_slider("ghost aside, m", -1.5, 1.5, 0.1, 0.0)
            self._aside.on_update(lambda _: redraw())

    def show(self, now: float, q: Array) -> None:
        """Draw an instant, s, with the configuration q (nq,) that the robot had."""
        table = self._recording.signals
        row = latest_row(table.time, now) if len(table.time) else -1
        self._show_marks(row)
        self._show_courses(now)
        self._show_cones(row, q)
        self._show_traces(now)
        self._show_ghost(row, q)

    def _wants(self, word: str) -> bool:
        return word in self._boxes and bool(self._boxes[word].value)

    def _show_marks(self, row: int) -> None:
        shown = self._wants("Balance") and row >= 0
        if shown and not self._marks:
            self._marks = add_marks(self._scene)
        for mark, signal in zip(self._marks.values(), ("center", "zmp"), strict=False):
            mark.visible = shown
            if shown:
                mark.position = self._recording.signals.values[signal][row]

    def _show_courses(self, now: float) -> None:
        table, shown = self._recording.signals, self._wants("Courses")
        for name, color in _COURSES.items():
            if shown and name in table.values and name not in self._lines:
                self._lines[name] = self._scene.add_line_segments(
                    f"/courses/{name}",
                    np.zeros((1, 2, 3), np.float32),
                    color,
                    thickness=2.0,
                    thickness_units="screen",
                )
        first, last = np.searchsorted(table.time, (now - _SHOWN_TIME, now + _SHOWN_TIME))
        for name, line in self._lines.items():
            points = table.values[name][first:last]
            points = points[np.isfinite(points).all(axis=1)]
            line.visible = shown and len(points) > 1
            if line.visible:
                line.points = np.stack([points[:-1], points[1:]], axis=1).astype(np.float32)

    def _show_cones(self, row: int, q: Array) -> None:
        shown = self._wants("Friction cones") and row >= 0
        if shown and self._cones is None:
            self._cones = FrictionCones(self._scene, len(PARTS))
        if self._cones is None:
            return
        self._cones.root.visible = shown
        if shown:
            robot, values = self._recording.robot, self._recording.signals.values
            contacts = foot_and_hand_forces(
                robot, self._frames, q, {part: values[part][row] for part in PARTS}
            )
            weight = robot.mass * (float(np.linalg.norm(robot.gravity)) or 9.81)
            show_cones(self._cones, contacts, self._ground, friction=_FRICTION, weight=weight)

    def _show_traces(self, now: float) -> None:
        shown = self._wants("Traces")
        if shown and self._traces is None:
            self._traces = Traces(self._scene)
        if self._traces is None:
            return
        self._traces.root.visible = shown
        if shown:
            count = np.arange(
                max(np.ceil((now - TRACE_SECONDS) / TRACE_STEP), 0), np.floor(now / TRACE_STEP) + 1
            )
            rows = np.unique(np.searchsorted(self._recording.time, count * TRACE_STEP, side="right") - 1)
            rows = rows[rows >= 0]
            if len(rows) > 1:
                self._traces.draw(np.array([self._limbs_at(int(row)) for row in rows]))

    def _show_ghost(self, row: int, q: Array) -> None:
        """What else moves in the scene is where it was, and not drawn again."""
        values, wanted = self._recording.signals.values, np.full(1, np.nan)
        if self._wants("Ghost: set points") and row >= 0:
            wanted = np.concatenate([np.atleast_1d(values[name][row]) for name in _WANTED])
        if np.isfinite(wanted).all():
            self._ghost.show(np.concatenate([wanted, q[len(wanted) :]]), float(self._aside.value))
        else:
            self._ghost.hide()

    def _limbs_at(self, row: int) -> Array:
        """Where feet and hands were, (4, 3) m; computed once."""
        if row not in self._places:
            robot = self._recording.robot
            q = np.ascontiguousarray(self._recording.q[row][: robot.nq])
            poses = [frame_pose(robot, q, self._frames[landmark]) for landmark in (*FEET, *HANDS)]
            self._places[row] = np.array([pose.translation for pose in poses])
        return self._places[row]
