"""What a policy sees of a robot that somebody else simulates, by the same terms that it was trained with."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler import Kernel, build_kernel
from footfall.errors import InvalidInput, UnknownName
from footfall.geometry.plane import Plane
from footfall.learning.policy_note import PolicyNote
from footfall.learning.quantities import Quantities, Setup, check_term, evaluate
from footfall.learning.standing import standing
from footfall.learning.task import LearningTask, as_term
from footfall.robot.load import load
from footfall.robot.model import Robot
from footfall.simulation.joint_control import actuated_velocities
from footfall.simulation.lanes.batch_step import BatchStep, Ground, RowReport
from footfall.simulation.lanes.foot_points import find_feet
from footfall.simulation.step_values import StepOptions

_FRICTION = 0.8


class Felt(NamedTuple):
    """What feet feel: forces (feet, 3) N, touching (feet,) 0 or 1, landing and air_time (feet,) s; with rows before."""

    forces: Array
    touching: Array
    landing: Array
    air_time: Array


class Observer:
    """Observations for a policy, without noise.

    note: of the policy. robot: by default the one that the note names. task: whose terms are used instead of those that
    the note names, for terms of your own. ground: under the feet and the points of a scan.
    """

    def __init__(
        self,
        note: PolicyNote,
        *,
        robot: Robot | None = None,
        task: LearningTask | None = None,
        ground: Ground | None = None,
    ) -> None:
        self.note = note
        self.robot = robot or (load(note.robot, floating_base=True) if task is None else task.model)
        self.joints = _places(self.robot, note)
        posture = {**note.others, **dict(zip(note.joints, note.default, strict=True))}
        self.default = standing(self.robot, posture)
        self.feet = find_feet(self.robot, q=self.default)
        if task is None:
            self.terms = {part.name: (part.function, part.options) for part in note.observations}
        else:
            given = {name: as_term(name, term) for name, term in task.observations.items()}
            self.terms = {name: (term.function, term.options) for name, term in given.items()}
        for name, (function, options) in self.terms.items():
            check_term("observations", name, function, options, draws=False)
        step = BatchStep(self.robot, self.feet, ground or Plane(), StepOptions(dt=note.dt), 1)
        scan = np.array(note.scan, dtype=np.float64).reshape(-1, 2)
        self._setup = Setup(step, self.joints, self.default, scan, note.period, np.inf)
        self.sizes = self._tried()

    @property
    def size(self) -> int:
        """Of an observation."""
        return sum(self.sizes.values())

    def __call__(
        self,
        q: Array,
        v: Array,
        *,
        command: Array,
        action: Array,
        last_action: Array,
        elapsed: Any = 0.0,
        felt: Felt | None = None,
    ) -> Array:
        """Observations (rows, size) of q (rows, nq), v (rows, nv), command (rows, 3), action and last_action (rows,
        joints); elapsed: periods since the beginning."""
        feet = len(self.feet)
        felt = felt or Felt(np.zeros((feet, 3)), np.zeros(feet), np.zeros(feet), np.zeros(feet))
        result = self.kernel.batch(q, v, command, action, last_action, elapsed, *felt, threads=1)
        return np.asarray(result)

    @cached_property
    def kernel(self) -> Kernel:
        """q, v, command, action, last_action, elapsed and `Felt` -> observation."""
        joints, feet = (len(self.joints),), (len(self.feet),)
        inputs: dict[str, tuple[int, ...]] = {
            "q": (self.robot.nq,), "v": (self.robot.nv,), "command": (3,), "action": joints, "last_action": joints,
            "elapsed": (), "forces": (*feet, 3), "touching": feet, "landing": feet, "air_time": feet,
        }  # fmt: skip
        return build_kernel(self._observed, inputs, name="observation", check_finite=False)

    def _observed(self, **given: Any) -> Mapping[str, Any]:
        return {"observation": np.concatenate([np.ravel(part) for part in self._parts(given).values()])}

    def _parts(self, given: Mapping[str, Any]) -> dict[str, Any]:
        count = len(self.joints)
        rows = {
            "encoder_bias": np.zeros(count),
            "friction": np.full(len(self.feet), _FRICTION),
            "base_mass": 0.0,
            "level": 0.0,
            "origin": np.zeros(2),
            **{name: given[name] for name in ("q", "v", "command", "elapsed", "air_time")},
        }
        report = RowReport(given["forces"], given["touching"], given["landing"], np.zeros(count), 0.0, 0.0)
        at = Quantities(self._setup, rows, given["action"], given["last_action"], report)
        return {
            name: np.asarray(evaluate("observations", name, function, options, at, None))
            for name, (function, options) in self.terms.items()
        }

    def _tried(self) -> dict[str, int]:
        """Sizes of the parts, computed once on numbers; told by name if a note says otherwise."""
        count, feet = len(self.joints), len(self.feet)
        given = {
            "q": self.default, "v": np.zeros(self.robot.nv), "command": np.zeros(3), "action": np.zeros(count),
            "last_action": np.zeros(count), "elapsed": 0.0, "forces": np.zeros((feet, 3)), "touching": np.zeros(feet),
            "landing": np.zeros(feet), "air_time": np.zeros(feet),
        }  # fmt: skip
        sizes = {}
        said = self.note.parts
        for name, part in self._parts(given).items():
            sizes[name] = int(part.size)
            if said.get(name, 0) not in (0, part.size):
                raise InvalidInput(
                    f"observation {name!r} has {part.size} numbers on robot {self.robot.name!r}; "
                    f"the policy was trained with {said[name]}"
                )
        return sizes


def _places(robot: Robot, note: PolicyNote) -> list[tuple[int, int]]:
    """(coordinate, velocity) of the joints that a policy moves, in its order."""
    driven = {velocity: (coordinate, velocity) for coordinate, velocity in actuated_velocities(robot)}
    places = []
    for name in note.joints:
        if name not in robot.joint_names:
            raise UnknownName("joint", name, robot.joint_names, f"robot {robot.name!r}, for the policy")
        velocity = robot.v_slice(name).start
        if velocity not in driven or robot.v_slice(name).stop - velocity != 1:
            raise InvalidInput(f"joint {name!r} of robot {robot.name!r} is not driven; the policy moves it")
        places.append(driven[velocity])
    return places
