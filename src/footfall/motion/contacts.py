"""Which foot stands in each phase, and on what of its sole: part of what a controller is given (Seiwald 2023)."""

from __future__ import annotations

import numpy as np

from footfall.compiler.routines import routine
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.courses import Segments
from footfall.motion.schedule import Schedule


def plan_contacts(schedule: Schedule) -> PolynomialTrajectory:
    """Contacts (4,) of RF and LF, constant in each phase: whether they stand, 1 or 0, and on what, as `FootRecord`
    counts: whole sole 0, toe pad 1, tiptoe 2. A foot that swings has what it will land on."""
    return contact_course(schedule).trajectory


@routine(quick=True)
def contact_course(schedule: Schedule) -> Segments:
    """A foot stands in a load switch if its contact is closed, in a motion phase if it also stays where it is."""
    count = len(schedule.motion)
    pieces = np.zeros((count, 6, 4))
    for p in range(count):
        k = schedule.transition[p]
        pose = schedule.end[k] if schedule.motion[p] else schedule.begin[k]
        for side in (0, 1):
            foot = pose.foot(side)
            swings = schedule.motion[p] and schedule.moving[k].foot(side)
            pieces[p, 5, side] = 1.0 if foot.closed and not swings else 0.0
            pieces[p, 5, 2 + side] = foot.contact
    return Segments(schedule.times.copy(), pieces)
