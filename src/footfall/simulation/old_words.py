"""Words that `Simulation`, `StepOptions` and `SolverOptions` took before plants had classes of their own.

They work for one release, with a warning that names the class that has them now; then this file goes.
"""

from __future__ import annotations

from abc import ABCMeta
from dataclasses import make_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from footfall.errors import UnknownName
from footfall.renamed import warn_renamed

_CONTACT = {"exact": "FeetSimulation", "impacts": "ImpactSimulation", "penalty": "SpringSimulation"}
# The option's default, and where it is now.
_OLD_OPTIONS: dict[str, dict[str, tuple[Any, str]]] = {
    "StepOptions": {
        "integrator": ("semi-implicit", "SmoothSimulation(integrator=)"),
        "bounded_energy": (False, "FeetSimulation(bounded_energy=)"),
        "sleep": (False, "Simulation(sleep=)"),
        "divided_meshes": (False, "Simulation(divided_meshes=)"),
    },
    "SolverOptions": {
        "rule": ("cone", "ImpactSimulation"),
        "sweeps": (200, "SweepSimulation(sweeps=)"),
        "quick_sweeps": (10, "SweepSimulation(sweeps=)"),
        "relaxation": (1.0, "footfall.contact.solve_gauss_seidel(relaxation=)"),
    },
}


class AcceptsOldOptions(type):
    """Of records of options: old ones are kept, for `Simulation` to find."""

    if not TYPE_CHECKING:

        def __call__(cls, *args: Any, **given: Any) -> Any:
            old = _OLD_OPTIONS.get(cls.__name__, {})
            for name in old.keys() & given.keys():
                warn_renamed(f"{cls.__name__}({name}=)", old[name][1], depth=3)
            made = _with_old_fields(cls) if old.keys() & given.keys() else cls
            return super(AcceptsOldOptions, made).__call__(*args, **given)


@cache
def _with_old_fields(kind: type) -> Any:
    fields = [(name, Any, default) for name, (default, _) in _OLD_OPTIONS[kind.__name__].items()]
    return make_dataclass(f"Old{kind.__name__}", fields, bases=(kind,), frozen=True, kw_only=True)


class AcceptsOldWords(ABCMeta):
    """Of `Simulation`: old words make the plant that has them."""

    if not TYPE_CHECKING:

        def __call__(cls, robot: Any, scene: Any = None, **given: Any) -> Any:
            if cls.__name__ != "Simulation":
                return super().__call__(robot, scene, **given)
            options = given.get("options")
            for name in ("sleep", "divided_meshes"):
                if getattr(options, name, False):
                    given.setdefault(name, True)
            words = ("contact", "contacts", "candidates", "touching", "layers")
            old = {name: given.pop(name) for name in words if name in given}
            if not (old or _are_old(options) or _are_old(getattr(options, "solver", None))):
                return super().__call__(robot, scene, **given)
            plant, own = _plant(old, options)
            for name in old:
                warn_renamed(f"Simulation({name}=)", f"footfall.simulation.{plant.__name__}", depth=3)
            if plant.__name__ == "Simulation":
                return super().__call__(robot, scene, **given)
            for name in ("self_contact", "sleep", "divided_meshes"):
                given.pop(name, None)
            return plant(robot, scene, **own, **given)


def _are_old(options: Any) -> bool:
    return type(options).__name__ in {f"Old{name}" for name in _OLD_OPTIONS}


def _plant(old: dict[str, Any], options: Any) -> tuple[Any, dict[str, Any]]:
    """The class that old words stand for, and its arguments."""
    from footfall.contact.penalty import PenaltyLaw
    from footfall.simulation import plants
    from footfall.simulation.simulation import Simulation

    if old.get("layers") is not None:
        return plants.LayerSimulation, {"layers": old["layers"]}
    law = old.get("contact", "exact")
    model = "penalty" if isinstance(law, PenaltyLaw) else law
    if model not in _CONTACT:
        raise UnknownName("contact model", model, list(_CONTACT), "Simulation")
    solver = getattr(options, "solver", None)
    if getattr(solver, "rule", "cone") == "impacts":
        model = "impacts"
    feet = {"candidates": old.get("candidates"), "feet": old.get("touching")}
    integrator = getattr(options, "integrator", "semi-implicit")
    if integrator != "semi-implicit":
        return plants.SmoothSimulation, {**feet, "integrator": integrator, **_law(law)}
    if model == "penalty":
        return plants.SpringSimulation, {**feet, **_law(law)}
    if model == "impacts":
        return plants.ImpactSimulation, {**feet, "sweeps": getattr(solver, "sweeps", 200)}
    listed = old.get("contacts") == "listed" or any(each is not None for each in feet.values())
    bounded = getattr(options, "bounded_energy", False)
    if (listed or bounded) and solver is not None and solver.newton_steps == 0:
        return plants.SweepSimulation, {**feet, "sweeps": getattr(solver, "sweeps", 200)}
    if listed or bounded:
        return plants.FeetSimulation, {**feet, "bounded_energy": bounded}
    return Simulation, {}


def _law(given: Any) -> dict[str, Any]:
    return {} if isinstance(given, str) else {"law": given}
