"""Rotations as the stages put them together: they rest, except for turns."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import Quaternion
from footfall.compiler.routines.types import Fixed
from footfall.math.quaternion_splines import CubicQuaternionSpline
from footfall.math.quaternion_trajectories import QuaternionTrajectory
from footfall.motion.courses import Course, Segments, new_course

Controls = Annotated[Array, Fixed((4, 4))]  # quaternions of a turn, in rows


class TurnTiming(NamedTuple):
    """How the parameter of a turn runs from 0 to 1. shares (s + 1,): of the time of a turn. pieces (s, 6): coefficients
    between them."""

    shares: Array
    pieces: Array


class TurnSegments(NamedTuple):
    """A rotation that is done. parameter (1,): its whole part is the number of the turn. controls (n, 4, 4)."""

    parameter: Segments
    controls: Array

    @property
    def trajectory(self) -> QuaternionTrajectory:
        """The same as a trajectory, which takes the arrays over."""
        return QuaternionTrajectory(CubicQuaternionSpline.unchecked(self.controls), self.parameter.trajectory)


class Turns(NamedTuple):
    """A rotation in the making; controls: of the turns so far."""

    parameter: Course
    controls: list[Controls]

    def turn(self, controls: Controls, timing: TurnTiming, start: float, stop: float) -> None:
        """Turn between two times. The signs of the controls are changed so that they go on from turn to turn."""
        number, last = len(self.controls), len(timing.pieces) - 1
        opposite = number > 0 and self.controls[-1][3] @ controls[0] < 0.0
        self.parameter.rest_until(start)
        for s in range(last + 1):
            until = start + (stop - start) * timing.shares[s + 1] if s < last else stop
            if self.parameter.segment_until(until):
                piece = self.parameter.piece
                for power in range(6):
                    piece[power, 0] = timing.pieces[s, power]
                piece[5, 0] += number
        self.parameter.value[0] = number + 1.0
        self.controls.append(-1.0 * controls if opposite else controls)

    def ended(self, time: float, initial: Quaternion) -> TurnSegments:
        """All of it, with a rest until a time; initial: the rotation before the first turn."""
        if len(self.controls) == 0:
            self.controls.append(np.array([initial, initial, initial, initial]))
        return TurnSegments(self.parameter.ended(time), np.array(self.controls))


def new_turns(start: float, room: int) -> Turns:
    """One that begins at a time, with room for a number of segments and turns in all."""
    controls: list[Controls] = []
    return Turns(new_course(start, np.array([0.0]), room), controls)
