"""What a study can run by name. Each experiment turns parameters and a seed into measures, and into the request that
replays the run to the same bits."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import msgspec
import numpy as np

from footfall.errors import InvalidInput, NoPath, UnknownName
from footfall.motion.parameters import MotionParameters
from footfall.scene.load import load_scene
from footfall.studies.study import Study, Value
from footfall.walking.branch import branch
from footfall.walking.gains import control_gains
from footfall.walking.hardware_request import BusQuality
from footfall.walking.live.session import session_for
from footfall.walking.request import WalkRequest, of_now, read_request
from footfall.walking.session import WalkSession
from footfall.walking.settings import PlanningParameters, WalkSettings, planner_parameters
from footfall.walking.signals import Add, AnySignal, Drive, Load, PushBody, Set, Surface
from footfall.walking.walk import completed, walk_on, walk_out, with_goal_of_scene
from footfall.walking.walker import WalkingCode

_PUSH_SECONDS = 0.1
_LOOK = 0.2  # s, between two looks at a gait
_ARM = 0.5  # m, beside the upper body, where weights hang
_AFTER_PUSH = 4.0  # s of walking until it counts as stood
_WARM_UP_STEPS = 4  # until the gait is periodic
_BEFORE = 48  # walks until a push that are kept: of all seeds of two cells
# Measures that depend on the machine: they would make results of two runs differ.
_TIMES = ("control_us", "planning_ms", "compiling_ms", "replanning_ms", "late_plans", "real_time_factor")


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
        names = study.names
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
    "weight_error": Parameter(0.0, "share of its weight by which the robot is heavier than it believes"),
    "center_ahead_m": Parameter(0.0, "how far its centre of mass lies ahead of where it believes it to be"),
    "center_left_m": Parameter(0.0, "the same to the left"),
    "sensor_delay": Parameter(0.0, "s, by which all sensors are later than usual"),
    "substeps": Parameter(None, "steps of the plant in a period of 1 ms; 2, and 4 in full mode"),
    "bus_latency": Parameter(1, "frames of 0.25 ms that one takes on the bus, 0 to 3 (full mode)"),
    "bus_jitter": Parameter(0.0, "probability that one takes a frame more (full mode)"),
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
# What a session's request says of these holds where a study says nothing.
_OF_REQUEST = ("scene", "robot", "mode", "noise", "sensor_delay", "substeps", "speed", "sight")
_SESSION_PARAMETERS = {
    "request": Parameter(
        None, "file of a walk with its signals: a script (.toml), or what a walk has written (.json)"
    ),
    **{
        name: Parameter(None if name in _OF_REQUEST else each.default, each.meaning)
        for name, each in (_WALK_PARAMETERS | _GOAL_PARAMETERS).items()
        if name not in ("route", "goal", "bus_latency", "bus_jitter", "bus_dropped")
    },
}
_PUSH_PARAMETERS = {
    "speed": Parameter(0.4, "m/s, commanded"),
    "impulse": Parameter(20.0, "N s, against the upper body, within 0.1 s"),
    "direction_deg": Parameter(0.0, "where the push goes to: 0 ahead, 90 to the left"),
    "phase": Parameter(0.0, "when: 0 to 1 of a stride, from where the right foot lifts off"),
    "hands": Parameter(
        False, "whether it walks to the goal of the scene by hands on walls, rather than straight on"
    ),
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
    signals += _loads(given)
    places = np.random.default_rng([seed, 2]).uniform([0.3, -0.3], [0.8, 0.3], (int(given["boards"]), 2))
    for number, (step, side) in enumerate(places.tolist()):
        ahead = 0.6 + 0.8 * number + step
        size = (0.3, 0.4, given["board_m"])
        place = (ahead, side, 0.5 * given["board_m"])
        signals.append(Add(name=f"board-{number}", size=size, position=place, visible=False))
    return tuple(signals)


def _loads(given: Mapping[str, Any]) -> Iterator[Load]:
    """Weights on the upper body. Two that cancel are a couple: the centre of mass seems to lie elsewhere."""
    if not any(given[name] for name in ("payload_kg", "weight_error", "center_ahead_m", "center_left_m")):
        return
    body = walking_code(given["robot"]).body
    robot, upper = body.robot, body.body_of("UB")
    extra = given["payload_kg"] + given["weight_error"] * robot.mass
    if extra:
        yield Load(body=upper, mass=extra)
    places = robot.tree.attachments
    axes = places[upper].placement.rotation.T @ places[body.model.frames["UB"]].placement.rotation
    for k, name in enumerate(("center_ahead_m", "center_left_m")):
        for sign in (1.0, -1.0) if given[name] else ():
            x, y, z = (sign * _ARM * axes[:, k]).tolist()
            yield Load(body=upper, mass=sign * robot.mass * given[name] / (2.0 * _ARM), at=(x, y, z))


def walk_request(given: Mapping[str, Any], seed: int, **fields: Any) -> WalkRequest:
    """The request of a walk with these surroundings."""
    full = given["mode"] == "full"
    bus = (
        BusQuality(int(given["bus_latency"]), given["bus_jitter"], given["bus_dropped"])
        if full
        else BusQuality()
    )
    return WalkRequest(
        scene=given["scene"],
        robot=given["robot"],
        mode=given["mode"],
        noise=given["noise"],
        seed=seed,
        bus=bus,
        sensor_delay=given["sensor_delay"],
        substeps=given["substeps"],
        **fields,
    )


def run_walk(given: Mapping[str, Any], seed: int) -> Outcome:
    """Walk to a goal or by a plan of steps."""
    goal = None if given["goal"] is None else tuple(given["goal"])
    words = {name: given[name] for name in ("route", "speed", "sight")}
    request = completed(walk_request(given, seed, goal=goal, **words))
    request = msgspec.structs.replace(request, signals=surroundings(given, seed))
    return measured_walk(request)


def run_session(given: Mapping[str, Any], seed: int) -> Outcome:
    """Walk as the request of a file asks, with its signals; what a study gives takes the place of what stands there."""
    if given["request"] is None:
        raise InvalidInput(
            "a session needs request = the file of a walk: a script (.toml), or what a walk has written"
        )
    asked = read_request(given["request"])
    if asked.live:
        raise InvalidInput(
            f"{given['request']!r} is of a live walk, whose plans came when they came; walk it otherwise"
        )
    fields = {name: given[name] for name in _OF_REQUEST if given[name] is not None}
    asked = completed(msgspec.structs.replace(asked, seed=seed, **fields))
    varied = settings_of(given)
    kept = (each for each in asked.signals if not (isinstance(each, Set) and each.name in varied))
    signals = (*surroundings(dict(given) | {"robot": asked.robot}, seed), *kept)
    return measured_walk(msgspec.structs.replace(asked, signals=signals))


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
    before = _walking_on(given, seed, seconds=when)
    end = round(when + _AFTER_PUSH, 6)
    request = msgspec.structs.replace(before, signals=(*before.signals, push), seconds=end)
    return measured_session(branch(_walked(msgspec.json.encode(before)), request))


@lru_cache(maxsize=_BEFORE)
def _walked(asked: bytes) -> WalkSession:
    """A walk, as JSON, until its end, from which pushes of all directions and sizes go on."""
    request = msgspec.json.decode(asked, type=WalkRequest)
    session = session_for(request, code=walking_code(request.robot), log_memory=0.0)
    walk_out(session)
    session.forget_log()  # branches have logs of their own
    return session


def _walking_on(given: Mapping[str, Any], seed: int, seconds: float | None = None) -> WalkRequest:
    """The request of a walk straight on, or by hands on walls to the goal of the scene."""
    signals = surroundings(given, seed)
    if not given["hands"]:
        return walk_request(given, seed, signals=(*signals, Drive(forward=given["speed"])), seconds=seconds)
    request = with_goal_of_scene(walk_request(given, seed), load_scene(given["scene"]))
    words = {"signals": signals, "speed": given["speed"], "sight": "exact", "seconds": seconds}
    return msgspec.structs.replace(request, **words)


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
    code = walking_code(given["robot"])
    session = WalkSession(_walking_on(given, 0), code=code, log_memory=0.0)
    watch = _StrideWatch(session)
    while True:
        session.run(_LOOK)
        watch.look()
        strides = list(
            pairwise(watch.lift_offs if given["hands"] else watch.lift_offs[_WARM_UP_STEPS // 2 :])
        )
        held = [each for each in strides if not given["hands"] or watch.leans_at(each[0])]
        if held:
            return held[0]
        if session.fallen or session.resting or session.time > 60.0:
            what = "hand on a wall" if given["hands"] else "gait"
            raise InvalidInput(
                f"without a push there is no {what} at {given['speed']:g} m/s; choose another speed or scene"
            )


class _StrideWatch:
    """When the right foot of a walk leaves the ground for good, s, and when hands lean on something, as it goes on."""

    def __init__(self, session: WalkSession) -> None:
        self._session, self._rows = session, 0
        self._lifted, self._leaning = np.zeros(0, dtype=bool), np.zeros(0, dtype=bool)
        self.lift_offs: list[float] = []

    def look(self) -> None:
        """Take the rows of the log that are new."""
        walker = self._session.walker
        signals: Any = walker.log_from(self._rows).signals
        self._rows += len(signals)
        weight = walker.gains.mass * walker.gains.gravity
        self._lifted = np.append(self._lifted, signals["right_foot"][:, 2] < 0.01 * weight)
        self._leaning = np.append(self._leaning, signals["hand_loads"].max(axis=1) > 0.5)
        rows = np.flatnonzero(self._lifted[1:] & ~self._lifted[:-1]) + 1
        lasting = round(0.1 / walker.row_time)
        held = [row for row in rows.tolist() if self._lifted[row : row + lasting].all()]
        times = [row * walker.row_time for row in held]
        self.lift_offs = [time for time in times if time < self._session.time - 0.1]

    def leans_at(self, time: float) -> bool:
        """Whether a hand leaned on something then."""
        return bool(self._leaning[round(time / self._session.walker.row_time)])


def measured_walk(request: WalkRequest) -> Outcome:
    """Walk, and keep what does not depend on the machine. That there is no way is a result too."""
    usual = not (request.lenient or request.frames or request.sole)
    code = walking_code(request.robot) if usual else None
    try:
        return measured_session(session_for(request, code=code, log_memory=0.0))
    except NoPath as problem:
        measures: dict[str, Value] = {"reached": False, "stands": True, "problem": str(problem)}
        return Outcome(measures, _replay(request))


def _replay(request: WalkRequest) -> str:
    return msgspec.json.encode(of_now(request)).decode()


def measured_session(session: WalkSession) -> Outcome:
    """The same of a session that has begun."""
    done = walk_on(session, timed=False)
    measures = {name: value for name, value in asdict(done.summary).items() if name not in _TIMES}
    for name in ("limits_passed", "touched"):
        measures[name] = len(measures[name])
    measures["peak_torque"] = max(measures.pop("peak_torques").values(), default=0.0)
    return Outcome({"stands": not measures["fallen"], **measures}, _replay(session.asked))


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
            "session",
            "a robot does what a script or a walk's file says, with its signals",
            _SESSION_PARAMETERS,
            run_session,
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
