"""Tabs by which a robot is told what to do, and by which it is disturbed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from footfall.scene.load import load_scene
from footfall.viewer.docks.dock import Dock
from footfall.viewer.docks.signal_form import SignalForm, send_form
from footfall.viewer.held_drive import SpeedLimits, Velocity
from footfall.walking.session import WalkSession
from footfall.walking.signals import MOTIONS

if TYPE_CHECKING:
    from footfall.viewer.walk_panel import WalkPanel

_MOTIONS = tuple(sorted(str(kind.__struct_config__.tag) for kind in MOTIONS))
_SIDES = {
    "behind": 0.0,
    "right": 90.0,
    "ahead": 180.0,
    "left": -90.0,
}  # degrees of a push that comes from there
# What axes of a gamepad change of steps: the axis, and by which share of itself at its ends: lower and higher, shorter
# and longer. Planner and generator must know of the same duration, or steps are longer than a velocity asks for.
_GAIT = {
    "motion.foot.step_height_m": (0, 0.5, 2.0),
    "planner.timing.transition_s": (1, 0.2, 0.5),
    "motion.phase.transition_s": (1, 0.2, 0.5),
}
_GAIT_INTERVAL = 0.5  # s, simulated, at least between two changes: every one is a signal of the walk
_WHEN = ("now", "at touch-down", "in mid-swing")


class WalkDock(Dock):
    """Velocities, goals and motions."""

    title = "Walk"

    def __init__(self, gui: Any, panel: WalkPanel) -> None:
        super().__init__(gui, panel)
        with gui.add_folder("Drive"):
            self.forward: Any = gui.add_slider("ahead, m/s", -0.25, 0.6, 0.05, 0.0)
            self.left: Any = gui.add_slider("to the left, m/s", -0.15, 0.15, 0.01, 0.0)
            self.turn: Any = gui.add_slider("turn, rad/s", -0.4, 0.4, 0.05, 0.0)
            for slider in (self.forward, self.left, self.turn):
                slider.on_update(lambda event: self.drive() if event.client is not None else None)
            gui.add_button("Stop", color="red").on_click(lambda _: self._stop())
        with gui.add_folder("Goal"):
            goal = load_scene(panel.session.asked.scene).goal
            x, y, yaw = 2.0, 0.0, 0.0
            if goal is not None:
                x, y = (round(float(each), 3) for each in goal.translation[:2])
                yaw = round(math.degrees(math.atan2(goal.rotation[1, 0], goal.rotation[0, 0])), 1)
            self.x: Any = gui.add_number("x, m", x, min=-50.0, max=50.0, step=0.05)
            self.y: Any = gui.add_number("y, m", y, min=-50.0, max=50.0, step=0.05)
            self.yaw: Any = gui.add_number("yaw, degrees", yaw, min=-180.0, max=180.0, step=5.0)
            gui.add_button("Plan").on_click(lambda _: panel.aim(*self._goal()))
            gui.add_button("Walk there", color="green").on_click(lambda _: self._walk_there())
        with gui.add_folder("Motions"):
            self.motion: Any = gui.add_dropdown("motion", _MOTIONS)
            self.form = SignalForm(gui, gui.add_folder("Options"))
            self.motion.on_update(lambda _: self.form.show(str(self.motion.value), panel.session))
            gui.add_button("Perform", color="green").on_click(lambda _: self.perform())

    def take(self, session: WalkSession) -> None:
        self.form.show(str(self.motion.value), session)

    def drive(self) -> None:
        """Walk as the sliders say."""
        forward, left, turn = (float(each.value) for each in (self.forward, self.left, self.turn))
        self._panel.drive(Velocity(forward, left, turn))

    def perform(self) -> None:
        """Do the motion that is chosen."""
        if self.form.word != str(self.motion.value):
            self.form.show(str(self.motion.value), self._panel.session)
        send_form(self.form, self._panel)

    def _goal(self) -> tuple[float, float, float]:
        return float(self.x.value), float(self.y.value), math.radians(float(self.yaw.value))

    def _walk_there(self) -> None:
        x, y, yaw = self._goal()
        self._panel.wish(lambda session: session.walk_to(x, y, yaw))

    def _stop(self) -> None:
        self.forward.value = self.left.value = self.turn.value = 0.0
        self._panel.stop()


class DisturbDock(Dock):
    """Kicks, loads and slippery ground."""

    title = "Disturb"

    def __init__(self, gui: Any, panel: WalkPanel) -> None:
        super().__init__(gui, panel)
        with gui.add_folder("Kick"):
            self.impulse: Any = gui.add_slider("N s", 1, 60, 1, 8)
            self.direction: Any = gui.add_number(
                "direction, degrees",
                0.0,
                min=-180.0,
                max=180.0,
                step=5.0,
                hint="where it is pushed to: 0 is ahead, 90 to the left",
            )
            sides = gui.add_button_group("from", tuple(_SIDES))
            sides.on_click(lambda _: self._choose_side(str(sides.value)))
            self.when: Any = gui.add_dropdown("when", _WHEN)
            gui.add_button("Kick", color="orange").on_click(lambda _: self.kick())
        with gui.add_folder("Load"):
            names = tuple(each.name for each in panel.session.code.body.robot.bodies)
            self.loaded: Any = gui.add_dropdown("body", names)
            self.mass: Any = gui.add_slider("kg", 0.0, 20.0, 0.5, 0.0)
            gui.add_button("Hang on").on_click(lambda _: self._load())
        with gui.add_folder("Ground"):
            self.friction: Any = gui.add_slider("friction of all", 0.05, 1.2, 0.05, 0.8)
            gui.add_button("Change").on_click(lambda _: self._rub())
        gui.add_markdown("Drag the robot to pull it; *Box* above the view puts boxes down, drag them.")

    def take(self, session: WalkSession) -> None:
        bodies = tuple(each.name for each in session.code.body.robot.bodies)
        if tuple(self.loaded.options) != bodies:
            self.loaded.options = bodies
            self.loaded.value = session.code.body.body_of("UB")

    def kick(self) -> None:
        """Push as the controls say."""
        direction, when = math.radians(float(self.direction.value)), str(self.when.value)
        self._panel.kick(float(self.impulse.value), direction, when=when if when in _WHEN else "now")

    def _choose_side(self, side: str) -> None:
        self.direction.value = _SIDES.get(side, 0.0)

    def _load(self) -> None:
        body, mass = str(self.loaded.value), float(self.mass.value)
        self._panel.wish(lambda session: session.happen("load", body=body, mass=mass))

    def _rub(self) -> None:
        friction = float(self.friction.value)
        self._panel.wish(lambda session: session.happen("surface", friction=friction))


class GamepadDock(Dock):
    """How fast keys, stick and gamepad are, and what they say."""

    title = "Gamepad"

    def __init__(self, gui: Any, panel: WalkPanel) -> None:
        super().__init__(gui, panel)
        limits = panel.held.limits
        self.fast: Any = gui.add_slider("ahead, m/s", 0.05, 0.6, 0.05, limits.ahead)
        self.side: Any = gui.add_slider("to the sides, m/s", 0.02, 0.2, 0.01, limits.side)
        self.turn: Any = gui.add_slider("turn, rad/s", 0.05, 0.6, 0.05, limits.turn)
        for slider in (self.fast, self.side, self.turn):
            slider.on_update(lambda _: self._limit())
        self.careful: Any = gui.add_checkbox(
            "stop before things",
            initial_value=True,
            hint="keys, stick and gamepad lead neither onto nor into things, nor down edges; goals do",
        )
        gui.add_markdown(
            "These are speeds of a full stick, and of keys. *Left stick* walks, *right stick* turns, and lifts feet "
            "higher or lower; the *triggers* make steps take shorter (left) or longer (right). **B** or circle stops, "
            " *back* resets, *start* pauses. A gamepad that is connected is named beside the keys; browsers see "
            "it after its first button."
        )

    def take(self, session: WalkSession) -> None:
        self._usual = {name: float(session.parameters[name]) for name in _GAIT}
        self._sent, self._sent_at = dict(self._usual), -math.inf

    def shape_steps(self, session: WalkSession, shares: tuple[float, float]) -> None:
        """Let steps be as high and as long as axes of a gamepad say, as before when they are let go."""
        wanted = dict(self._usual)
        for name, (axis, less, more) in _GAIT.items():
            share = shares[axis]
            if share != 0.0:
                wanted[name] = round(self._usual[name] * (1.0 + share * (more if share > 0.0 else less)), 3)
        if wanted == self._sent or session.time - self._sent_at < _GAIT_INTERVAL:
            return
        for name, value in wanted.items():
            if value != self._sent[name]:
                session.set(name, value)
        self._sent, self._sent_at = wanted, session.time

    def _limit(self) -> None:
        fast, side, turn = (float(each.value) for each in (self.fast, self.side, self.turn))
        limits = self._panel.held.limits
        self._panel.held.limits = SpeedLimits(fast, min(limits.back, fast), side, turn)
