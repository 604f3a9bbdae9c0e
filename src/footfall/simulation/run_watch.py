"""What a simulation says of its runs, once of each kind: what goes wrong without an error."""

from __future__ import annotations

from functools import cached_property

from footfall.contact.detection.world import standing_in
from footfall.robot.model import Robot
from footfall.simulation.below_ground import Shapeless, shapeless_bodies, warn_of_bodies_below_ground
from footfall.simulation.engine import Engine
from footfall.simulation.listed_engine import ListedEngine
from footfall.simulation.restless_joints import warn_of_restless_joints
from footfall.simulation.run_values import SimulationState, Trajectory
from footfall.simulation.start_depth import warn_if_inside
from footfall.simulation.world.engine import WorldEngine

_LOOKED_AT = 20  # control periods, from which a run is looked at when it ends


class RunWatch:
    """Warns of bodies that start inside of others, end below the ground, and of joints that tremble."""

    def __init__(self, robot: Robot, engine: Engine, *, recovery_speed: float) -> None:
        self._robot, self._engine, self._speed = robot, engine, recovery_speed
        self._told: set[str] = set()

    def of(self, engine: Engine) -> RunWatch:
        """The same for a copy of the engine: what has been told is not told again."""
        twin = RunWatch(self._robot, engine, recovery_speed=self._speed)
        twin._told = set(self._told)
        return twin

    def look_at_start(self, state: SimulationState) -> None:
        """Before the first step: what is inside of something is seldom meant to be."""
        if "inside" not in self._told:
            self._told.add("inside")
            warn_if_inside(self._engine.deepest(state), speed=self._speed)

    def look_at_end(self, trajectory: Trajectory) -> None:
        if len(trajectory.time) < _LOOKED_AT:  # a loop of single steps
            return
        if "below" not in self._told:
            places = self._engine.link_places(trajectory.q[-1])
            if warn_of_bodies_below_ground(self._shapeless, self._engine.scene, *places):
                self._told.add("below")
        driven = bool(trajectory.effort.any())
        if (
            driven
            and "restless" not in self._told
            and warn_of_restless_joints(self._robot, trajectory.v, trajectory.effort)
        ):
            self._told.add("restless")

    @cached_property
    def _shapeless(self) -> Shapeless:
        bodies = {body.name for body in self._robot.bodies if body.collisions}
        if isinstance(self._engine, WorldEngine):
            bodies |= {volume.body for volume in standing_in(self._robot)}
        elif isinstance(self._engine, ListedEngine):
            bodies &= {name for each in self._engine.candidates for name in (each.body, each.surface.body)}
        return shapeless_bodies(self._robot, self._engine.attachments, bodies)
