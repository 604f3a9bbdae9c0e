"""The tab of the operator: power, activity, emergency stop, force control and sensors (Seiwald 2023, Fig. 7.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footfall.viewer.docks.dock import Dock, as_text
from footfall.walking.hardware_setup import trouble_of
from footfall.walking.session import WalkSession
from footfall.walking.signals import made_signal

if TYPE_CHECKING:
    from footfall.viewer.walk_panel import WalkPanel

_BUTTONS: dict[str, tuple[str, dict[str, Any], str | None]] = {  # by label: signal, its options, colour
    "EMERGENCY STOP": ("emergency_stop", {}, "red"),
    "Reset the error": ("reset", {}, None),
    "Power on": ("power", {"on": True}, "green"),
    "Activate": ("activate", {}, "green"),
    "Deactivate": ("deactivate", {}, None),
    "Power off": ("power", {"on": False}, None),
    "Home the head (drives into its stops)": ("home", {}, None),
    "Calibrate encoders (in the jig)": ("calibrate", {}, None),
    "Tare the force sensors of hands": ("tare", {}, None),
}


class OperatorDock(Dock):
    """Buttons of an operator's signals, and the state that the robot is in."""

    title = "Operator"

    def __init__(self, gui: Any, panel: WalkPanel) -> None:
        super().__init__(gui, panel)
        self.state: Any = gui.add_html("")
        for label, (_, _, color) in _BUTTONS.items():
            gui.add_button(label, color=color).on_click(lambda _, label=label: self.press(label))
        self.factor: Any = gui.add_slider("force control", 0.0, 1.0, 0.1, 1.0)
        self.factor.on_update(lambda event: self.change() if event.client is not None else None)

    def take(self, session: WalkSession) -> None:
        self.factor.value = 1.0

    def press(self, label: str) -> None:
        """Send the signal of a button; a state that does not allow it is told on the page."""
        word, options, _ = _BUTTONS[label]
        self._panel.wish(lambda session: session.send(made_signal(word, {"time": session.time, **options})))

    def change(self) -> None:
        """Control forces by the factor of the slider."""
        options = {"factor": min(max(float(self.factor.value), 0.0), 1.0)}
        self._panel.wish(
            lambda session: session.send(made_signal("force_control", {"time": session.time, **options}))
        )

    def refresh(self, session: WalkSession) -> None:
        trouble = trouble_of(session.walker.hardware, session.code.body)
        self.state.content = as_text(
            f"The robot is {session.operator.stage.name.lower()}.",
            *([f"Trouble: {trouble}"] if trouble else []),
        )
