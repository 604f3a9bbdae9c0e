"""What a study can run by name. Each experiment turns parameters and a seed into measures, and into the request that
replays the run to the same bits."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec
import numpy as np

from footfall.errors import InvalidInput, NoPath, UnknownName
from footfall.motion.parameters import MotionParameters
from footfall.studies.study import Study, Value
from footfall.walking.gains import control_gains
from footfall.walking.hardware_request import BusQuality
from footfall.walking.request import WalkRequest, of_now
from footfall.walking.session import WalkSession
from footfall.walking.settings import PlanningParameters, WalkSettings, planner_parameters
from footfall.walking.signals import Add, AnySignal, Drive, Load, PushBody, Set, Surface
from footfall.walking.walk import completed, walk
from footfall.walking.walker import WalkingCode

_PUSH_SECONDS = 0.1
_AFTER_PUSH = 4.0  # s of walking until it counts as stood
_WARM_UP_STEPS = 4  # until the gait is periodic
# Measures that depend on the machine: they would make results of two runs differ.
_TIMES = ("control_us", "planning_ms", "compiling_ms", "replanning_ms", "real_time_factor")


class Outcome(NamedTuple):
    """What a run came to. replay: the request of a walk, as JSON."""

    measures: dict[str, Value]
    replay: str | None = None


class Parameter(NamedTuple):
    """What may be varied. default: where a study says nothing."""

    default: Any
    meaning: str


Run = Callable[[Mapping[str, Any], int], Outcome]


@dataclass(frozen=True)
class Experiment:
    """Something that is run many times. success: the measure, true or false, that counts."""

    name: str
    meaning: str
    parameters: Mapping[str, Parameter]
    run: Run
    success: str | None = None
    settings: bool = False  # whether it takes the parameters of a walk too, as `set.NAME`

    def check(self, study: Study) -> None:
        """Refuse parameters that it does not have."""
        names = [*study.fixed, *study.vary, *([study.limit.parameter] if study.limit else [])]
        changed = [name for name in names if self.settings and name.startswith("set.")]
        known = dict(setting_names(str(study.fixed.get("robot", "lola")))) if changed else {}
        for name in names:
            if name not in (known if name in changed else self.parameters):
                raise UnknownName("parameter", name, [*self.parameters, *known], f"experiment {self.name!r}")

    def __call__(self, given: Mapping[str, Value], seed: int) -> Outcome:
        """Run once. given: parameters that differ from their defaults."""
        known = {name: each.default for name, each in self.parameters.items()}
        return self.run(known | dict(given), seed)


# Walks

_WALK_PARAMETERS = {
    "scene": Parameter("flat", "shipped name or file"),
    "robot": Parameter("lola", "shipped name or file"),
    "mode": Parameter("reduced", "reduced: ideal drives; full: servos, motors, gears and a bus"),
    "noise": Parameter(True, "whether sensors have errors"),
    "friction": Parameter(None, "of all surfaces, instead of the scene's"),
    "payload_kg": Parameter(0.0, "weight on the upper body that the controller does not know of"),
    "bus_latency": Parameter(1, "frames of 0.25 ms that one takes on the bus, 0 to 3 (full mode)"),
    "bus_dropped": Parameter(0.0, "probability that a frame is lost (full mode)"),
    "boards": Parameter(0, "how many boards lie on the way that the robot does not see"),
    "board_m": Parameter(0.02, "their height, m"),
}
_GOAL_PARAMETERS = {
    "route": Parameter(None, "a plan of steps: shipped name or file"),
    "goal": Parameter(None, "[x, y, yaw], m and rad; that of the scene by default"),
    "speed": Parameter(None, "m/s, at most"),
    "sight": Parameter(None, "exact, noisy or camera"),
}
_PUSH_PARAMETERS = {
    "speed": Parameter(0.4, "m/s, commanded"),
    "impulse": Parameter(20.0, "N s, against the upper body, within 0.1 s"),
    "direction_deg": Parameter(0.0, "where the push goes to: 0 ahead, 90 to the left"),
    "phase": Parameter(0.0, "when: 0 to 1 of a stride, from where the right foot lifts off"),
}


@lru_cache(maxsize=4)
def walking_code(robot: str) -> WalkingCode:
    """Native code of a robot, once a process."""
    from footfall.robot.load import load
    from footfall.walking.body import walking_body

    return WalkingCode(walking_body(load(robot)))


def setting_names(robot: str) -> Iterator[tuple[str, Any]]:
    """Parameters of walks that a study may vary, such as `set.gains.balance_rate`, with their values."""
    model = walking_code(robot).body.model
    settings = WalkSettings(
        planner=planner_parameters(model),
        motion=MotionParameters(),
        planning=PlanningParameters(),
        gains=control_gains(model),
    )
    yield from ((f"set.{name}", value) for name, value in settings.names())


def settings_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of the walk itself, such as `set.gains.balance_rate`."""
    return {name.removeprefix("set."): value for name, value in given.items() if name.startswith("set.")}


def surroundings(given: Mapping[str, Any], seed: int) -> tuple[AnySignal, ...]:
    """What is not as the robot believes, as signals at the begin of a walk."""
    signals: list[AnySignal] = [Set(name=name, value=value) for name, value in settings_of(given).items()]
    if given["friction"] is not None:
        signals.append(Surface(friction=given["friction"]))
    if given["payload_kg"]:
        signals.append(Load(body=walking_code(given["robot"]).body.body_of("UB"), mass=given["payload_kg"]))
    places = np.random.default_rng([seed, 2]).uniform([0.3, -0.3], [0.8, 0.3], (int(given["boards"]), 2))
    for number, (step, side) in enumerate(places.tolist()):
        ahead = 0.6 + 0.8 * number + step
        size = (0.3, 0.4, given["board_m"])
        place = (ahead, side, 0.5 * given["board_m"])
        signals.append(Add(name=f"board-{number}", size=size, position=place, visible=False))
    return tuple(signals)


def walk_request(given: Mapping[str, Any], seed: int, **fields: Any) -> WalkRequest:
    """The request of a walk with these surroundings."""
    full = given["mode"] == "full"
    bus = BusQuality(int(given["bus_latency"]), dropped=given["bus_dropped"]) if full else BusQuality()
    return WalkRequest(
        scene=given["scene"],
        robot=given["robot"],
        mode=given["mode"],
        noise=given["noise"],
        seed=seed,
        bus=bus,
        **fields,
    )


def run_walk(given: Mapping[str, Any], seed: int) -> Outcome:
    """Walk to a goal or by a plan of steps."""
    goal = None if given["goal"] is None else tuple(given["goal"])
    words = {name: given[name] for name in ("route", "speed", "sight")}
    request = completed(walk_request(given, seed, goal=goal, **words))
    request = msgspec.structs.replace(request, signals=surroundings(given, seed))
    return measured_walk(request)


def run_push(given: Mapping[str, Any], seed: int) -> Outcome:
    """Drive straight ahead, and be pushed at a phase of the stride."""
    when = _push_time(given)
    angle, force = math.radians(given["direction_deg"]), given["impulse"] / _PUSH_SECONDS
    body = walking_code(given["robot"]).body.body_of("UB")
    push = PushBody(
        time=when,
        body=body,
        force=(force * math.cos(angle), force * math.sin(angle), 0.0),
        seconds=_PUSH_SECONDS,
    )
    signals = (*_driving(given, seed), push)
    return measured_walk(walk_request(given, seed, signals=signals, seconds=round(when + _AFTER_PUSH, 6)))


def _driving(given: Mapping[str, Any], seed: int) -> tuple[AnySignal, ...]:
    return (*surroundings(given, seed), Drive(forward=given["speed"]))


def _push_time(given: Mapping[str, Any]) -> float:
    """When the phase of the stride comes, s, once the gait is periodic: of the same walk without noise and push."""
    if not 0.0 <= given["phase"] <= 1.0:
        raise InvalidInput(f"phase is {given['phase']:g}; it must be from 0 to 1, of a stride")
    quiet = dict(given) | {"noise": False, "boards": 0}
    key = tuple(sorted((name, value) for name, value in quiet.items() if name not in _PUSH_ONLY))
    lift_offs = _lift_offs(key)
    begin, end = lift_offs[0], lift_offs[1]
    return float(round(begin + given["phase"] * (end - begin), 3))


_PUSH_ONLY = ("impulse", "direction_deg", "phase")


@lru_cache(maxsize=64)
def _lift_offs(key: tuple[tuple[str, Any], ...]) -> tuple[float, float]:
    """When the right foot lifts off for two strides that follow each other, s."""
    given = dict(key)
    session = WalkSession(
        walk_request(given, 0, signals=_driving(given, 0)), code=walking_code(given["robot"])
    )
    found: list[float] = []
    while len(found) < _WARM_UP_STEPS // 2 + 2:
        session.run(0.2)
        found = _right_lift_offs(session)
        if session.fallen or session.time > 60.0:
            raise InvalidInput(
                f"without a push there is no gait at {given['speed']:g} m/s; choose another speed"
            )
    return found[-2], found[-1]


def _right_lift_offs(session: WalkSession) -> list[float]:
    """When the right foot leaves the ground, s, as far as it has walked."""
    signals, gains = session.walker.log.signals, session.walker.gains
    lifted = signals["right_foot"][:, 2] < 0.01 * gains.mass * gains.gravity
    rows = np.flatnonzero(lifted[1:] & ~lifted[:-1]) + 1
    held = [row for row in rows.tolist() if lifted[row : row + round(0.1 / gains.period)].all()]
    times = [row * gains.period * session.walker.options.log_every for row in held]
    return [time for time in times if time < session.time - 0.1]


def measured_walk(request: WalkRequest) -> Outcome:
    """Walk, and keep what does not depend on the machine. That there is no way is a result too."""
    replay = msgspec.json.encode(of_now(request)).decode()
    try:
        done = walk(request, code=walking_code(request.robot))
    except NoPath as problem:
        return Outcome({"reached": False, "stands": True, "problem": str(problem)}, replay)
    measures = {name: value for name, value in asdict(done.summary).items() if name not in _TIMES}
    for name in ("limits_passed", "touched"):
        measures[name] = len(measures[name])
    measures["peak_torque"] = max(measures.pop("peak_torques").values(), default=0.0)
    return Outcome({"stands": not measures["fallen"], **measures}, replay)


# Plans and simulations

_PLAN_PARAMETERS = {
    "scene": _WALK_PARAMETERS["scene"],
    "robot": _WALK_PARAMETERS["robot"],
    "goal": _GOAL_PARAMETERS["goal"],
    "exact": Parameter(False, "whether surfaces are seen without errors"),
}
_SIMULATION_PARAMETERS = {
    "scene": _WALK_PARAMETERS["scene"],
    "robot": Parameter("quadruped", "shipped name or file"),
    "seconds": Parameter(2.0, "how long, s"),
    "dt": Parameter(0.001, "time step, s"),
    "limp": Parameter(False, "without torques: it falls like a puppet"),
    "tilt_deg": Parameter(10.0, "largest tilt at the start, drawn by the seed"),
    "height": Parameter(0.05, "clearance above the ground at the start, m"),
}


def run_plan(given: Mapping[str, Any], seed: int) -> Outcome:
    """Plan contacts through a scene, as cameras see it."""
    from footfall.environment.perception import EXACT, PerceptionOptions, perceive
    from footfall.planning.contacts import Goal
    from footfall.planning.planner import plan_contacts
    from footfall.scene.load import load_scene
    from footfall.walking.routes import goal_of_scene, scene_with_goal, start_pose

    model = walking_code(given["robot"]).body.model
    asked = None if given["goal"] is None else Goal(*given["goal"])
    scene = scene_with_goal(load_scene(given["scene"]), asked)
    goal = asked or goal_of_scene(scene)
    if goal is None:
        raise InvalidInput(f"scene {given['scene']!r} has no goal; set goal = [x, y, yaw]")
    seen = perceive(scene, EXACT if given["exact"] else PerceptionOptions(seed=seed))
    plan = plan_contacts(seen, model, goal, start=start_pose(scene, model))
    return Outcome(
        {
            "found": plan.found,
            "steps": len(plan.steps),
            "hand_contacts": len(plan.hand_contacts),
            "cost": plan.cost,
            "nodes": plan.nodes,
            "why_not": None if plan.why_not is None else plan.why_not.text,
        }
    )


def run_simulation(given: Mapping[str, Any], seed: int) -> Outcome:
    """Let a robot go above the ground, tilted at random; it holds its posture, or is limp."""
    from footfall.contact.ground import place_on_ground
    from footfall.dynamics.energy import kinetic_energy, potential_energy
    from footfall.robot.load import load
    from footfall.simulation.simulation import Simulation

    robot = load(given["robot"], floating_base=True)
    simulation = Simulation(robot, given["scene"], dt=given["dt"])
    axis = np.random.default_rng(seed).normal(size=2)
    angle = math.radians(given["tilt_deg"]) * axis / max(float(np.linalg.norm(axis)), 1e-12) / 2.0
    q = simulation.q.copy()
    q[3:7] = np.array([1.0, *angle, 0.0]) / math.sqrt(1.0 + float(angle @ angle))
    q = place_on_ground(robot, q, scene=simulation.scene, clearance=given["height"])
    simulation.reset(q)
    before = potential_energy(robot, q)
    run = simulation.run(simulation.zero_command if given["limp"] else simulation.hold(), given["seconds"])
    after = potential_energy(robot, run.q[-1]) + kinetic_energy(robot, run.q[-1], run.v[-1])
    upright = 1.0 - 2.0 * float(run.q[-1, 4] ** 2 + run.q[-1, 5] ** 2)
    return Outcome(
        {
            "upright": upright > 0.5,
            "tilt": math.acos(min(max(upright, -1.0), 1.0)),
            "height": float(run.q[-1, 2]),
            "speed": float(np.abs(run.v[-1]).max()),
            "energy_gained": float(after - before),
        }
    )


def own_experiment(function: Callable[..., Any]) -> Experiment:
    """An experiment of a function of one's own: it is called with the parameters and `seed` by name, and returns a
    number, a truth value, or several of them in a dictionary."""
    words = inspect.signature(function).parameters
    if any(each.kind is inspect.Parameter.VAR_KEYWORD for each in words.values()):
        known: Mapping[str, Parameter] = _Anything()
    else:
        known = {name: Parameter(each.default, "") for name, each in words.items() if name != "seed"}
    takes_seed = "seed" in words or isinstance(known, _Anything)

    def run(given: Mapping[str, Any], seed: int) -> Outcome:
        values = {name: value for name, value in given.items() if value is not inspect.Parameter.empty}
        result = function(**values, **({"seed": seed} if takes_seed else {}))
        return Outcome(_as_measures(result))

    return Experiment(
        getattr(function, "__name__", "function"), function.__doc__ or "", known, run, "success"
    )


class _Anything(dict[str, Parameter]):
    """The parameters of a function with `**keywords`: all names are known."""

    def __contains__(self, name: object) -> bool:
        return True


def _as_measures(result: Any) -> dict[str, Value]:
    if isinstance(result, Mapping):
        return {str(name): _plain(value) for name, value in result.items()}
    value = _plain(result)
    return {"success": value} if isinstance(value, bool) else {"value": value}


def _plain(value: Any) -> Value:
    """A value that a table can hold."""
    if isinstance(value, np.ndarray):
        return [float(each) for each in value.ravel()]
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise InvalidInput(
        f"a run returned {type(value).__name__}; return numbers, truth values and texts by name"
    )


EXPERIMENTS: dict[str, Experiment] = {
    each.name: each
    for each in (
        Experiment(
            "walk",
            "a robot walks to a goal or by a plan of steps",
            _WALK_PARAMETERS | _GOAL_PARAMETERS,
            run_walk,
            "reached",
            settings=True,
        ),
        Experiment(
            "push",
            "a robot walks straight ahead and is pushed",
            _WALK_PARAMETERS | _PUSH_PARAMETERS,
            run_push,
            "stands",
            settings=True,
        ),
        Experiment(
            "plan",
            "contacts of feet and hands are planned through a scene",
            _PLAN_PARAMETERS,
            run_plan,
            "found",
        ),
        Experiment(
            "simulate",
            "a robot is let go above the ground, tilted",
            _SIMULATION_PARAMETERS,
            run_simulation,
            "upright",
        ),
    )
}
