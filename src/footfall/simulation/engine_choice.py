"""Which engine computes the steps of a simulation, and which bodies a list of places has."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from footfall.contact.candidates import Candidate, scene_candidates
from footfall.contact.contact_layer import ContactLayer
from footfall.contact.detection.world import standing_in
from footfall.contact.penalty import PenaltyLaw
from footfall.dynamics.kinematics import frame_attachment
from footfall.errors import InvalidOption, ManyContactsWarning, UnknownName
from footfall.robot.model import Robot
from footfall.scene.model import Scene
from footfall.simulation.drive_step import DriveTrain
from footfall.simulation.layers.engine import LayeredEngine
from footfall.simulation.listed_engine import ListedEngine
from footfall.simulation.step_values import StepOptions
from footfall.simulation.world.engine import Setting, WorldEngine

_MANY = 256  # places that may touch


ContactList = Literal["auto", "found", "listed"]
ContactModel = Literal["exact", "impacts", "penalty"]


@dataclass(frozen=True, kw_only=True)
class Touching:
    """What a simulation was told of contact; see `Simulation`."""

    model: ContactModel
    law: PenaltyLaw
    contacts: ContactList
    candidates: Sequence[Candidate] | None
    bodies: Sequence[str] | None
    layers: Sequence[ContactLayer] | None = None

    def __post_init__(self) -> None:
        for name, value, choice in (
            ("contact model", self.model, ContactModel),
            ("list of contacts", self.contacts, ContactList),
        ):
            if value not in get_args(choice):
                raise UnknownName(name, value, get_args(choice), "Simulation")
        layers = () if self.layers is None else self.layers
        if not isinstance(layers, Sequence) or not all(isinstance(each, ContactLayer) for each in layers):
            raise InvalidOption(f"layers is {layers!r}; it must be a list of ContactLayer, as of sole_layers")

    def may_be_found(self, robots: Sequence[Robot], scene: Scene, options: StepOptions) -> bool:
        """Whether contacts may be found while it runs, as far as that is plain before anything is made."""
        given = (self.candidates, self.bodies, self.layers)
        if self.contacts == "listed" or any(each is not None for each in given):
            return False
        if not scene.free_objects and _nothing_touches(robots, scene, self_contact=True):
            return False
        return not _why_listed(options, smooth=self.is_smooth(options))

    def require_layers_alone(self) -> None:
        """Layers are all that touches."""
        if self.model != "exact" or self.candidates is not None or self.bodies is not None:
            raise InvalidOption(
                "layers: their nodes are all that touches, by exact contact; leave out contact=, candidates= and "
                "touching="
            )

    def is_smooth(self, options: StepOptions) -> bool:
        """Whether all forces are functions of the state."""
        return self.model == "penalty" or options.integrator != "semi-implicit"


def choose_engine(
    setting: Setting, touching: Touching, train: DriveTrain | None
) -> WorldEngine | ListedEngine | LayeredEngine:
    """Contacts are found while it runs, unless a list of places is given, something needs one, or nothing can touch;
    layers have an engine of their own."""
    if touching.layers is not None:
        touching.require_layers_alone()
        return LayeredEngine(setting, touching.layers, train)
    options, smooth = setting.options, touching.is_smooth(setting.options)
    needed = _why_listed(options, smooth=smooth)
    listed = touching.candidates is not None or touching.bodies is not None
    if touching.contacts == "found" and (needed or listed):
        reason = needed or "a list of places or bodies that may touch is given"
        raise InvalidOption(f"contacts is 'found', but {reason}; let it be 'auto' or 'listed'")
    free = touching.contacts == "auto" and _nothing_touches(
        [setting.robot], setting.scene, self_contact=setting.self_contact
    )
    if not (needed or listed or free or touching.contacts == "listed"):
        return WorldEngine(setting)
    if options.sleep and not free:
        raise InvalidOption(
            "sleep: only contacts that are found while it runs know it; let contacts be 'found'"
        )
    places = _places(setting, touching)
    if places and touching.model != "penalty" and options.integrator != "semi-implicit":
        raise ValueError(
            f"integrator is {options.integrator!r}, which has no impulses; with {touching.model!r} contact it "
            "must be 'semi-implicit'"
        )
    law = touching.law if smooth else None
    return ListedEngine(setting.robot, setting.scene, places, options, setting.substeps, law, train)


def _nothing_touches(robots: Sequence[Robot], scene: Scene, *, self_contact: bool) -> bool:
    """Whether there is nothing to find, so that batches may as well run in lanes."""
    if any(robot.tree.loops is not None and robot.tree.loops.held for robot in robots):
        return False  # what holds them is solved with contacts
    shaped = sum(
        sum(bool(body.collisions) for body in robot.bodies) + len(standing_in(robot)) for robot in robots
    )
    things = sum(thing.contact for thing in scene.fixed_objects)
    return shaped == 0 or (things == 0 and (shaped == 1 or not self_contact))


def _why_listed(options: StepOptions, *, smooth: bool) -> str:
    """What only native code for a list of places knows, if it is asked for."""
    if smooth:
        return "springs, or an integrator without impulses, are asked for"
    if options.solver.rule == "impacts":
        return "impacts one after the other are asked for"
    if options.bounded_energy:
        return "bounded_energy is asked for"
    return ""


def _places(setting: Setting, touching: Touching) -> tuple[Candidate, ...]:
    robot, scene = setting.robot, setting.scene
    given = touching.candidates
    places = tuple(scene_candidates(robot, scene) if given is None else given)
    if touching.bodies is not None:
        places = touched_by(touching.bodies, places, robot, scene)
    elif given is None:
        warn_of_many(places)
    for candidate in places:
        frame_attachment(robot, candidate.body)
        frame_attachment(robot, candidate.surface.body)
    return places


def touched_by(
    bodies: Sequence[str], candidates: Sequence[Candidate], robot: Robot, scene: Scene
) -> tuple[Candidate, ...]:
    """Candidates without those of bodies of robots that are not named."""
    named = {bodies} if isinstance(bodies, str) else set(bodies)
    known = [body.name for body in robot.bodies]
    for name in sorted(named.difference(known)):
        raise UnknownName("body", name, known, "the simulation, for touching")
    silent = set(known) - {thing.name for thing in scene.free_objects} - named
    return tuple(each for each in candidates if not {each.body, each.surface.body} & silent)


def warn_of_many(candidates: Sequence[Candidate]) -> None:
    """If native code for all of them takes minutes to compile."""
    if len(candidates) > _MANY:
        warnings.warn(
            f"{len(candidates)} places may touch, and native code is made for all of them, which may take minutes the "
            "first time; name the bodies that matter: Simulation(..., touching=['left_foot', 'right_foot'])",
            ManyContactsWarning,
            stacklevel=3,
        )
