"""Many robots walk at once: by one motion under other pushes, frictions and errors of sensors, or each as a request of
its own asks, with its own scene, goal, commands and plans."""

from __future__ import annotations

from collections.abc import Sequence

from footfall.compiler.threads import Job, available_cores, share
from footfall.errors import FootfallError, InvalidInput
from footfall.motion.motion import Motion
from footfall.robot.load import load
from footfall.scene.model import Scene
from footfall.walking.body import walking_body
from footfall.walking.live.session import session_for
from footfall.walking.request import WalkRequest
from footfall.walking.walk import Walk, completed, walk_on
from footfall.walking.walker import Walker, WalkerOptions, WalkingCode

_STRETCH = 0.5  # s, simulated, between two looks at whether to stop


def walk_many(
    code: WalkingCode,
    scene: Scene,
    motion: Motion,
    options: Sequence[WalkerOptions],
    *,
    until: float | None = None,
    threads: int | None = None,
) -> list[Walker]:
    """Robots that have walked by a motion, each with options of its own; those that fell have stopped there.

    until: s; a second after the motion ends by default. They share native code and the tables of the scene, each has
    its own state, and the result does not depend on the number of threads.
    """
    if not options:
        return []
    walkers = [Walker(code, scene, motion, each) for each in options]
    first = walkers[0]
    end = motion.end_time + 1.0 if until is None else until
    first.run_until(min(first.gains.period, end))  # native code is made once
    waiting = iter(walkers)

    def part(job: Job) -> None:
        while not job.stopped:
            with job.lock:
                walker = next(waiting, None)
            if walker is None:
                return
            while walker.time < end - 1e-9 and not job.stopped:
                if not walker.run_until(min(walker.time + _STRETCH, end)):
                    break

    share(part, min(threads or available_cores(), len(walkers)))
    return walkers


def walk_all(
    requests: Sequence[WalkRequest], *, threads: int | None = None, log_memory: float = 0.0
) -> list[Walk | FootfallError]:
    """Walks as requests ask, several at once; where one could not be done stands its error, such as `NoPath`.

    Walks of one robot share its native code. log_memory: bytes that the log of each may take; with 0 none is kept but
    for the last second. The result does not depend on the number of threads. Much Python, as in planning through
    scenes, is done by one thread at a time: studies share it among processes.
    """
    if live := next((each for each in requests if each.live), None):
        raise InvalidInput(f"the request of seed {live.seed} is a live walk; those are walked one at a time")
    codes = {name: WalkingCode(walking_body(load(name))) for name in {each.robot for each in requests}}
    found: dict[int, Walk | FootfallError] = {}
    waiting = iter(enumerate(requests))

    def walked(request: WalkRequest) -> Walk | FootfallError:
        try:
            code = codes[request.robot]
            return walk_on(session_for(completed(request), code=code, log_memory=log_memory), timed=False)
        except FootfallError as problem:
            return problem

    def part(job: Job) -> None:
        while not job.stopped:
            with job.lock:
                number, request = next(waiting, (-1, None))
            if request is None:
                return
            found[number] = walked(request)

    share(part, max(1, min(threads or available_cores(), len(requests))))
    return [found[number] for number in range(len(requests))]
