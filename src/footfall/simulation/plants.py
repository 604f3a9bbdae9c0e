"""Plants besides `Simulation`: a few feet in lanes, impacts and sweeps in sequence, springs, smooth forces, soft soles.

They run as `Simulation` does, with the same states, commands and trajectories; each takes what it can do, and no more.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypedDict, Unpack, get_args

import numpy as np

from footfall.arrays import Array
from footfall.compiler import Kernel
from footfall.contact.candidates import Candidate
from footfall.contact.contact_layer import ContactLayer
from footfall.contact.penalty import PenaltyLaw, warn_if_unstable
from footfall.errors import InvalidInput, UnknownName
from footfall.robot.model import Robot
from footfall.scene.model import Scene
from footfall.simulation.drive_step import Gears
from footfall.simulation.lanes.engine import FeetEngine, StepKind, places_of
from footfall.simulation.lanes.step import ExactStep
from footfall.simulation.simulation import Simulation, SimulationBase
from footfall.simulation.sources.layers import LayeredEngine
from footfall.simulation.sources.smooth import SmoothIntegrator
from footfall.simulation.sources.springs import SmoothStep, SpringStep, penalty_delassus
from footfall.simulation.sources.sweeps import SweptStep
from footfall.simulation.step_values import StepOptions
from footfall.simulation.world.engine import Setting


class RunWords(TypedDict, total=False):
    """What all plants take, see `SimulationBase`."""

    options: StepOptions | None
    dt: float | None
    substeps: int
    q: Array | None
    v: Array | None


class DrivenWords(RunWords, total=False):
    """What plants take whose joints may have drives."""

    drives: Gears | None


class PlaceWords(DrivenWords, total=False):
    """What plants take that have a list of places that may touch, see `FeetSimulation`."""

    feet: Sequence[str] | None
    candidates: Sequence[Candidate] | None


class _Lanes(SimulationBase):
    """Native code for a list of places that may touch, in lanes."""

    engine: FeetEngine

    def __init__(
        self,
        robot: Robot | None,
        scene: Scene | str | Path | None,
        kind: StepKind,
        words: PlaceWords,
    ) -> None:
        given: dict[str, Any] = {**words}
        self._kind, self._feet, self._given = kind, given.pop("feet", None), given.pop("candidates", None)
        super().__init__(robot, scene, **given)

    def _with_shapes(self, robot: Robot) -> Robot:
        return robot if self._given is not None else super()._with_shapes(robot)

    def _made_engine(self, setting: Setting) -> FeetEngine:
        places = places_of(setting.robot, setting.scene, self._given, self._feet)
        return FeetEngine(setting, places, self._kind, self.train)

    def _contact_words(self) -> str:
        count = len(self.candidates)
        return f"{count} place{'' if count == 1 else 's'} may touch"

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The places that native code is made for."""
        return self.engine.candidates

    @property
    def friction(self) -> Array:
        """Coefficients (candidates,) of the places; they may be changed."""
        return self.engine.friction

    @friction.setter
    def friction(self, values: Array) -> None:
        self.engine.friction = values

    @property
    def restitution(self) -> Array:
        """Of the places, (candidates,)."""
        return np.array(self.engine.restitution)

    @property
    def rows(self) -> int:
        """Number of impulses (or of what springs keep) in the state."""
        return self.engine.rows

    @property
    def step_kernel(self) -> Kernel:
        """Native code of one control period without pushes, to bind to arrays in hot loops."""
        return self.engine.kernel()


class _ExactLanes(_Lanes):
    """Forces that hold loops are found together with those of found contacts alone."""

    def _made_engine(self, setting: Setting) -> FeetEngine:
        loops = setting.robot.tree.loops
        if loops is not None and loops.held:
            names = ", ".join(cut.loop.name for cut in loops.held)
            raise ValueError(
                f"forces hold the loops {names}; places in lanes know none. Simulate with Simulation, or with "
                "SmoothSimulation"
            )
        return super()._made_engine(setting)


class FeetSimulation(_ExactLanes):
    """A few feet in lanes: exact contact, in native code that is made for a list of places that may touch.

    Eight robots run in one instruction, thousands in one call (`rollout`, or `step_kernel` in loops of your own), but
    code is compiled anew for every scene, and no robot touches itself. Laws and results are those of `Simulation`.

    feet: bodies of the robots that may touch, ["left_foot", "right_foot"] say; all by default.
    candidates: the list of places, instead of all points of collision geometry against all surfaces.
    bounded_energy: whether a robot or free body that would end a step with more energy than it began with, and the
        work done on it, is slowed down until it does not, see `energy_bound`. Its velocity then changes by a little
        more than the impulses say, and what swings freely loses energy.
    drives, options, dt, substeps, q, v: see `SimulationBase`.
    """

    def __init__(
        self,
        robot: Robot | None,
        scene: Scene | str | Path | None = None,
        *,
        bounded_energy: bool = False,
        **words: Unpack[PlaceWords],
    ) -> None:
        super().__init__(robot, scene, ExactStep(bounded_energy), words)


class SweepSimulation(_ExactLanes):
    """Contact by sweeps over the places that may touch, as Ayit 2015, (4.41)-(4.43) has it.

    sweeps: at most, in a step. feet, candidates: see `FeetSimulation`; all else: `SimulationBase`.
    """

    def __init__(
        self,
        robot: Robot | None,
        scene: Scene | str | Path | None = None,
        *,
        sweeps: int = 200,
        **words: Unpack[PlaceWords],
    ) -> None:
        super().__init__(robot, scene, SweptStep("sweeps", _count(sweeps)), words)


class ImpactSimulation(_ExactLanes):
    """Contact by impacts one after the other, none of which is taken back: so a row of balls passes an impact on.

    sweeps: at most, over all places in a step. feet, candidates: see `FeetSimulation`; all else: `SimulationBase`.
    """

    def __init__(
        self,
        robot: Robot | None,
        scene: Scene | str | Path | None = None,
        *,
        sweeps: int = 200,
        **words: Unpack[PlaceWords],
    ) -> None:
        super().__init__(robot, scene, SweptStep("impacts", _count(sweeps)), words)


class SpringSimulation(_ExactLanes):
    """Contact by springs and dampers (penalty), Ayit 2015, chapter 5, in semi-implicit steps.

    law: of a contact point. feet, candidates: see `FeetSimulation`; all else: `SimulationBase`.
    """

    def __init__(
        self,
        robot: Robot | None,
        scene: Scene | str | Path | None = None,
        *,
        law: PenaltyLaw | None = None,
        **words: Unpack[PlaceWords],
    ) -> None:
        self.law = law or PenaltyLaw()
        super().__init__(robot, scene, SpringStep(self.law), words)

    def reset(self, q: Array | None = None, v: Array | None = None) -> None:
        super().reset(q, v)
        delassus = penalty_delassus(self.robot, self.state.q, self.candidates)
        warn_if_unstable(self.law, delassus, dt=self.options.dt)


class SmoothSimulation(_Lanes):
    """Forces that are functions of the state, by another integrator: for systems without contact, and to show what an
    integrator does to springs. Joint limits do not act, dry friction is smoothed.

    integrator: "rk4" is Runge and Kutta's of fourth order, "explicit" Euler's. law: of springs at the places that may
    touch. feet, candidates: see `FeetSimulation`; all else: `SimulationBase`.
    """

    def __init__(
        self,
        robot: Robot | None,
        scene: Scene | str | Path | None = None,
        *,
        integrator: SmoothIntegrator = "rk4",
        law: PenaltyLaw | None = None,
        feet: Sequence[str] | None = None,
        candidates: Sequence[Candidate] | None = None,
        **words: Unpack[RunWords],
    ) -> None:
        if integrator not in get_args(SmoothIntegrator):
            raise UnknownName("integrator", integrator, get_args(SmoothIntegrator), "SmoothSimulation")
        places: Any = {**words, "feet": feet, "candidates": candidates}
        super().__init__(robot, scene, SmoothStep(integrator, law or PenaltyLaw()), places)


class LayerSimulation(SimulationBase):
    """A robot on soft soles whose nodes have states of their own; they touch, nothing else does.

    layers: see `sole_layers`. All else: `SimulationBase`.
    """

    engine: LayeredEngine

    def __init__(
        self,
        robot: Robot | None,
        scene: Scene | str | Path | None = None,
        *,
        layers: Sequence[ContactLayer],
        **words: Unpack[DrivenWords],
    ) -> None:
        if not isinstance(layers, Sequence) or not all(isinstance(each, ContactLayer) for each in layers):
            raise InvalidInput(f"layers is {layers!r}; it must be a list of ContactLayer, as of sole_layers")
        self._layers = layers
        super().__init__(robot, scene, **words)

    def _made_engine(self, setting: Setting) -> LayeredEngine:
        return LayeredEngine(setting, self._layers, self.train)

    def _contact_words(self) -> str:
        return f"{self.engine.contacts.shape_count} shapes may touch"


ExactSimulation = Simulation | FeetSimulation
"""Plants of which states and contact memory can be handed over to each other."""


def _count(sweeps: int) -> int:
    if sweeps != int(sweeps) or sweeps < 1:
        raise InvalidInput(f"sweeps is {sweeps}; it must be at least 1, and whole")
    return int(sweeps)
