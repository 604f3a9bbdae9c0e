"""The tab of the safety frame that follows the robot, and catches it (Seiwald 2023, Fig. 7.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footfall.viewer.docks.dock import Dock, as_text
from footfall.walking.session import WalkSession

if TYPE_CHECKING:
    from footfall.viewer.walk_panel import WalkPanel

_LIFTED = -0.12  # m, slack of a rope that lifts the feet off the ground


class FrameDock(Dock):
    """Whether there is a frame, how slack its rope is, and its winch."""

    title = "Frame"

    def __init__(self, gui: Any, panel: WalkPanel) -> None:
        super().__init__(gui, panel)
        self.state: Any = gui.add_html("")
        self.on: Any = gui.add_checkbox("A safety frame follows", False)
        self.slack: Any = gui.add_slider("slack, cm", 1.0, 20.0, 1.0, 4.0)
        for control in (self.on, self.slack):
            control.on_update(lambda event: self.change() if event.client is not None else None)
        gui.add_button("Lift it", color="orange").on_click(lambda _: self.lift())
        gui.add_button("Set it down").on_click(lambda _: self.change(on=True))
        gui.add_markdown(
            "The rope holds the upper body. When it catches the robot, the robot is told to stop; hanging upright it "
            "stands again, and walks on when you say so."
        )
        self._held = self._lifted = False

    def take(self, session: WalkSession) -> None:
        """The frame stays where one begins again."""
        self._held = self._lifted = False
        if self.on.value:
            session.happen("frame", slack=self._wanted)

    @property
    def _wanted(self) -> float:
        return round(0.01 * float(self.slack.value), 4)

    def change(self, *, on: bool | None = None) -> None:
        """Let there be a frame with a rope as slack as chosen, or none."""
        if on is not None:
            self.on.value = on
        shown, slack = bool(self.on.value), self._wanted
        self._lifted = False
        self._panel.wish(lambda session: session.happen("frame", slack=slack, on=shown))

    def lift(self) -> None:
        """Let the winch lift the robot; it stops what it does."""
        self.on.value, self._lifted = True, True
        self._panel.stop()
        self._panel.wish(lambda session: session.happen("frame", slack=_LIFTED))

    def watch(self, session: WalkSession) -> None:
        """Tell the robot to stop when the rope catches it."""
        frame = session.walker.frame
        taut = frame is not None and frame.is_taut
        if taut and not (self._held or self._lifted):
            session.stop()
            self._panel.message = ("plan", "the safety frame has caught it: it stops, and stands again")
        self._held = taut

    def refresh(self, session: WalkSession) -> None:
        frame = session.walker.frame
        if frame is None:
            self.state.content = as_text("No frame: a robot that falls lies on the ground.")
        elif frame.is_taut:
            self.state.content = as_text(f"The rope bears {frame.share:.0%} of the weight.")
        else:
            self.state.content = as_text(f"The rope is slack by {100 * frame.room:.1f} cm.")
