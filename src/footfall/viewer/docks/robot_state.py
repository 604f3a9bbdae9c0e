"""Tabs of what the robot itself says: wrenches, joints and drives; stabilisation; signals; parameters."""

from __future__ import annotations

import json
import math
from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.viewer.docks.dock import Dock, as_table, as_text, read_json
from footfall.viewer.docks.signal_form import SignalForm, send_form
from footfall.viewer.parameter_limits import describe_parameter
from footfall.viewer.walk_layers import PARTS
from footfall.walking.hardware import Stage
from footfall.walking.hardware_setup import trouble_of
from footfall.walking.session import WalkSession
from footfall.walking.signals import WORDS

if TYPE_CHECKING:
    from footfall.viewer.walk_panel import WalkPanel

_NEAR_LIMIT = 3.0  # degrees to a joint's limit, from which on it is red
_MOST_SENT = 14
# What can be switched and scaled of the stabilisation: parameters that are gains.
_CONTROLS = {
    "Force control of feet": "gains.force_rate",
    "Force control of hands": "gains.hand_rate",
    "Balance by the centre of mass": "gains.balance_rate",
    "Balance by footholds": "gains.step_share",
    "Steps that catch it": "gains.catching_step",
    "Arms against momentum": "gains.momentum_weight",
    "Torques ahead (feed-forward)": "gains.feed_forward",
}


class HardwareDock(Dock):
    """Wrenches of feet and hands, joints with their limits and torques, drives."""

    title = "Hardware"

    def __init__(self, gui: Any, panel: WalkPanel) -> None:
        super().__init__(gui, panel)
        with gui.add_folder("Wrenches"):
            self.wrenches: Any = gui.add_html("")
        with gui.add_folder("Drives"):
            self.drives: Any = gui.add_html("")
        with gui.add_folder("Joints"):
            self.joints: Any = gui.add_html("")

    def refresh(self, session: WalkSession) -> None:
        if session.walker.period == 0:
            return
        last = session.walker.latest
        rows = [
            (part.replace("_", " "), *(f"{value:.1f}" for value in np.array(last[part]))) for part in PARTS
        ]
        self.wrenches.content = as_table(("", "fx", "fy", "fz N", "tx", "ty", "tz Nm"), rows)
        self._show_joints(session)
        self._show_drives(session, last)

    def _show_joints(self, session: WalkSession) -> None:
        walker, body = session.walker, session.code.body
        robot, q, v = body.robot, walker.arrays[0].q, walker.arrays[0].v
        effort = walker.brain.state.effort
        strength = _strengths(session)
        rows, marked = [], []
        low, high = robot.limits()
        for k, name in enumerate(body.joint_names):
            place, rate = robot.q_slice(name), robot.v_slice(name)
            lower, upper = (math.degrees(float(each[place][0])) for each in (low, high))
            angle = math.degrees(float(q[place][0]))
            marked.append(min(angle - lower, upper - angle) < _NEAR_LIMIT)
            cells = [
                name,
                f"{angle:.1f}",
                f"{lower:.0f} .. {upper:.0f}",
                f"{math.degrees(float(v[rate][0])):.0f}",
                f"{effort[k]:.1f}",
            ]
            rows.append([*cells, f"{strength[k]:.0%}"] if strength is not None else cells)
        head = ("", "deg", "limits", "deg/s", "Nm")
        self.joints.content = as_table(head if strength is None else (*head, "current"), rows, marked)

    def _show_drives(self, session: WalkSession, last: Any) -> None:
        walker = session.walker
        if walker.options.mode != "full":
            self.drives.content = as_text(
                "Mode is reduced: joints follow their set points. Choose mode full for drives."
            )
            return
        stage = Stage(int(walker.hardware.state.stage[0])).name.lower()
        trouble = trouble_of(walker.hardware, walker.code.body)
        self.drives.content = as_text(
            f"servos: {stage}",
            f"trouble: {trouble or 'none'}",
            f"largest joint error: {math.degrees(float(last['tracking'])):.2f} degrees",
            f"largest current: {100.0 * float(last['strain']):.0f} % of the motor's",
            f"frames of the bus lost: {int(last['lost_frames'])}",
        )


def _strengths(session: WalkSession) -> Any:
    """Currents (joints,) as shares of what motors bear, the largest of each joint; None without drives."""
    walker = session.walker
    if walker.options.mode != "full":
        return None
    settings, drives = walker.hardware.settings, walker.arrays[0].drives
    found = np.zeros(len(session.code.body.joint_names))
    shares = np.abs(drives[settings.current]) / settings.strongest
    np.maximum.at(found, settings.motor_joints, shares)
    return found


class BalanceDock(Dock):
    """What of the stabilisation is at work, and how strongly; how well it does."""

    title = "Balance"

    def __init__(self, gui: Any, panel: WalkPanel) -> None:
        super().__init__(gui, panel)
        self.switches: dict[str, tuple[Any, Any]] = {}
        for label, name in _CONTROLS.items():
            with gui.add_folder(label):
                on: Any = gui.add_checkbox("on", True)
                factor: Any = gui.add_slider("factor", 0.1, 2.0, 0.1, 1.0)
            self.switches[name] = (on, factor)
            for control in (on, factor):
                control.on_update(
                    lambda event, name=name: self.change(name) if event.client is not None else None
                )
        self.state: Any = gui.add_html("", order=-1.0)

    def take(self, session: WalkSession) -> None:
        self._usual = session.parameters
        for on, factor in self.switches.values():
            on.value, factor.value = True, 1.0

    def change(self, name: str) -> None:
        """Set a gain as its switch and its slider say."""
        on, factor = self.switches[name]
        value = float(self._usual[name]) * (float(factor.value) if on.value else 0.0)
        self._panel.wish(lambda session: session.set(name, value))

    def refresh(self, session: WalkSession) -> None:
        if session.walker.period == 0:
            return
        last = session.walker.latest
        error, tilt = (1e3 * np.array(last["dcm_error"])[:2], np.degrees(np.array(last["tilt"])[:2]))
        off = np.linalg.norm(np.subtract(last["zmp"], last["planned_zmp"])[:2])
        self.state.content = as_table(
            ("", "x", "y"),
            [
                (
                    "error of the divergent component, mm",
                    *(f"{each:.1f}" for each in np.round(error, 1) + 0.0),
                ),
                ("tilt, degrees", *(f"{each:.2f}" for each in np.round(tilt, 2) + 0.0)),
                ("zero-moment point off its plan, mm", f"{1e3 * off:.1f}", ""),
            ],
        )


class TuneDock(Dock):
    """Every parameter by name."""

    title = "Tune"

    def __init__(self, gui: Any, panel: WalkPanel) -> None:
        super().__init__(gui, panel)
        self.name: Any = gui.add_dropdown("parameter", tuple(panel.session.parameters))
        self.value: Any = gui.add_text("value", "")
        self.about: Any = gui.add_html("")
        self.name.on_update(lambda _: self.show())
        gui.add_button("Set", color="green").on_click(lambda _: self.set(str(self.value.value)))
        gui.add_button("Default").on_click(
            lambda _: self.set(json.dumps(self._defaults.get(str(self.name.value))))
        )
        gui.add_button("All defaults").on_click(lambda _: panel.wish(self._restore))

    def take(self, session: WalkSession) -> None:
        self._defaults = session.parameters
        names = tuple(self._defaults)
        if tuple(self.name.options) != names:
            self.name.options = names
        self.show()

    def set(self, text: str) -> None:
        """Let the parameter that is chosen have a value, as it is typed."""
        name = str(self.name.value)

        def change(session: WalkSession) -> None:
            session.set(name, read_json(text))
            self.show()

        self._panel.wish(change)

    def show(self) -> None:
        """Show the parameter that is chosen."""
        name, session = str(self.name.value), self._panel.session
        values = session.parameters
        if name not in values:
            return
        self.value.value = json.dumps(values[name])
        lines = [
            describe_parameter(session.pilot.settings, name),
            f"default {json.dumps(self._defaults.get(name))}",
        ]
        self.about.content = as_text("; ".join(line for line in lines if line))

    def _restore(self, session: WalkSession) -> None:
        for name, value in session.parameters.items():
            if value != self._defaults[name]:
                session.set(name, self._defaults[name])
        self.show()


class SignalsDock(Dock):
    """Any signal by its name, with controls for its options, and those that were sent."""

    title = "Signals"

    def __init__(self, gui: Any, panel: WalkPanel) -> None:
        super().__init__(gui, panel)
        self._traffic: deque[str] = deque(maxlen=_MOST_SENT)
        self._seen = 0  # signals of the session that are listed
        self.word: Any = gui.add_dropdown("do", tuple(WORDS))
        self.form = SignalForm(gui, gui.add_folder("Options"))
        self.word.on_update(lambda _: self._show_form())
        gui.add_button("Send", color="green").on_click(lambda _: send_form(self.form, panel))
        gui.add_button("Defaults").on_click(lambda _: self._show_form())
        self.listed: Any = gui.add_html("")

    def take(self, session: WalkSession) -> None:
        self._seen = 0
        self.form.show(str(self.word.value), session)

    def refresh(self, session: WalkSession) -> None:
        for signal in session.sent[self._seen :]:
            values = {name: getattr(signal, name) for name in signal.__struct_fields__ if name != "time"}
            if not (signal.word == "push" and self._traffic and " push " in self._traffic[-1]):
                self._traffic.append(f"{signal.time:.2f} s {signal.word} {json.dumps(values)[:90]}")
        self._seen = len(session.sent)
        self.listed.content = as_text(*reversed(self._traffic))

    def _show_form(self) -> None:
        self.form.show(str(self.word.value), self._panel.session)
