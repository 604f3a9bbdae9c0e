"""`walk`: a robot walks through a scene in closed loop."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.errors import NoSole, TurnedLandmark
from footfall.gait.plan import MotionPlan
from footfall.gait.poses import HANDS
from footfall.motion.model_derivation import reduced_model
from footfall.motion.pipeline import generate_motion
from footfall.motion.standing import with_standing_frames
from footfall.motion.whole_body import WholeBody
from footfall.robot.load import load
from footfall.robot.model import Robot
from footfall.robot.variants import with_floating_base
from footfall.scene.load import load_scene
from footfall.simulation.world.records import Count
from footfall.walking.body import OTHER, WalkingBody
from footfall.walking.hardware import Stage
from footfall.walking.hardware_setup import trouble_of
from footfall.walking.loop import think
from footfall.walking.request import WalkRequest
from footfall.walking.routes import route_for
from footfall.walking.runs import RUNS
from footfall.walking.sensing import NOTHING
from footfall.walking.summary import WalkSummary, count_hand_contacts, count_steps, joint_torques, rms
from footfall.walking.walker import Walker, WalkerOptions, WalkingCode

_PROGRESS = 0.5  # s, simulated, between two reports
_NEAR = 0.15  # m: so near to where it should end a robot has reached its goal

Told = Callable[[float, float], None]  # simulated time and how much there will be, s


@dataclass(frozen=True, eq=False)
class Walk:
    """A walk that has ended: what was asked for, the closed loop with all that was recorded, and what it came to."""

    request: WalkRequest
    walker: Walker
    summary: WalkSummary

    @property
    def signals(self) -> Any:
        """All signals, an array with a field each; see `Signals` for units."""
        return self.walker.log.signals


def walking_body(robot: Robot) -> WalkingBody:
    """A robot as walking sees it: free to move, with frames on its soles if it had none."""
    machine = with_floating_base(robot)
    try:
        return WalkingBody(machine, reduced_model(machine))
    except (NoSole, TurnedLandmark):
        machine = with_standing_frames(machine)
        return WalkingBody(machine, reduced_model(machine))


def whole_body_for(route: MotionPlan, body: WalkingBody) -> WholeBody:
    """The robot whose angular momentum plans know, with the reach of the hands that a plan uses."""
    whole = WholeBody(body.robot, body.model)
    for pose in route.poses:
        for hand, state in zip(HANDS, (pose.right_hand, pose.left_hand), strict=True):
            if state.task_space:
                whole.arm(hand)
    return whole


def walk(request: WalkRequest | None = None, *, progress: Told | None = None) -> Walk:
    """Walk as asked for; by default over the platform, with a hand on the wall.

    progress: told how far it is. Raises `NoRoute` if there is no way to the goal.
    """
    request = request or RUNS["platform"].request
    scene, body = load_scene(request.scene), walking_body(load(request.robot))
    begin = time.perf_counter()
    route = route_for(request, scene, body.model)
    planning = time.perf_counter() - begin
    whole = whole_body_for(route, body)  # made once for a robot: no part of planning
    begin = time.perf_counter()
    motion = generate_motion(route, body.model, body=whole)
    planning += time.perf_counter() - begin
    options = WalkerOptions(
        request.period,
        request.substeps,
        request.noise,
        request.seed,
        request.pushes,
        mode=request.mode,
        bus=request.bus,
        faults=request.faults,
    )
    walker = Walker(WalkingCode(body), scene, motion, options)
    end = motion.end_time + request.rest
    walker.run_until(request.period)  # what takes long now is compilation
    computing = 0.0
    while walker.time < end - 1e-9:
        started = time.thread_time()
        going = walker.run_until(min(walker.time + _PROGRESS, end))
        computing += time.thread_time() - started
        if progress is not None:
            progress(walker.time, end)
        if not going:
            break
    return Walk(request, walker, summarise(walker, planning, computing))


def summarise(walker: Walker, planning: float, computing: float) -> WalkSummary:
    """Look at a walk that has ended. planning, computing: s."""
    log, gains, body, motion = walker.log, walker.gains, walker.code.body, walker.motion
    signals: Any = log.signals
    cause = cause_of_fall(walker)
    fallen = walker.fallen or walker.lost or cause is not None
    weight = gains.mass * gains.gravity
    feet = 0.5 * motion.sample([motion.begin_time, motion.end_time]).feet[:, 0].sum(axis=1)
    distance = float(np.linalg.norm((feet[1] - feet[0])[:2]))
    drift = log.q[-1, :3] - walker.brain.state.q[:3]
    torques, rates = joint_torques(body, log, gains.period)
    power = np.maximum(torques * rates, 0.0).sum(axis=1)
    energy = float(power.mean() * walker.time) if len(power) else 0.0
    off = float(np.hypot(*drift[:2]))
    forces = np.concatenate([signals["right_foot"][:, 2], signals["left_foot"][:, 2]])
    hands = [np.linalg.norm(signals[hand][:, :3], axis=1).max() for hand in ("right_hand", "left_hand")]
    return WalkSummary(
        reached=not fallen and walker.time >= motion.end_time and off < _NEAR,
        fallen=fallen,
        cause=cause,
        time=walker.time,
        steps=count_steps(signals, weight, gains.period),
        hand_contacts=count_hand_contacts(signals, gains.period),
        distance=distance,
        speed=distance / (motion.end_time - motion.begin_time),
        control_us=control_time(walker),
        planning_ms=1e3 * planning,
        real_time_factor=walker.time / computing if computing > 0.0 else 0.0,
        tilt=float(np.abs(signals["tilt"]).max()),
        dcm_error_rms=rms(signals["dcm_error"]),
        zmp_error_rms=rms((signals["zmp"] - signals["planned_zmp"])[:, :2]),
        center_error_rms=rms(signals["center"] - signals["planned_center"]),
        residual=float(signals["residual"].max()),
        drift=off,
        peak_foot_force=float(forces.max()),
        peak_hand_force=float(max(hands)),
        energy=energy,
        cost_of_transport=energy / (weight * distance) if distance > 0.1 else float("nan"),
        mode=walker.options.mode,
        tracking=float(signals["tracking"].max()),
        strain=float(signals["strain"].max()),
        lost_frames=int(signals["lost_frames"][-1]),
        peak_torques=dict(zip(body.joint_names, np.abs(torques).max(axis=0).tolist(), strict=True)),
    )


def cause_of_fall(walker: Walker) -> str | None:
    """Which limit was passed first, and when; an error of the hardware comes before the fall that it makes."""
    stopped = trouble_of(walker.hardware, walker.code.body)
    if stopped is not None:
        at = int(np.argmax(walker.log.signals["stage"] == Stage.ERROR)) * walker.options.log_every
        return f"hardware stopped at {at * walker.gains.period:.3f} s: {stopped}"
    if walker.lost:
        return f"numbers ran away at {walker.time:.3f} s"
    if not walker.fallen:
        return None
    last, judge, when = walker.log.signals[-1], walker.judge, f"at {walker.time:.3f} s"
    if last["other"] > judge.force:
        return f"{_struck(walker)} with {last['other']:.0f} N {when}"
    if last["upright"] < judge.upright:
        return f"upper body tilted by {np.rad2deg(np.arccos(last['upright'])):.0f} degrees {when}"
    sunk = last["planned_center"][2] - last["center"][2]
    return f"centre of mass {100 * sunk:.0f} cm below its plan {when}"


def _struck(walker: Walker) -> str:
    """Which body that is neither foot nor hand has touched what."""
    state, _ = walker.arrays
    contacts, parts, world = walker.engine.contacts, walker.code.body.parts, walker.world
    for touch in state.touches[: int(state.counts[Count.TOUCHES])]:
        for one, other in (("first", "second"), ("second", "first")):
            link = int(world.shapes.shapes["body"][touch[one]])
            if 0 <= link < len(parts) and parts[link] == OTHER and link != NOTHING:
                return f"{contacts.owner_of(touch[one])!r} struck {contacts.owner_of(touch[other])!r}"
    return "another body struck something"


def control_time(walker: Walker, *, periods: int = 20, repeats: int = 25) -> float:
    """Median time of a control period, us, at the end of a walk, with the call from Python; the walk must not go on."""
    times, last = [], walker.period - 1
    spare = walker.log._replace(signals=walker.log.signals.copy())
    for _ in range(repeats):
        begin = time.thread_time_ns()
        for _ in range(periods):
            think(walker.brain, walker.plan, last, spare)
        times.append((time.thread_time_ns() - begin) / (1e3 * periods))
    return float(np.median(times))
