"""Many robots walk at once: the same motion under other pushes, frictions and errors of sensors."""

from __future__ import annotations

from collections.abc import Sequence

from footfall.compiler.threads import Job, available_cores, share
from footfall.motion.motion import Motion
from footfall.scene.model import Scene
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
