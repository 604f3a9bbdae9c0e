"""One control period as native code: a command is held over some time steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.compiler import Kernel, build_kernel, maximum, repeat
from footfall.contact.candidates import Candidate
from footfall.contact.penalty import PenaltyLaw
from footfall.robot.model import Robot
from footfall.simulation.drive_step import DriveTrain, driven_step
from footfall.simulation.joint_action import JointAction
from footfall.simulation.joint_axes import actuated_velocities
from footfall.simulation.penalty_step import penalty_step
from footfall.simulation.step_values import Command, StepOptions, StepReport, StepState
from footfall.simulation.time_step import contact_step


@dataclass(frozen=True)
class ControlPeriod:
    """What a control period is made of.

    rows: number of impulses that a step hands to the next. restitution: of each candidate. law: of penalty contact,
    else None. train: of a robot with drives. timed: something moves on a given path, so that steps must know the time.
    """

    robot: Robot
    candidates: tuple[Candidate, ...]
    options: StepOptions
    substeps: int
    rows: int
    restitution: tuple[float, ...]
    law: PenaltyLaw | None
    train: DriveTrain | None
    timed: bool

    def kernel(self, pushed: tuple[str, ...]) -> Kernel:
        """Trace and compile it, with a wrench on each of the bodies that are pushed."""

        def period(**arrays: Any) -> Mapping[str, Any]:
            return self._trace(pushed, arrays)

        return build_kernel(period, self._inputs(pushed), name="period", check_finite=False)

    def _inputs(self, pushed: tuple[str, ...]) -> dict[str, int | tuple[int, ...]]:
        robot, joints = self.robot, len(actuated_velocities(self.robot))
        inputs: dict[str, int | tuple[int, ...]] = {
            "q": robot.nq,
            "v": robot.nv,
            "integral": joints,
            "impulses": self.rows,
        }
        inputs |= dict.fromkeys((f"command_{name}" for name in Command._fields), joints)
        inputs |= {"friction": len(self.candidates)}
        inputs |= {f"push_{k}": 6 for k in range(len(pushed))}
        if self.timed:
            inputs["time"] = ()
        if self.train:
            inputs["drives"] = self.train.size
        return inputs

    def _trace(self, pushed: tuple[str, ...], arrays: Mapping[str, Any]) -> Mapping[str, Any]:
        dt, train = self.options.dt, self.train
        state = StepState(*(arrays[name] for name in StepState._fields))
        command = Command(*(arrays[f"command_{name}"] for name in Command._fields))
        wrenches = {body: arrays[f"push_{k}"] for k, body in enumerate(pushed)}

        def step(time: Any, drives: Any, *parts: Any) -> tuple[Any, StepState, StepReport]:
            state = StepState(*parts)

            def advance(command: Command, action: JointAction | None) -> tuple[StepState, StepReport]:
                start = (self.robot, self.candidates, self.options, state, command)
                given = {"friction": arrays["friction"], "wrenches": wrenches or None, "time": time}
                if self.law is not None:
                    return penalty_step(*start, law=self.law, action=action, **given)
                return contact_step(*start, restitution=list(self.restitution), action=action, **given)

            return driven_step(self.robot, train, dt, state, drives, command, advance)

        worst: Any = 0.0
        time = arrays.get("time", 0.0)
        drives = train.begin_command(arrays["drives"]) if train else np.zeros(0)
        if self.substeps > 1:

            def substep(*parts: Any) -> tuple[Any, ...]:
                worst, time, drives, *state = parts
                drives, following, happened = step(time, drives, *state)
                return maximum(worst, happened.residual), time + dt, drives, *following

            worst, time, drives, *parts = repeat(
                substep, (0.0, time, drives, *state), count=self.substeps - 1
            )
            state = StepState(*parts)
        drives, state, happened = step(time, drives, *state)
        return {
            "residual": maximum(worst, happened.residual),
            "solver_steps": happened.solver_steps,
            **state._asdict(),
            **({"time": time + dt} if self.timed else {}),
            **({"drives": drives} if train else {}),
            "effort": happened.effort,
            "positions": happened.positions,
            "forces": happened.forces,
            "normals": happened.normals,
            "gaps": happened.gaps,
        }
