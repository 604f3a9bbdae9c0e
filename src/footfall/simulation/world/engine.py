"""A simulation whose contacts are found while it runs: robots and free bodies, and all that they can touch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import new_records
from footfall.compiler.threads import begin
from footfall.contact.contacts import Contact
from footfall.contact.detection.world import (
    Carriers,
    ContactWorld,
    build_contact_world,
    contacts_of,
    resting,
    standing_in,
)
from footfall.contact.law import ContactRules
from footfall.dynamics.kinematics import link_poses
from footfall.errors import UnknownName
from footfall.math.transform import Transform, identity_transform
from footfall.robot.combine import Placed, moved
from footfall.robot.model import WORLD, JointType, Robot
from footfall.robot.tree import Attachment
from footfall.scene.assembly import free_robot
from footfall.scene.model import Scene, SceneObject
from footfall.simulation.drive_step import DriveTrain, Gears
from footfall.simulation.engine import Batch, Deepest, Pushes
from footfall.simulation.robot_motion import PrescribedMotion, RobotMotion
from footfall.simulation.run_values import SimulationState
from footfall.simulation.step_values import StepOptions
from footfall.simulation.world.build import (
    Member,
    build_world,
    given_paths,
    new_state,
    new_workspace,
    pair_materials,
)
from footfall.simulation.world.course import NO_FORCES, WorldCourse, log_of, roll_out
from footfall.simulation.world.plant import WorldPlant
from footfall.simulation.world.records import Forces, Moment, Settings, World
from footfall.simulation.world.run import Span, run_world

_REACH = 1e-3  # m: whatever is nearer is a contact, approaching or not
_SLEEP_SPEED, _SLEEP_AFTER = 1e-4, 0.2  # m/s and rad/s; s
_FEWEST_AT_REST = 2  # steps before sleep: the count of rest begins at 0, whether a thing rests or not
_DIRECT_STEPS, _INTERIOR_STEPS = 30, 60  # of the solver, at most


@dataclass(frozen=True)
class Setting:
    """What is simulated. robot: all that moves, combined; placed: its robots, before its free bodies. gears: of drives
    that are simulated. self_contact, sleep, divided_meshes, threads: see `Simulation`. prescribed: whether joints move
    as they are told, see `PrescribedMotion`."""

    robot: Robot
    scene: Scene
    placed: tuple[Placed, ...]
    options: StepOptions
    substeps: int
    gears: Gears | None
    self_contact: bool = True
    prescribed: bool = False
    sleep: bool = False
    divided_meshes: bool | None = None
    threads: int = 1


class WorldEngine:
    """See `footfall.simulation.engine`."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.members = _members(setting)
        self.contacts = self._build_contacts()

    def __getstate__(self) -> dict[str, Any]:
        """What it is made from: native code holds addresses."""
        return {"setting": self.setting}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["setting"])  # type: ignore[misc]

    def copy(self) -> WorldEngine:
        """Another one, as the scene is now, which goes on by itself; what does not change is shared."""
        twin = object.__new__(WorldEngine)
        vars(twin).update({name: value for name, value in vars(self).items() if name != "plant"})
        twin.contacts = self.contacts.copy()
        vars(twin)["world"] = self.world._replace(shapes=twin.contacts.table)
        return twin

    @property
    def scene(self) -> Scene:
        return self.setting.scene

    # What it is made of

    def _build_contacts(self) -> ContactWorld:
        setting, links = self.setting, 0
        attachments: dict[str, Attachment] = {}
        prefixes = [f"{each.name}/" if each.name else "" for each in setting.placed]
        prefixes += [""] * (len(self.members) - len(prefixes))
        for member, prefix in zip(self.members, prefixes, strict=True):
            tree = member.robot.tree
            for name, each in tree.attachments.items():
                placement = each.placement if each.link >= 0 else member.pose @ each.placement
                link = each.link + links if each.link >= 0 else -1
                attachments[name if name == WORLD else prefix + name] = Attachment(link, placement)
            links += len(tree.links)
        self.attachments = attachments
        start = setting.robot.configuration("initial")
        carriers = Carriers(attachments, resting(self._link_poses(start)))
        return build_contact_world(
            setting.robot,
            setting.scene,
            self_contact=setting.self_contact,
            divided=setting.divided_meshes,
            carriers=carriers,
        )

    def _link_poses(self, q: Array) -> list[Transform]:
        """Of all members at q (nq,)."""
        poses: list[Transform] = []
        first = 0
        for member in self.members:
            own = q[first : first + member.robot.nq]
            poses += [member.pose @ pose for pose in link_poses(member.robot.tree, own)]
            first += member.robot.nq
        return poses

    @cached_property
    def world(self) -> World:
        joints = self.setting.options.joints
        return build_world(self.members, self.contacts, limits=joints.limits, friction=joints.friction)

    @cached_property
    def settings(self) -> Settings:
        return step_settings(self.setting.robot, self.setting.options, sleep=self.setting.sleep)

    @cached_property
    def trains(self) -> list[DriveTrain]:
        found = [m.motion.train for m in self.members if m.motion is not None]
        return [train for train in found if isinstance(train, DriveTrain)]

    def currents(self, drives: Array) -> Array:
        """Currents (..., motors) of states of all drives (..., n), A."""
        if not self.trains:
            return drives[..., :0]
        parts, first = [], 0
        for train in self.trains:
            parts.append(train.currents(drives[..., first : first + train.size]))
            first += train.size
        return np.concatenate(parts, axis=-1)

    @cached_property
    def joints(self) -> int:
        return sum(member.motion.joints for member in self.members if member.motion is not None)

    # The scene may change while it runs

    def add(self, thing: SceneObject) -> None:
        self.contacts.add(thing)
        self._scene_changed((*self.setting.scene.objects, thing))

    def replace(self, thing: SceneObject) -> None:
        self._require_fixed(thing.name)
        self.contacts.replace(thing)
        objects = self.setting.scene.objects
        self._scene_changed(tuple(thing if each.name == thing.name else each for each in objects))

    def remove(self, name: str) -> None:
        self._require_fixed(name)
        self.contacts.remove(name)
        self._scene_changed(tuple(each for each in self.setting.scene.objects if each.name != name))

    def _require_fixed(self, name: str) -> None:
        """Only objects at rest or on given paths change; robots and free things have their native code."""
        known = [each.name for each in self.scene.fixed_objects]
        if name not in known:
            raise UnknownName("object at rest or on a given path", name, known, f"scene {self.scene.name!r}")

    def _scene_changed(self, objects: tuple[SceneObject, ...]) -> None:
        self.setting = replace(self.setting, scene=replace(self.setting.scene, objects=objects))
        materials, count = pair_materials(self.contacts.materials)
        paths, waypoints = given_paths(self.contacts)
        self.__dict__["world"] = self.world._replace(
            materials=materials,
            material_count=count,
            shapes=self.contacts.table,
            paths=paths,
            waypoints=waypoints,
        )
        self.plant.forget()

    # State

    def start(self, q: Array, v: Array) -> SimulationState:
        impulses = np.zeros(len(self.world.joints))
        none = new_records(Contact, 0)
        return SimulationState(0.0, q, v, np.zeros(self.joints), impulses, self._start_drives(q, v), none)

    def _start_drives(self, q: Array, v: Array) -> Array:
        parts, at_q, at_v = [np.zeros(0)], 0, 0
        for member in self.members:
            robot = member.robot
            if member.motion is not None and isinstance(member.motion.train, DriveTrain):
                own = q[at_q : at_q + robot.nq], v[at_v : at_v + robot.nv]
                parts.append(member.motion.train.start(*own))
            at_q, at_v = at_q + robot.nq, at_v + robot.nv
        return np.concatenate(parts)

    @cached_property
    def plant(self) -> WorldPlant:
        """The one that runs of a simulation go on with."""
        return WorldPlant(self, threads=self.setting.threads)

    @property
    def asleep(self) -> tuple[str, ...]:
        """Names of free objects that sleep."""
        steps = self.settings.sleep_steps
        if self.plant.latest is None or steps == 0:
            return ()
        rest = self.plant.state.rest[len(self.setting.placed) :]
        things = self.setting.scene.free_objects
        return tuple(thing.name for thing, count in zip(things, rest, strict=True) if count >= steps)

    def forget(self) -> None:
        """Begin anew the next time."""
        self.plant.forget()
        self.contacts.forget()

    # Running

    def forces(self, pushes: Pushes) -> Forces:
        known = [(self.attachments[name], wrench) for name, wrench in pushes.items()]
        known = [(each, wrench) for each, wrench in known if each.link >= 0]
        return Forces(
            np.array([each.link for each, _ in known], dtype=np.int64),
            np.array([wrench for _, wrench in known], dtype=np.float64).reshape(-1, 6),
            np.array([each.placement.translation for each, _ in known], dtype=np.float64).reshape(-1, 3),
        )

    def course(self, periods: int) -> WorldCourse:
        return WorldCourse(self, periods)

    def deepest(self, state: SimulationState) -> Deepest | None:
        bodies = resting(
            [*self._link_poses(state.q), *(path.pose(state.time) for path in self.contacts.paths.values())]
        )
        memory = self.contacts.memory()
        contacts, memory = contacts_of(self.contacts, memory, bodies)
        self.contacts.drop(memory)
        if not len(contacts):
            return None
        contact = contacts[np.argmin(contacts["gap"])]
        names = (self.contacts.owner_of(contact[name]) for name in ("first", "second"))
        return Deepest(float(-contact["gap"]), *names)

    @property
    def touching(self) -> set[str]:
        """Names of the bodies whose shapes may touch something."""
        robot = self.setting.robot
        standing = {volume.body for volume in standing_in(robot)}
        return standing | {body.name for body in robot.bodies if body.collisions}

    def link_places(self, q: Array) -> tuple[Array, Array]:
        bodies = self.plant.room.bodies
        return np.asarray(bodies.rotation), np.asarray(bodies.position)

    @property
    def weight_impulse(self) -> float:
        """Weight of all times a step, N s; without gravity that on Earth."""
        robot = self.setting.robot
        gravity = float(np.linalg.norm(robot.gravity)) or 9.81
        return robot.mass * gravity * self.settings.dt

    def rollout(self, batch: Batch) -> tuple[Array, Array, Array]:
        return roll_out(self, batch)


def step_settings(robot: Robot, options: StepOptions, *, sleep: bool) -> Settings:
    """The numbers of steps of a robot; sleep: whether things at rest sleep."""
    gravity = float(np.linalg.norm(robot.gravity))
    steps = options.solver.newton_steps
    at_rest = max(_FEWEST_AT_REST, round(_SLEEP_AFTER / options.dt))
    return Settings(
        dt=options.dt,
        gravity=np.array(robot.gravity, dtype=np.float64),
        reach=_REACH,
        rules=options.contact.rules(gravity, options.dt),
        middle=options.velocity_terms != "start",
        tolerance=options.solver.tolerance,
        moving_tolerance=options.solver.moving_tolerance,
        direct_steps=min(_DIRECT_STEPS, steps),
        interior_steps=min(_INTERIOR_STEPS, steps),
        final_steps=steps,
        sleep_speed=_SLEEP_SPEED,
        sleep_steps=at_rest if sleep else 0,
    )


def begin_early(placed: Sequence[Placed], options: StepOptions, gears: Gears | None) -> None:
    """Let other threads compile what steps of these robots will need, while other things are made."""
    begin(compile_early)

    def compile_motions() -> None:
        for each in placed:
            motion = _member(each, options, gears).motion
            assert motion is not None
            begin(lambda motion=motion: motion.settle)  # type: ignore[misc]
            motion.approach  # noqa: B018

    begin(compile_motions)


@cache
def compile_early() -> None:
    """The step, which no robot is needed for."""
    contacts = ContactWorld(0)
    world = build_world((), contacts, limits=True, friction=True)
    state = new_state(world, contacts, np.zeros(0), np.zeros(0), joints=0, drives=np.zeros(0))
    room = new_workspace(world, contacts, nv=0)
    zero = np.zeros(3)
    rules = ContactRules(False, 0.0, 0.0, 0.0, 0.0)
    settings = Settings(
        dt=1.0,
        gravity=zero,
        reach=0.0,
        rules=rules,
        middle=True,
        tolerance=0.0,
        moving_tolerance=0.0,
        direct_steps=0,
        interior_steps=0,
        final_steps=0,
        sleep_speed=0.0,
        sleep_steps=0,
    )
    log = log_of(np.zeros((0, 0)), np.zeros((0, 0)), np.zeros(0))
    now = Moment(world, settings, state, NO_FORCES, room)
    run_world.prepare(now, np.zeros((0, 6, 0)), Span(0, 0, 1), log)  # type: ignore[attr-defined]


def _members(setting: Setting) -> tuple[Member, ...]:
    robots = [
        _member(placed, setting.options, setting.gears, prescribed=setting.prescribed)
        for placed in setting.placed
    ]
    free = [Member(free_robot(each), None, identity_transform()) for each in setting.scene.free_objects]
    return (*robots, *free)


def _member(placed: Placed, options: StepOptions, gears: Gears | None, *, prescribed: bool = False) -> Member:
    """Coordinates of floating roots say where they are; what hangs on the world otherwise is placed."""
    robot, pose = placed.robot, placed.pose
    floating = {joint.type is JointType.FLOATING for joint in robot.joints if joint.parent == WORLD}
    if floating == {True}:
        pose = identity_transform()
    elif len(floating) > 1:
        robot, pose = moved(placed)[0], identity_transform()
    train = None if gears is None or not robot.drives else DriveTrain(robot, gears, options.dt)
    # Near dead points of loops a velocity that was predicted is not to be trusted.
    middle = options.velocity_terms == "middle" or (options.velocity_terms == "auto" and not robot.loops)
    kind = PrescribedMotion if prescribed else RobotMotion
    motion = kind(robot, train, middle, options.joints.implicit_gains)
    return Member(robot, motion, pose)
