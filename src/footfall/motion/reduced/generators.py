"""All generators that walk, by name: footsteps and times in (`BalanceProblem`), centre of mass, zero-moment point and
angular momentum out (`CentreMotion`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from footfall.errors import UnknownName
from footfall.motion.reduced.centroidal import plan_centroidal
from footfall.motion.reduced.divergent import plan_divergent
from footfall.motion.reduced.masses import plan_five_masses, plan_three_masses
from footfall.motion.reduced.pendulum import plan_pendulum
from footfall.motion.reduced.predictive import plan_flywheel, plan_predictive
from footfall.motion.reduced.preview import plan_biped, plan_preview
from footfall.motion.reduced.problem import BalanceProblem, CentreMotion

Generate = Callable[[BalanceProblem], CentreMotion]

GENERATORS: Mapping[str, Generate] = MappingProxyType(
    {
        "lipm": plan_pendulum,
        "preview": plan_preview,
        "dcm": plan_divergent,
        "mpc": plan_predictive,
        "flywheel": plan_flywheel,
        "biped": plan_biped,
        "three_masses": plan_three_masses,
        "five_masses": plan_five_masses,
        "centroidal": plan_centroidal,
    }
)


def plan_center(problem: BalanceProblem, generator: str) -> CentreMotion:
    """Where the centre of mass goes, by the generator of a name; `GENERATORS` has them."""
    if generator not in GENERATORS:
        raise UnknownName("generator", generator, GENERATORS, "footfall.motion")
    return GENERATORS[generator](problem)
