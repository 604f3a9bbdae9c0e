"""Textbook NumPy in, native code out: trace a function once, run it as machine code.

    kernel = build_kernel(lambda x: {"y": np.sin(x) @ x}, {"x": 3})
    kernel(np.ones(3)), kernel(np.ones((1000, 3)))

What is a loop rather than a formula is a `routine`.
"""

from typing import TYPE_CHECKING

from footfall.public_names import open_to_users

if TYPE_CHECKING:
    from footfall.compiler.differentiate import jacobian as jacobian
    from footfall.compiler.differentiate import rate_of as rate_of
    from footfall.compiler.functions import absolute as absolute
    from footfall.compiler.functions import acos as acos
    from footfall.compiler.functions import asin as asin
    from footfall.compiler.functions import atan as atan
    from footfall.compiler.functions import atan2 as atan2
    from footfall.compiler.functions import call as call
    from footfall.compiler.functions import cos as cos
    from footfall.compiler.functions import equal as equal
    from footfall.compiler.functions import exp as exp
    from footfall.compiler.functions import floor as floor
    from footfall.compiler.functions import gather as gather
    from footfall.compiler.functions import greater as greater
    from footfall.compiler.functions import greater_equal as greater_equal
    from footfall.compiler.functions import less as less
    from footfall.compiler.functions import less_equal as less_equal
    from footfall.compiler.functions import log as log
    from footfall.compiler.functions import maximum as maximum
    from footfall.compiler.functions import minimum as minimum
    from footfall.compiler.functions import repeat as repeat
    from footfall.compiler.functions import sin as sin
    from footfall.compiler.functions import sqrt as sqrt
    from footfall.compiler.functions import tan as tan
    from footfall.compiler.functions import where as where
    from footfall.compiler.graph import NativeFunction as NativeFunction
    from footfall.compiler.kernel import Kernel as Kernel
    from footfall.compiler.kernel import build_kernel as build_kernel
    from footfall.compiler.routines.annotations import ArrayOf as ArrayOf
    from footfall.compiler.routines.annotations import Matrix2 as Matrix2
    from footfall.compiler.routines.annotations import Matrix3 as Matrix3
    from footfall.compiler.routines.annotations import Matrix6 as Matrix6
    from footfall.compiler.routines.annotations import Quaternion as Quaternion
    from footfall.compiler.routines.annotations import Vector2 as Vector2
    from footfall.compiler.routines.annotations import Vector3 as Vector3
    from footfall.compiler.routines.annotations import Vector6 as Vector6
    from footfall.compiler.routines.annotations import as_records as as_records
    from footfall.compiler.routines.annotations import new_records as new_records
    from footfall.compiler.routines.annotations import record_dtype as record_dtype
    from footfall.compiler.routines.callback import RoutineCallback as RoutineCallback
    from footfall.compiler.routines.hardware import call_native as call_native
    from footfall.compiler.routines.helpers import helped as helped
    from footfall.compiler.routines.routine import routine as routine
    from footfall.compiler.routines.source_analysis import merged as merged
    from footfall.compiler.routines.teams import Team as Team
    from footfall.compiler.routines.teams import new_team as new_team
    from footfall.compiler.routines.teams import next_piece as next_piece
    from footfall.compiler.routines.teams import together as together
    from footfall.compiler.symbols import Condition as Condition
    from footfall.compiler.symbols import Symbol as Symbol
    from footfall.compiler.trace import Program as Program
    from footfall.compiler.trace import Signature as Signature
    from footfall.compiler.trace import trace as trace

open_to_users(__name__)
