"""Tabs of single joints that are moved by hand, and of drives that are identified (Seiwald 2023, Fig. 7.6)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from footfall.errors import FootfallError
from footfall.viewer.docks.dock import Dock, as_table, as_text
from footfall.walking import signals as kinds
from footfall.walking.identification import (
    FeedForwardSearch,
    Heard,
    Response,
    heard_sweep,
    sweep_response,
)
from footfall.walking.session import WalkSession

if TYPE_CHECKING:
    from footfall.viewer.walk_panel import WalkPanel

_WIDE, _HIGH, _BETWEEN = 300.0, 80.0, 16.0  # pixels, of a plot, and between two
_GAINS, _PHASES = (-12.0, 3.0), (-180.0, 30.0)  # dB and degrees, that are drawn
_NOTHING = 1e-6  # rad


class JointsDock(Dock):
    """A joint, how far it shall be beside what the controller wants, and all that are."""

    title = "Joints"

    def __init__(self, gui: Any, panel: WalkPanel) -> None:
        super().__init__(gui, panel)
        names = panel.session.code.body.joint_names
        self.name: Any = gui.add_dropdown("joint", names, initial_value=names[0])
        self.offset: Any = gui.add_slider("beside its set point, degrees", -30.0, 30.0, 0.5, 0.0)
        self.name.on_update(lambda _: self._choose())
        self.offset.on_update(lambda event: self.move() if event.client is not None else None)
        gui.add_button("Give it back").on_click(lambda _: self.give_back(str(self.name.value)))
        gui.add_button("Give all back").on_click(lambda _: self.give_back("all"))
        self.state: Any = gui.add_html("")
        gui.add_markdown(
            "For a robot that stands or hangs in its frame. The controller goes on and does not know of it: a leg that "
            "is moved may fell a robot that no frame holds."
        )

    def take(self, session: WalkSession) -> None:
        names = session.code.body.joint_names
        if tuple(self.name.options) != names:
            self.name.options = names
            self.name.value = names[0]
        self._choose()

    def move(self) -> None:
        """Let the joint be where the slider says."""
        self._send(kinds.MoveJoint(name=str(self.name.value), offset=math.radians(float(self.offset.value))))

    def give_back(self, name: str) -> None:
        """Let a joint, or all, be where the controller wants them."""
        self._send(kinds.MoveJoint(name=name))
        if name in ("all", str(self.name.value)):
            self.offset.value = 0.0

    def refresh(self, session: WalkSession) -> None:
        walker, body = session.walker, session.code.body
        q, offsets = walker.arrays[0].q, walker.hardware.hand.offsets
        moved = [k for k in range(len(offsets)) if abs(offsets[k]) > _NOTHING]
        rows = [
            (
                body.joint_names[k],
                f"{math.degrees(float(offsets[k])):.1f}",
                f"{math.degrees(float(q[body.coordinates[k]])):.1f}",
            )
            for k in moved
        ]
        text = as_table(("", "beside, deg", "angle, deg"), rows) if rows else as_text("No joint is moved.")
        self.state.content = text

    def _choose(self) -> None:
        """The slider shows the joint that is chosen, within its limits."""
        session, name = self._panel.session, str(self.name.value)
        body = session.code.body
        if name not in body.joint_names:
            return
        k = body.joint_names.index(name)
        place = body.coordinates[k]
        usual = float(session.walker.brain.state.q[place])
        low, high = float(body.robot.lower_limits[place]), float(body.robot.upper_limits[place])
        self.offset.min = math.ceil(2.0 * max(math.degrees(low - usual), -170.0)) / 2.0
        self.offset.max = math.floor(2.0 * min(math.degrees(high - usual), 170.0)) / 2.0
        self.offset.value = round(2.0 * math.degrees(float(session.walker.hardware.hand.wanted[k]))) / 2.0

    def _send(self, signal: Any) -> None:
        send_now(self._panel, signal)


class IdentifyDock(Dock):
    """A sweep of a joint, what its drive made of it, and the search for the best feed-forward."""

    title = "Identify"

    def __init__(self, gui: Any, panel: WalkPanel) -> None:
        super().__init__(gui, panel)
        names = panel.session.code.body.joint_names
        self.name: Any = gui.add_dropdown("joint", names, initial_value=names[0])
        self.amplitude: Any = gui.add_slider("amplitude, degrees", 0.2, 10.0, 0.1, 1.5)
        self.first: Any = gui.add_slider("from, Hz", 0.2, 5.0, 0.1, 0.5)
        self.last: Any = gui.add_slider("to, Hz", 1.0, 30.0, 0.5, 8.0)
        self.seconds: Any = gui.add_slider("for, s", 2.0, 30.0, 1.0, 8.0)
        gui.add_button("Sweep", color="green").on_click(lambda _: self.sweep())
        gui.add_button("Optimise feed-forward").on_click(lambda _: self.optimise())
        self.state: Any = gui.add_html(as_text("Mode full has drives: choose it in the tab Scene."))
        self.plot: Any = gui.add_html("")
        self._waits: float | None = None  # s, until when a sweep runs that is to be shown
        self._search: FeedForwardSearch | None = None

    def take(self, session: WalkSession) -> None:
        names = session.code.body.joint_names
        if tuple(self.name.options) != names:
            self.name.options = names
            self.name.value = names[0]
        self._waits = self._search = None
        self.state.content = as_text(
            "A sweep lets a joint swing through frequencies and compares its encoder with its set points."
            if session.walker.options.mode == "full"
            else "Joints are prescribed in reduced mode; mode full has drives: choose it in the tab Scene."
        )

    def sweep(self) -> None:
        """Sweep the joint that is chosen."""
        self._panel.wish(self._sweep)

    def optimise(self) -> None:
        """Find the best share of its velocity for the servo of the joint that is chosen."""
        self._panel.wish(self._optimise)

    def watch(self, session: WalkSession) -> None:
        """Go on with what runs; called at every picture."""
        if self._search is not None:
            try:
                done = self._search.advance()
            except FootfallError:
                self._search = None
                raise
            if done:
                text = self._tuned(self._search)
                self._search = None
                self._show(session, text)
        elif self._waits is not None and session.time >= self._waits:
            self._waits = None
            self._show(session)

    def refresh(self, session: WalkSession) -> None:
        if self._waits is not None:
            self.state.content = as_text(
                f"It sweeps for another {max(self._waits - session.time, 0.0):.0f} s."
            )
        elif self._search is not None:
            self.state.content = as_text(
                "It sweeps three times: as it is, with another share, and with the best."
            )

    def _wanted(self) -> kinds.SweepJoint:
        return kinds.SweepJoint(
            name=str(self.name.value),
            amplitude=math.radians(min(max(float(self.amplitude.value), 0.05), 20.0)),
            first=min(max(float(self.first.value), 0.1), 50.0),
            last=min(max(float(self.last.value), 0.1), 50.0),
            seconds=min(max(float(self.seconds.value), 2.0), 30.0),
        )

    def _sweep(self, session: WalkSession) -> None:
        send(session, self._wanted())
        self._waits, self._search = session.time + float(self.seconds.value) + 0.1, None

    def _optimise(self, session: WalkSession) -> None:
        self._waits, self._search = None, None
        search = FeedForwardSearch(session, self._wanted())
        search.advance()  # refused here if it cannot be
        self._search = search

    def _show(self, session: WalkSession, lines: tuple[str, ...] = ()) -> None:
        heard = heard_sweep(session)
        sweep = session.walker.hardware.hand.sweep[0]
        response = sweep_response(heard, float(sweep["first"]), float(sweep["last"]))
        self.plot.content = bode_plot(response)
        name = session.code.body.joint_names[int(sweep["joint"])]
        self.state.content = as_text(f"{name}: {_described(heard, response)}", *lines)

    def _tuned(self, search: FeedForwardSearch) -> tuple[str, ...]:
        tuned = search.tuned
        assert tuned is not None
        return (
            f"The servo is told {tuned.share:.3f} of its velocity now.",
            f"Error {_fine(tuned.before)} before, {_fine(tuned.after)} now, {_fine(tuned.predicted)} expected.",
        )


def send(session: WalkSession, signal: Any) -> None:
    """Send a signal that says no time: it counts now."""
    session.send(msgspec.structs.replace(signal, time=session.time))


def send_now(panel: WalkPanel, signal: Any) -> None:
    """Let the thread that walks send a signal."""
    panel.wish(lambda session: send(session, signal))


def _fine(angle: float) -> str:
    return f"{1e3 * math.degrees(angle):.1f} thousandths of a degree"


def _described(heard: Heard, response: Response) -> str:
    ends = (
        f"its gain falls by 3 dB at {response.bandwidth:.1f} Hz"
        if response.bandwidth is not None
        else f"its gain stays within 3 dB up to {response.frequencies[-1]:.1f} Hz"
    )
    return f"{ends}; it lags by {1e3 * response.delay:.2f} ms; error {_fine(heard.deviation)}."


def bode_plot(response: Response) -> str:
    """Gain and phase over frequency, as an SVG."""
    low, high = float(response.frequencies[0]), float(response.frequencies[-1])
    across = _WIDE * np.log(response.frequencies / low) / max(math.log(high / low), 1e-9)
    drawn = []
    curves = (
        ("gain, dB", 20.0 * np.log10(np.maximum(response.gain, 1e-6)), _GAINS, (-3.0, 0.0), "#4c72b0"),
        ("phase, degrees", np.degrees(response.phase), _PHASES, (-90.0, 0.0), "#c44e52"),
    )
    for number, (name, values, (least, most), lines, color) in enumerate(curves):
        top = number * (_HIGH + _BETWEEN)

        def height(value: Any, top: float = top, least: float = least, most: float = most) -> Any:
            return top + _HIGH * (most - np.clip(value, least, most)) / (most - least)

        for line in lines:
            drawn.append(f'<path d="M0 {height(line):.1f} h{_WIDE:g}" stroke="#c9d1db"/>')
            drawn.append(
                f'<text x="2" y="{height(line) - 2:.1f}" font-size="9" fill="#5b6b7f">{line:g}</text>'
            )
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(across, height(values), strict=True))
        drawn.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="1.5"/>')
        drawn.append(
            f'<text x="{_WIDE - 4:g}" y="{top + 10:g}" font-size="10" text-anchor="end" fill="{color}">{name}</text>'
        )
    tall = 2.0 * _HIGH + _BETWEEN
    return (
        f'<div style="padding:0 .75em;font-size:.78em"><svg viewBox="0 0 {_WIDE:g} {tall:g}" '
        f'style="width:100%;background:#f4f6f9">{"".join(drawn)}</svg>{low:.1f} to {high:.1f} Hz, logarithmic</div>'
    )
