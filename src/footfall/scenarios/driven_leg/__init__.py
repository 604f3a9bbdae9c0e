"""One leg of LOLA on a fixed pelvis, moved by its drives: a step, the currents it takes, and how the gears ring."""

from footfall.scenarios.driven_leg.leg import LEG_JOINTS, StepReference, lola_leg, step_reference
from footfall.scenarios.driven_leg.modes import Mode, ring_modes
from footfall.scenarios.driven_leg.run import StepResult, follow_step

__all__ = [
    "LEG_JOINTS",
    "Mode",
    "StepReference",
    "StepResult",
    "follow_step",
    "lola_leg",
    "ring_modes",
    "step_reference",
]
