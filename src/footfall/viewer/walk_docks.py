"""Controls of a walk beside the view: tabs for commands, disturbances, scene, stabilisation, signals, wrenches, joints,
hardware and plots, after the eight tabs of the control panel of LOLA (Seiwald 2023, Fig. 7.6)."""

from __future__ import annotations

import json
import math
from collections import deque
from html import escape
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from footfall.errors import InvalidInput
from footfall.robot import library as robot_library
from footfall.scene import library as scene_library
from footfall.viewer.held_drive import SpeedLimits, Velocity
from footfall.viewer.parameter_limits import describe_parameter
from footfall.viewer.walk_scene import PARTS
from footfall.walking.hardware import Stage
from footfall.walking.hardware_setup import trouble_of
from footfall.walking.session import WalkSession
from footfall.walking.signal_effects import made_signal
from footfall.walking.signals import WORDS

if TYPE_CHECKING:
    from footfall.viewer.walk_panel import WalkPanel

_MOTIONS = ("bow", "look_around", "one_leg", "stamp", "wave")
_SIDES = {"from behind": 0.0, "from the right": 90.0, "from ahead": 180.0, "from the left": -90.0}
_WHEN = ("now", "at touch-down", "in mid-swing")
_PLOTS = {
    "zero-moment point, m": ("zmp", 2),
    "dcm error, m": ("dcm_error", 2),
    "tilt, rad": ("tilt", 2),
    "vertical foot forces, N": ("feet", 2),
}
_PLOT_SECONDS, _PLOT_ROWS = 5.0, 250
_CELL = 'style="padding:1px 6px;text-align:right;font-variant-numeric:tabular-nums"'


class WalkDocks:
    """The controls of a panel."""

    def __init__(self, gui: Any, panel: WalkPanel) -> None:
        self._gui, self._panel = gui, panel
        self._traffic: deque[str] = deque(maxlen=12)
        self._seen = 0  # signals of the session that are listed
        gui.set_panel_label(f"footfall: {panel.session.code.body.robot.name}")
        tabs = gui.add_tab_group()
        with tabs.add_tab("Walk"):
            self._add_walk()
        with tabs.add_tab("Disturb"):
            self._add_disturb()
        with tabs.add_tab("Scene"):
            self._add_scene()
        with tabs.add_tab("Show"):
            self._add_show()
        with tabs.add_tab("Tune"):
            self._add_tune()
        with tabs.add_tab("Signals"):
            self._add_signals()
        with tabs.add_tab("Data"):
            self._add_data()
        with tabs.add_tab("Plots"):
            self._add_plots()
        self.take(panel.session)

    @property
    def follows(self) -> bool:
        """Whether the camera follows the robot."""
        return bool(self._follow.value)

    def take(self, session: WalkSession) -> None:
        """Another session, maybe of another robot."""
        self._seen = 0
        self._defaults = session.parameters
        names = tuple(self._defaults)
        if tuple(self._name.options) != names:
            self._name.options = names
        bodies = tuple(each.name for each in session.code.body.robot.bodies)
        if tuple(self._loaded.options) != bodies:
            self._loaded.options = bodies
            self._loaded.value = session.code.body.body_of("UB")
        self._show_parameter()

    # What can be told

    def _add_walk(self) -> None:
        gui, panel = self._gui, self._panel
        with gui.add_folder("Drive"):
            self._forward: Any = gui.add_slider("ahead, m/s", -0.25, 0.6, 0.05, 0.0)
            self._left: Any = gui.add_slider("to the left, m/s", -0.15, 0.15, 0.01, 0.0)
            self._turn: Any = gui.add_slider("turn, rad/s", -0.4, 0.4, 0.05, 0.0)
            for slider in (self._forward, self._left, self._turn):
                slider.on_update(lambda event: self.drive() if event.client is not None else None)
            self._fast: Any = gui.add_slider(
                "full stick, m/s", 0.05, 0.6, 0.05, panel.held.limits.ahead, hint="of keys, stick and gamepad"
            )
            self._fast.on_update(lambda _: self._limit_speed())
            gui.add_button("Stop", color="red").on_click(lambda _: self._stop())
        with gui.add_folder("Goal"):
            self._x: Any = gui.add_number("x, m", 2.0, min=-50.0, max=50.0, step=0.05)
            self._y: Any = gui.add_number("y, m", 0.0, min=-50.0, max=50.0, step=0.05)
            self._yaw: Any = gui.add_number("yaw, degrees", 0.0, min=-180.0, max=180.0, step=5.0)
            gui.add_button("Plan").on_click(lambda _: panel.aim(*self._goal()))
            gui.add_button("Walk there", color="green").on_click(lambda _: self._walk_there())
        with gui.add_folder("Motions"):
            self._motion: Any = gui.add_dropdown("motion", _MOTIONS)
            gui.add_button("Perform").on_click(lambda _: self.perform())

    def _add_disturb(self) -> None:
        gui, panel = self._gui, self._panel
        with gui.add_folder("Kick"):
            self._impulse: Any = gui.add_slider("N s", 1, 60, 1, 8)
            self._side: Any = gui.add_dropdown("side", tuple(_SIDES))
            self._when: Any = gui.add_dropdown("when", _WHEN)
            gui.add_button("Kick", color="orange").on_click(lambda _: self.kick())
        with gui.add_folder("Load"):
            names = tuple(each.name for each in panel.session.code.body.robot.bodies)
            self._loaded: Any = gui.add_dropdown("body", names)
            self._mass: Any = gui.add_slider("kg", 0.0, 20.0, 0.5, 0.0)
            gui.add_button("Hang on").on_click(lambda _: self._load())
        with gui.add_folder("Ground"):
            self._friction: Any = gui.add_slider("friction of all", 0.05, 1.2, 0.05, 0.8)
            gui.add_button("Change").on_click(lambda _: self._rub())
        gui.add_markdown("Drag the robot to pull it; *Box* above the view puts boxes down, drag them.")

    def _add_scene(self) -> None:
        gui, asked = self._gui, self._panel.session.asked
        scenes = tuple(dict.fromkeys((asked.scene, *scene_library.names())))
        robots = tuple(dict.fromkeys((asked.robot, *robot_library.names())))
        self._scene: Any = gui.add_dropdown("scene", scenes, initial_value=asked.scene)
        self._robot: Any = gui.add_dropdown("robot", robots, initial_value=asked.robot)
        self._mode: Any = gui.add_dropdown("mode", ("reduced", "full"), initial_value=asked.mode)
        self._sight: Any = gui.add_dropdown(
            "sight", ("exact", "noisy", "camera"), initial_value=asked.sight or "exact"
        )
        self._noise: Any = gui.add_checkbox("sensors have errors", asked.noise)
        self._seed: Any = gui.add_number("seed", asked.seed, min=0, max=1_000_000, step=1)
        self._most: Any = gui.add_slider("fastest, m/s", 0.1, 0.8, 0.05, asked.speed or 0.5)
        gui.add_button("Begin", color="green").on_click(lambda _: self.begin())
        gui.add_markdown(
            "A new walk begins; the one that runs is written. Another robot takes a minute at first."
        )

    def _add_show(self) -> None:
        gui = self._gui
        self._follow: Any = gui.add_checkbox("Follow the robot", True)
        self._layers = {name: gui.add_checkbox(name, True) for name in ("Forces", "Plan", "Balance")}
        for name, box in self._layers.items():
            box.on_update(lambda _, name=name, box=box: self._panel.scene.set_layer(name, bool(box.value)))
        gui.add_html(
            '<div style="padding:0 .75em;font-size:.8em">Balance: '
            '<span style="color:rgb(46,139,87)">&#9679;</span> centre of mass, &#9679; zero-moment point</div>'
        )

    def _add_tune(self) -> None:
        gui = self._gui
        self._name: Any = gui.add_dropdown("parameter", tuple(self._panel.session.parameters))
        self._value: Any = gui.add_text("value", "")
        self._about: Any = gui.add_html("")
        self._name.on_update(lambda _: self._show_parameter())
        gui.add_button("Set", color="green").on_click(lambda _: self._set(str(self._value.value)))
        gui.add_button("Default").on_click(
            lambda _: self._set(json.dumps(self._defaults.get(str(self._name.value))))
        )

    def _add_signals(self) -> None:
        gui = self._gui
        self._word: Any = gui.add_dropdown("do", tuple(WORDS))
        self._options: Any = gui.add_text("options", "{}", hint='JSON, such as {"forward": 0.3}')
        self._fields: Any = gui.add_html("")
        self._word.on_update(lambda _: self._show_fields())
        self._show_fields()
        gui.add_button("Send", color="green").on_click(lambda _: self.send())
        self._listed: Any = gui.add_html("")

    def _add_data(self) -> None:
        gui = self._gui
        with gui.add_folder("Wrenches"):
            self._wrenches: Any = gui.add_html("")
        with gui.add_folder("Joints"):
            self._joints: Any = gui.add_html("")
        with gui.add_folder("Hardware"):
            self._hardware: Any = gui.add_html("")

    def _add_plots(self) -> None:
        time = np.linspace(-_PLOT_SECONDS, 0.0, 2)
        self._plots = {
            title: self._gui.add_uplot(
                (time, np.zeros(2), np.zeros(2)),
                (
                    {"label": "s"},
                    {"label": "right" if key == "feet" else "x", "stroke": "#c44e52", "width": 1.5},
                    {"label": "left" if key == "feet" else "y", "stroke": "#4c72b0", "width": 1.5},
                ),
                title=title,
                scales={"x": {"time": False}},
                cursor={"sync": {"key": "walk"}},
                height=170,
            )
            for title, (key, _) in _PLOTS.items()
        }

    # What becomes of it

    def drive(self) -> None:
        """Walk as the sliders say."""
        forward, left, turn = (float(each.value) for each in (self._forward, self._left, self._turn))
        self._panel.drive(Velocity(forward, left, turn))

    def kick(self) -> None:
        """Push as the controls say."""
        direction = math.radians(_SIDES.get(str(self._side.value), 0.0))
        when = str(self._when.value)
        self._panel.kick(float(self._impulse.value), direction, when=when if when in _WHEN else "now")

    def perform(self) -> None:
        """Do the motion that is chosen."""
        motion = str(self._motion.value)
        self._panel.wish(lambda session: session.perform(motion))

    def begin(self) -> None:
        """Begin another walk as the controls say."""
        changes = {
            "scene": str(self._scene.value),
            "robot": str(self._robot.value),
            "mode": str(self._mode.value),
            "sight": str(self._sight.value),
            "noise": bool(self._noise.value),
            "seed": int(self._seed.value),
            "speed": float(self._most.value),
        }
        for name, control in (("scene", self._scene), ("robot", self._robot)):
            if changes[name] not in control.options:
                self._panel.message = ("bad", f"{name} {changes[name]!r} is not in the list")
                return
        asked = self._panel.session.asked
        self._panel.wish(lambda _: self._panel.reset_now(_changed(asked, changes)))

    def send(self) -> None:
        """Send the signal that is typed."""
        word, text = str(self._word.value), str(self._options.value)
        self._panel.wish(lambda session: _send(session, word, text))

    def _goal(self) -> tuple[float, float, float]:
        return float(self._x.value), float(self._y.value), math.radians(float(self._yaw.value))

    def _walk_there(self) -> None:
        x, y, yaw = self._goal()
        self._panel.wish(lambda session: session.walk_to(x, y, yaw))

    def _stop(self) -> None:
        self._forward.value = self._left.value = self._turn.value = 0.0
        self._panel.stop()

    def _limit_speed(self) -> None:
        fast = float(self._fast.value)
        if 0.0 < fast <= 1.0:
            self._panel.held.limits = SpeedLimits()._replace(ahead=fast, back=min(fast, 0.25))

    def _load(self) -> None:
        body, mass = str(self._loaded.value), float(self._mass.value)
        self._panel.wish(lambda session: session.happen("load", body=body, mass=mass))

    def _rub(self) -> None:
        friction = float(self._friction.value)
        self._panel.wish(lambda session: session.happen("surface", friction=friction))

    def _set(self, text: str) -> None:
        name = str(self._name.value)

        def change(session: WalkSession) -> None:
            session.set(name, _json(text))
            self._show_parameter()

        self._panel.wish(change)

    def _show_parameter(self) -> None:
        name, session = str(self._name.value), self._panel.session
        values = session.parameters
        if name not in values:
            return
        self._value.value = json.dumps(values[name])
        lines = [
            describe_parameter(session.pilot.settings, name),
            f"default {json.dumps(self._defaults.get(name))}",
        ]
        self._about.content = _text("; ".join(line for line in lines if line))

    def _show_fields(self) -> None:
        kind = WORDS.get(str(self._word.value))
        if kind is not None:
            fields = ", ".join(name for name in kind.__struct_fields__ if name != "time")
            about = " ".join((kind.__doc__ or "").split())
            self._fields.content = _text(f"{about} Options: {fields or 'none'}")

    # What is seen

    def refresh(self, session: WalkSession) -> None:
        """Tables and plots as they are now."""
        for signal in session.sent[self._seen :]:
            values = {name: getattr(signal, name) for name in signal.__struct_fields__ if name != "time"}
            if not (signal.word == "push" and self._traffic and " push " in self._traffic[-1]):
                self._traffic.append(f"{signal.time:.2f} s {signal.word} {json.dumps(values)[:90]}")
        self._seen = len(session.sent)
        self._listed.content = _text(*reversed(self._traffic))
        walker = session.walker
        if walker.period == 0:
            return
        last = walker.latest
        rows = [
            (part.replace("_", " "), *(f"{value:.1f}" for value in np.array(last[part]))) for part in PARTS
        ]
        self._wrenches.content = _table(("", "fx", "fy", "fz N", "tx", "ty", "tz Nm"), rows)
        self._show_joints(session)
        self._show_hardware(session, last)
        self._draw_plots(session)

    def _show_joints(self, session: WalkSession) -> None:
        walker, body = session.walker, session.code.body
        robot, q, v = body.robot, walker.arrays[0].q, walker.arrays[0].v
        effort = walker.brain.state.effort
        rows = []
        low, high = robot.limits()
        for k, name in enumerate(body.joint_names):
            place, rate = robot.q_slice(name), robot.v_slice(name)
            lower, upper = (math.degrees(float(each[place][0])) for each in (low, high))
            angle = math.degrees(float(q[place][0]))
            near = min(angle - lower, upper - angle)
            mark = "" if not near < 3.0 else ' style="color:#d6281f"'
            cells = (
                f"{angle:.1f}",
                f"{lower:.0f} .. {upper:.0f}",
                f"{math.degrees(float(v[rate][0])):.0f}",
                f"{effort[k]:.1f}",
            )
            rows.append(
                f"<tr{mark}><td>{escape(name)}</td>"
                + "".join(f"<td {_CELL}>{each}</td>" for each in cells)
                + "</tr>"
            )
        head = "".join(f"<th {_CELL}>{each}</th>" for each in ("", "deg", "limits", "deg/s", "Nm"))
        self._joints.content = (
            f'<table style="font-size:.7em;width:100%"><tr>{head}</tr>{"".join(rows)}</table>'
        )

    def _show_hardware(self, session: WalkSession, last: Any) -> None:
        walker = session.walker
        if walker.options.mode != "full":
            self._hardware.content = _text(
                "Mode is reduced: joints follow their set points. Choose mode full for drives."
            )
            return
        stage = Stage(int(walker.hardware.state.stage[0])).name.lower()
        trouble = trouble_of(walker.hardware, walker.code.body)
        self._hardware.content = _text(
            f"servos: {stage}",
            f"trouble: {trouble or 'none'}",
            f"largest joint error: {math.degrees(float(last['tracking'])):.2f} degrees",
            f"largest current: {100.0 * float(last['strain']):.0f} % of the motor's",
            f"frames of the bus lost: {int(last['lost_frames'])}",
        )

    def _draw_plots(self, session: WalkSession) -> None:
        walker = session.walker
        signals = walker.log_from(walker.rows - round(_PLOT_SECONDS / walker.row_time)).signals
        recent: Any = signals[:: max(1, len(signals) // _PLOT_ROWS)]
        if len(recent) < 2:
            return
        time = np.ascontiguousarray(recent["time"])
        for title, (key, _) in _PLOTS.items():
            if key == "feet":
                pair = recent["right_foot"][:, 2], recent["left_foot"][:, 2]
            else:
                pair = recent[key][:, 0], recent[key][:, 1]
            self._plots[title].data = (time, *(np.ascontiguousarray(each) for each in pair))


def _changed(asked: Any, changes: dict[str, Any]) -> Any:
    return msgspec.structs.replace(asked, signals=(), seconds=None, route=None, goal=None, **changes)


def _send(session: WalkSession, word: str, text: str) -> None:
    values = _json(text)
    if not isinstance(values, dict) or word not in WORDS:
        raise InvalidInput(f'options are {text!r}; write a JSON object, such as {{"forward": 0.3}}')
    session.send(made_signal(word, {"time": session.time, **values}))


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise InvalidInput(f"{text!r} is no JSON; numbers, texts in quotes, lists and objects are") from None


def _text(*lines: str) -> str:
    shown = "<br>".join(escape(line) for line in lines)
    return f'<div style="padding:0 .75em;font-size:.78em;overflow-wrap:anywhere">{shown}</div>'


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    top = "".join(f"<th {_CELL}>{escape(each)}</th>" for each in head)
    body = "".join(
        "<tr>" + "".join(f"<td {_CELL}>{escape(each)}</td>" for each in row) + "</tr>" for row in rows
    )
    return f'<table style="font-size:.72em;width:100%"><tr>{top}</tr>{body}</table>'
