"""`walk`: a robot walks through a scene in closed loop."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from footfall.errors import InvalidInput
from footfall.scene.load import load_scene
from footfall.scene.model import Scene
from footfall.simulation.world.records import Count
from footfall.walking.arrival import distance, standing
from footfall.walking.body import OTHER
from footfall.walking.body import walking_body as walking_body
from footfall.walking.hardware import Stage
from footfall.walking.hardware_setup import trouble_of
from footfall.walking.joint_watch import beyond_stops, too_fast
from footfall.walking.live.session import session_for
from footfall.walking.log import LOG_MEMORY, copied
from footfall.walking.loop import think
from footfall.walking.request import WalkRequest
from footfall.walking.routes import goal_for
from footfall.walking.runs import RUNS
from footfall.walking.sensing import NOTHING
from footfall.walking.session import WalkSession
from footfall.walking.signals import MOTIONS, Drive, Stop, WalkTo
from footfall.walking.summary import WalkSummary
from footfall.walking.walker import Walker, WalkingCode

_PROGRESS = 0.5  # s, simulated, between two reports
_LONGEST_WALK = 3600.0  # s, of a walk that nobody ends

Progress = Callable[[float, float], None]  # simulated time and how much there will be, s


@dataclass(frozen=True, eq=False)
class Walk:
    """A walk that has ended: the session with all that was asked for and recorded, and what it came to."""

    session: WalkSession
    summary: WalkSummary

    @property
    def request(self) -> WalkRequest:
        """What it was asked for."""
        return self.session.asked

    @property
    def walker(self) -> Walker:
        """The closed loop."""
        return self.session.walker

    @property
    def signals(self) -> Any:
        """All signals that are kept, an array with a field each; see `Signals` for units."""
        return self.walker.log.signals


def walk(
    request: WalkRequest | None = None,
    *,
    code: WalkingCode | None = None,
    progress: Progress | None = None,
    log_every: int = 1,
    log_memory: float = LOG_MEMORY,
) -> Walk:
    """Walk as asked for; by default over the platform, with a hand on the wall.

    A request without route, goal and signals is one to come to the goal of its scene. code: native code of the robot,
    for many walks of one. progress: told how far it is. log_every, log_memory: as for a `WalkSession`. Raises `NoPath`
    if there is no way to the goal.
    """
    asked = completed(request or RUNS["platform"].request)
    session = session_for(asked, code=code, log_every=log_every, log_memory=log_memory)
    return walk_on(session, progress=progress)


def walk_on(session: WalkSession, *, progress: Progress | None = None, timed: bool = True) -> Walk:
    """Let a session do all that it was asked for, to its end. timed: whether to measure a control period then."""
    walk_out(session, progress=progress)
    return Walk(session, summarise(session, timed=timed))


def walk_out(session: WalkSession, *, progress: Progress | None = None) -> None:
    """Let a session do all that it was asked for."""
    asked = session.asked
    end = _LONGEST_WALK if asked.seconds is None else asked.seconds
    while not session.fallen and session.time < end - 1e-9:
        # At the same times wherever it begins: a branch has the bits of the whole walk.
        stop = _PROGRESS * (math.floor(session.time / _PROGRESS + 1e-6) + 1.0)
        stretch = min(stop, end) - session.time
        rests = asked.seconds is None and session.run_to_rest(stretch)
        if asked.seconds is not None:
            session.run(stretch)
        if progress is not None:
            planned = max(session.pilot.motion.end_time + asked.rest, session.time)
            progress(session.time, asked.seconds or planned)
        if rests:
            session.run(asked.rest)
            break


def completed(request: WalkRequest) -> WalkRequest:
    """The request with the goal of its scene, if it says nothing else."""
    if request.signals or request.seconds is not None:
        last = [each for each in request.ordered_signals if isinstance(each, (Drive, Stop, WalkTo, *MOTIONS))]
        if request.seconds is None and last and isinstance(last[-1], Drive):
            raise InvalidInput(
                "the robot drives on after the last signal; say for how long by `seconds`, or let it stop"
            )
        return request
    if request.route is not None or request.goal is not None:
        return request
    return with_goal_of_scene(request, load_scene(request.scene))


def with_goal_of_scene(request: WalkRequest, scene: Scene) -> WalkRequest:
    """The request with the goal of its scene; refused if it has none."""
    goal = goal_for(request, scene)
    return msgspec.structs.replace(request, goal=(goal.x, goal.y, goal.yaw), goal_height=goal.z)


def summarise(session: WalkSession, *, timed: bool = True) -> WalkSummary:
    """Look at a walk that has ended. timed: whether to measure a control period."""
    walker, pilot, tally = session.walker, session.pilot, session.tally()
    gains, body = walker.gains, walker.code.body
    cause = cause_of_fall(walker)
    fallen = session.fallen or cause is not None
    weight = gains.mass * gains.gravity
    pilot.count_way(walker.time)
    stands = standing(body, walker.arrays[0].q)
    short, drift = (
        distance(stands, session.destination),
        distance(stands, standing(body, walker.brain.state.q)),
    )
    hands, energy = tally.hand_contacts, tally.power * walker.time
    plans = [version for version in pilot.versions if version.problem is None]
    through = beyond_stops(walker.watch, body, through=True)
    overdriven = (*through, *too_fast(walker.watch, body), *tally.too_strong)
    return WalkSummary(
        reached=session.succeeded and not fallen and short.reached and not overdriven,
        goal_error=short.away,
        goal_turn=short.turned,
        fallen=fallen,
        cause=cause,
        problem=session.problem or (f"joints cannot do it: {overdriven[0]}" if overdriven else None),
        time=walker.time,
        steps=tally.steps,
        hand_contacts=hands.found,
        planned_hand_contacts=hands.planned,
        made_hand_contacts=hands.made,
        distance=pilot.way,
        speed=pilot.way / pilot.walking if pilot.walking > 0.0 else 0.0,
        control_us=control_time(walker) if timed else float("nan"),
        planning_ms=plans[0].milliseconds,
        compiling_ms=1e3 * session.compiling,
        plans=len(plans),
        replanning_ms=max((version.milliseconds for version in plans[1:]), default=0.0),
        late_plans=sum(version.late for version in plans[1:]),
        real_time_factor=walker.time / session.computing if session.computing > 0.0 else 0.0,
        tilt=tally.tilt,
        dcm_error_rms=tally.dcm.root,
        zmp_error_rms=tally.zmp.root,
        center_error_rms=tally.center.root,
        residual=tally.residual,
        drift=drift.away,
        drift_turn=drift.turned,
        peak_foot_force=tally.foot_force,
        peak_hand_force=tally.hand_force,
        energy=energy,
        cost_of_transport=energy / (weight * pilot.way) if pilot.way > 0.1 else float("nan"),
        mode=walker.options.mode,
        tracking=tally.tracking,
        strain=tally.strain,
        lost_frames=int(walker.latest["lost_frames"]),
        peak_torques=dict(zip(body.joint_names, tally.peaks.tolist(), strict=True)),
        limits_passed=(*beyond_stops(walker.watch, body, through=False), *overdriven),
        touched=tuple(str(each) for each in walker.touches() if not each.planned),
    )


def cause_of_fall(walker: Walker) -> str | None:
    """Which limit was passed first, and when; an error of the hardware comes before the fall that it makes."""
    if walker.lost:
        return f"numbers ran away at {walker.time:.3f} s"
    stopped = trouble_of(walker.hardware, walker.code.body)
    if stopped is not None:
        log = walker.log
        at = log.first + int(np.argmax(log.signals["stage"] == Stage.ERROR))
        return f"hardware stopped at {at * walker.row_time:.3f} s: {stopped}"
    if not walker.fallen:
        return None
    last, judge, when = walker.latest, walker.judge, f"at {walker.time:.3f} s"
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
    for touch in state.contacts[: int(state.counts[Count.CONTACTS])]:
        for one, other in (("first", "second"), ("second", "first")):
            link = int(world.shapes.shapes["body"][touch[one]])
            if 0 <= link < len(parts) and parts[link] == OTHER and link != NOTHING:
                return f"{contacts.owner_of(touch[one])!r} struck {contacts.owner_of(touch[other])!r}"
    return "another body struck something"


def control_time(walker: Walker, *, periods: int = 20, repeats: int = 25) -> float:
    """Median time of a control period, us, at the end of a walk, with the call from Python; the walk must not go on."""
    times, last = [], walker.period - 1
    spare = copied(walker.log_from(last // walker.options.log_every))
    for _ in range(repeats):
        begin = time.thread_time_ns()
        for _ in range(periods):
            think(walker.brain, walker.plan, last, spare)
        times.append((time.thread_time_ns() - begin) / (1e3 * periods))
    return float(np.median(times))
