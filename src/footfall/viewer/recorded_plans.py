"""Plans and beliefs of a recorded walk: footprints and hands of the plan that was followed at an instant, or of any
version; terrain and objects as the robot knew them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.math.rotations import rotate_by_quaternion
from footfall.recording.reader import Recording
from footfall.viewer.environment_panel import BY_CONFIDENCE, BY_HEIGHT, add_terrain
from footfall.viewer.plan_drawing import LEFT, LIFT, RIGHT, add_hands, add_prints
from footfall.viewer.plan_tree import PlanRow, PlanTree, kept_poses
from footfall.walking.recorded import read_belief_map

_NOT = "not shown"
_SOLE = (-0.08, 0.17, -0.05, 0.05)  # m, where a recording does not tell
_OBJECT, _OBJECT_OPACITY = (0.80, 0.35, 0.35), 0.35
_MOST_OBJECTS = 200  # objects


class RecordedPlans:
    """Nodes of a recording's plans and beliefs, and their controls; nothing for recordings without."""

    def __init__(self, scene: Any, recording: Recording) -> None:
        self._scene = scene
        self._plans = [
            (event.time, event.data)
            for event in recording.events
            if event.name == "plan" and _is_plan(event.data)
        ]
        self._maps = [(event.time, event.data) for event in recording.events if event.name == "belief"]
        self._objects = [
            (event.time, event.data) for event in recording.events if event.name == "environment"
        ]
        self._shown: tuple[Any, ...] = ()
        self._nodes: list[Any] = []
        self.tree: PlanTree | None = None
        self.seen: Any = None
        self.beliefs: Any = None

    def add_controls(self, gui: Any, redraw: Callable[[], None]) -> None:
        """Put the controls onto the page."""
        if self._plans:
            with gui.add_folder("Plans"):
                self.seen = gui.add_checkbox("Footprints and hands", True)
                self.tree = PlanTree(gui, "the one that is followed", redraw)
            self.tree.offer([_plan_row(k, data) for k, (_, data) in enumerate(self._plans)])
            self.seen.on_update(lambda _: redraw())
        if self._maps or self._objects:
            self.beliefs = gui.add_dropdown(
                "Believed", (_NOT, BY_HEIGHT, BY_CONFIDENCE, "objects"), initial_value=_NOT
            )
            self.beliefs.on_update(lambda _: redraw())

    def show(self, now: float) -> None:
        """Draw what was planned and believed at an instant, s."""
        plan = self._chosen(now)
        hidden: frozenset[int] = frozenset() if self.tree is None else self.tree.hidden
        by = _NOT if self.beliefs is None else str(self.beliefs.value)
        known = None if by not in (BY_HEIGHT, BY_CONFIDENCE) else _latest(self._maps, now)
        things = _latest(self._objects, now) if by == "objects" else None
        shown = (plan, hidden, by, known, things)
        if shown == self._shown:
            return
        self._shown = shown
        for node in self._nodes:
            node.remove()
        self._nodes = []
        if plan is not None:
            self._nodes += self._add_plan(self._plans[plan][1], hidden)
        if known is not None:
            window = read_belief_map(self._maps[known][1])
            if window is not None and np.isfinite(window.mean).any():
                self._nodes.append(add_terrain(self._scene, "/beliefs/terrain", window, by, opacity=0.75))
        if things is not None:
            self._nodes += self._add_objects(things)

    def _chosen(self, now: float) -> int | None:
        if self.tree is None or not self.seen.value:
            return None
        chosen = self.tree.version
        return chosen if chosen is not None and chosen < len(self._plans) else _latest(self._plans, now)

    def _add_plan(self, data: Mapping[str, Any], hidden: frozenset[int]) -> list[Any]:
        rear, front, right, left = data["sole"] if len(data.get("sole", ())) == 4 else _SOLE
        local = np.array([[rear, right, LIFT], [front, right, LIFT], [front, left, LIFT], [rear, left, LIFT]])
        nodes = []
        for side, color in (("R", RIGHT), ("L", LEFT)):
            corners = [
                np.array(foot["position"]) + rotate_by_quaternion(np.array(foot["rotation"]), local)
                for foot in kept_poses(data["feet"], hidden)
                if str(foot["foot"]).startswith(side)
            ]
            if corners:
                nodes += add_prints(self._scene, f"/plan/{side}", np.array(corners), color, 0.5)
        hands = [
            (tuple(hand["position"]), LEFT if str(hand["hand"]).startswith("L") else RIGHT)
            for hand in data.get("hands", ())
            if hand["step"] not in hidden
        ]
        return nodes + add_hands(self._scene, "/plan/hand", hands)

    def _add_objects(self, until: int) -> list[Any]:
        """Boxes around all objects that were known by then."""
        boxes: dict[str, tuple[Array, Array]] = {}
        for _, data in self._objects[: until + 1]:
            for each in data.get("changed", ()):
                boxes[str(each["id"])] = (np.array(each["lower"], float), np.array(each["upper"], float))
            for name in data.get("removed", ()):
                boxes.pop(str(name), None)
        return [
            self._scene.add_box(
                f"/beliefs/{k}",
                dimensions=tuple(np.maximum(upper - lower, 1e-3)),
                position=(lower + upper) / 2,
                color=_OBJECT,
                opacity=_OBJECT_OPACITY,
                cast_shadow=False,
            )
            for k, (lower, upper) in enumerate(list(boxes.values())[:_MOST_OBJECTS])
        ]


def _plan_row(number: int, data: Mapping[str, Any]) -> PlanRow:
    poses = []
    for k, foot in enumerate(data["feet"]):
        hands = "".join(f", {hand['hand']}" for hand in data.get("hands", ()) if hand["step"] == k)
        x, y, *_ = foot["position"]
        poses.append(f"{foot['foot']} at {x:.2f}, {y:.2f} m{hands}")
    times = [(word, data.get(name)) for word, name in (("asked at", "asked"), ("from", "begins"))]
    text = ", ".join(f"{word} {value:.2f} s" for word, value in times if isinstance(value, (int, float)))
    return PlanRow(number, str(data.get("about", "a plan")), text or "a plan", tuple(poses))


def _latest(events: list[tuple[float, Any]], now: float) -> int | None:
    """The last event that is not later than an instant, None if all are."""
    return max((k for k, (time, _) in enumerate(events) if time <= now + 1e-9), default=None)


def _is_plan(data: Any) -> bool:
    """Whether an event is a plan as walks record them; files may say anything."""
    try:
        return all(
            np.isfinite([*foot["position"], *foot["rotation"]]).all() and len(foot["rotation"]) == 4
            for foot in data["feet"]
        ) and all(len(hand["position"]) == 3 and hand["step"] >= 0 for hand in data.get("hands", ()))
    except (KeyError, TypeError, ValueError):
        return False
