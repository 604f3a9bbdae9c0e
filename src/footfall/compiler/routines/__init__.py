"""Routines: loops of run-time size in plain Python, as native code. See `routine`."""

from footfall.compiler.routines.annotations import (
    ArrayOf,
    EightInts,
    FourLanes,
    Lanes,
    LanesOfVector3,
    Matrix2,
    Matrix3,
    Matrix6,
    Quaternion,
    Vector2,
    Vector3,
    Vector6,
    as_records,
    new_records,
    record_dtype,
    record_from_numbers,
)
from footfall.compiler.routines.callback import RoutineCallback
from footfall.compiler.routines.hardware import (
    call_native,
    lanes_at,
    prefetch,
    put_lanes,
    read_clock,
    sleep_until,
)
from footfall.compiler.routines.helpers import helped
from footfall.compiler.routines.routine import routine
from footfall.compiler.routines.source_analysis import merged
from footfall.compiler.routines.teams import TEAM_WORDS, Team, add_at_once, new_team, next_piece, together

__all__ = [
    "TEAM_WORDS",
    "ArrayOf",
    "EightInts",
    "FourLanes",
    "Lanes",
    "LanesOfVector3",
    "Matrix2",
    "Matrix3",
    "Matrix6",
    "Quaternion",
    "RoutineCallback",
    "Team",
    "Vector2",
    "Vector3",
    "Vector6",
    "add_at_once",
    "as_records",
    "call_native",
    "helped",
    "lanes_at",
    "merged",
    "new_records",
    "new_team",
    "next_piece",
    "prefetch",
    "put_lanes",
    "read_clock",
    "record_dtype",
    "record_from_numbers",
    "routine",
    "sleep_until",
    "together",
]
