"""Controls of a walk beside the view: what it is told above, what the robot says below (Seiwald 2023, Fig. 7.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from footfall.viewer.docks.dock import Dock
from footfall.viewer.docks.frame import FrameDock
from footfall.viewer.docks.ground import GroundDock
from footfall.viewer.docks.joints import IdentifyDock, JointsDock
from footfall.viewer.docks.operator import OperatorDock
from footfall.viewer.docks.robot_state import BalanceDock, HardwareDock, SignalsDock, TuneDock
from footfall.viewer.docks.setting import SceneDock, ShowDock
from footfall.viewer.docks.steering import DisturbDock, GamepadDock, WalkDock
from footfall.walking.session import WalkSession

if TYPE_CHECKING:
    from footfall.viewer.walk_panel import WalkPanel

_Kind = TypeVar("_Kind", bound=Dock)
_WIDTH = 340  # pixels


class WalkDocks:
    """All tabs of a panel, by their classes."""

    def __init__(self, gui: Any, panel: WalkPanel) -> None:
        gui.set_panel_label(f"footfall: {panel.session.code.body.robot.name}")
        gui.main_panel.dock_right()
        gui.main_panel.set_width(_WIDTH)
        self._gui, self._docks = gui, list[Dock]()
        above = gui.add_tab_group()
        self.walk = self._add(above, WalkDock, panel)
        self.disturb = self._add(above, DisturbDock, panel)
        self.scene = self._add(above, SceneDock, panel)
        self.show = self._add(above, ShowDock, panel)
        below = gui.add_panel()
        self.balance = self._add(below, BalanceDock, panel)
        self.ground = self._add(below, GroundDock, panel)
        self.hardware = self._add(below, HardwareDock, panel)
        self.operator = self._add(below, OperatorDock, panel)
        self.frame = self._add(below, FrameDock, panel)
        self.joints = self._add(below, JointsDock, panel)
        self.identify = self._add(below, IdentifyDock, panel)
        self.gamepad = self._add(below, GamepadDock, panel)
        self.signals = self._add(below, SignalsDock, panel)
        self.tune = self._add(below, TuneDock, panel)
        below.dock_below(gui.main_panel)
        self.take(panel.session)

    def _add(self, place: Any, kind: type[_Kind], panel: WalkPanel) -> _Kind:
        with place.add_tab(kind.title):
            dock = kind(self._gui, panel)
        self._docks.append(dock)
        return dock

    def take(self, session: WalkSession) -> None:
        """Another session, maybe of another robot."""
        self._gui.set_panel_label(f"footfall: {session.code.body.robot.name}")
        for each in self._docks:
            each.take(session)

    def refresh(self, session: WalkSession) -> None:
        """Show what is now."""
        for each in self._docks:
            each.refresh(session)
