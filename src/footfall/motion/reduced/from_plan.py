"""Problems from plans: what a reduced model is asked for."""

from __future__ import annotations

from footfall.gait.plan import MotionPlan
from footfall.motion.parameters import MotionParameters
from footfall.motion.pipeline import StageClock, draft_sequence
from footfall.motion.reduced.problem import BalanceProblem
from footfall.motion.reduced.torso import problem_of
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.vertical_torso import wanted_height
from footfall.motion.whole_body import WholeBody


def balance_problem(
    plan: MotionPlan,
    model: ReducedModel,
    *,
    parameters: MotionParameters | None = None,
    body: WholeBody | None = None,
) -> BalanceProblem:
    """What generators are asked for by the first sequence of a plan: from rest to rest. body: all of the robot, for the
    centroidal model."""
    parameters = MotionParameters() if parameters is None else parameters
    drafted = draft_sequence(
        plan.sequences[0], model, parameters, begin_time=plan.begin_time, start=None, clock=StageClock()
    )
    return problem_of(drafted, wanted_height(drafted.draft, model), model, body)
