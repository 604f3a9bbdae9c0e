"""A plant: the tables of a world, the state that it has come to, and the room in which its steps work.

Simulations, walks and rollouts have one each. What they share are the tables of an engine; a plant is what moves. Its
arrays are those of native code: they hold more than a state (which pairs are near each other, who sleeps), so that a
state that is given anew begins with nothing of that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.compiler.routines import new_records
from footfall.contact.contacts import Contact
from footfall.contact.detection.shapes import Count as MemoryCount
from footfall.simulation.engine import Pushes
from footfall.simulation.run_values import SimulationState
from footfall.simulation.world.build import new_state, new_workspace
from footfall.simulation.world.records import Count, Forces, Moment, Workspace, World, WorldState

if TYPE_CHECKING:
    from footfall.simulation.world.engine import WorldEngine


class WorldPlant:
    """What moves in a world. friction: of all that touches, instead of that of its materials. threads: that share the
    steps of large worlds.

    state, room: arrays of native code. They may be replaced by larger ones between two calls of it.
    """

    state: WorldState
    room: Workspace

    def __init__(self, engine: WorldEngine, *, friction: float | None = None, threads: int = 1) -> None:
        self.engine, self._friction, self._threads = engine, friction, threads
        self._tables: World | None = None
        self._fresh = False  # whether the arrays have the room that new ones would have
        self._latest: SimulationState | None = None  # the value of what the arrays hold, if that is known
        self._made = False

    # State

    def begin(self, state: SimulationState) -> None:
        """Let the arrays hold a state, which they do if they have come to it; `keep` ends this."""
        if state is not self._latest:
            self.take(state)
        self._latest = None  # until it is known what they have come to

    def take(self, state: SimulationState) -> None:
        """Begin with a state, and with nothing kept besides, so that the same follows every time."""
        if not self._fresh:
            self._make_arrays()
        if len(state.contacts) > len(self.room.found):
            self.make_room(len(state.contacts), 0)
        fill(self.state, state)
        self._latest = None

    def keep(self, time: float) -> SimulationState:
        """The state that native code has come to, as a value. time: s."""
        live = self.state
        count = int(live.counts[Count.CONTACTS])
        impulses = np.concatenate([live.impulses[:count].ravel(), live.joint_impulses])
        self._latest = SimulationState(
            time,
            live.q.copy(),
            live.v.copy(),
            live.integral.copy(),
            impulses,
            live.drives.copy(),
            live.contacts[:count].copy(),
        )
        return self._latest

    @property
    def latest(self) -> SimulationState | None:
        """The state that the arrays hold, if native code has not gone on since `keep`."""
        return self._latest

    def forget(self) -> None:
        """Begin anew the next time."""
        self._drop_arrays()
        self._latest = None

    # Steps

    @property
    def world(self) -> World:
        """The tables, as the scene is now."""
        if self._tables is not self.engine.world:
            self._tables = self.engine.world
            self._world = self._with_friction(self._tables)
        return self._world

    def moment(self, forces: Forces) -> Moment:
        """All that a step works on, with forces on bodies."""
        return Moment(self.world, self.engine.settings, self.state, forces, self.room)

    def forces(self, pushes: Pushes) -> Forces:
        """Wrenches on bodies by name, for native code."""
        return self.engine.forces(pushes)

    def make_room(self, contacts: int, pairs: int) -> None:
        """What the next step needs: room for so many contacts, and pairs that are near each other."""
        state, room = self.state, self.room
        count = len(room.found) if contacts <= len(room.found) else 2 * contacts
        memory = self.engine.contacts.fitting(state.memory, pairs)
        self.state = state._replace(
            contacts=longer(state.contacts, count), impulses=longer(state.impulses, count), memory=memory
        )
        shared = room.shared._replace(contacts=new_records(Contact, 2 * count if self._threads > 1 else 0))
        self.room = room._replace(found=new_records(Contact, count), shared=shared)
        self._fresh = False

    def follow_scene(self) -> None:
        """Go on in the same state after the scene of the engine has changed."""
        state = self.keep(float(self.state.time[0]))
        self._drop_arrays()
        self.take(state)

    def _with_friction(self, world: World) -> World:
        if self._friction is None:
            return world
        materials = world.materials.copy()
        materials["friction"] = self._friction
        return world._replace(materials=materials)

    def _make_arrays(self) -> None:
        self._drop_arrays()
        engine, robot = self.engine, self.engine.setting.robot
        size = sum(train.size for train in engine.trains)
        zeros = np.zeros(robot.nq), np.zeros(robot.nv)
        self.state = new_state(
            self.world, engine.contacts, *zeros, joints=engine.joints, drives=np.zeros(size)
        )
        self.room = new_workspace(self.world, engine.contacts, nv=robot.nv, threads=self._threads)
        self._fresh = self._made = True

    def _drop_arrays(self) -> None:
        """Contacts no longer follow changes of what these arrays remember of them."""
        if self._made:
            self.engine.contacts.drop(self.state.memory)
        self._fresh = self._made = False


def longer(values: Any, count: int) -> Any:
    """An array with so many rows, the rest zeros."""
    longer = np.zeros((count, *values.shape[1:]), values.dtype)
    longer[: len(values)] = values
    return longer


def fill(live: WorldState, state: SimulationState) -> None:
    """Write a state into the arrays of native code; nothing else of what they held counts any more."""
    count = len(state.contacts)
    live.q[:], live.v[:], live.integral[:], live.drives[:] = state.q, state.v, state.integral, state.drives
    live.time[0] = state.time
    live.contacts[:count] = state.contacts
    live.impulses[:count] = state.impulses[: 3 * count].reshape(-1, 3)
    live.joint_impulses[:] = state.impulses[3 * count :]
    live.counts[Count.CONTACTS], live.counts[Count.SUBSTEPS] = count, 0
    live.rest[:] = 0  # all are awake
    live.memory.counts[MemoryCount.STALE] = 1
    live.memory.counts[MemoryCount.PAIRS] = 0
