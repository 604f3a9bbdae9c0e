"""Let a disk run full while something is saved: old files stay, and what was said to be kept is there.

    python -m benchmarks.attack.full_disks [NAME ...] [--points 40]

The limit that the system sets on the size of files stands for the disk: it strikes the same calls, at any byte. Each
way of saving is cut off at many sizes from nothing to the whole file, each time in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from footfall.errors import FootfallError

OLD = b"precious"
POINTS = 40

Way = Callable[[Path], None]
Fault = AbstractContextManager[None]  # what is wrong while something is saved


def record(path: Path) -> None:
    """A second of states; the number that was accepted is told."""
    _record(path)


def record_over(path: Path) -> None:
    """The same in the place of an old file."""
    _record(path, overwrite=True)


def _record(path: Path, **options: Any) -> None:
    import footfall
    from footfall.errors import CannotWrite

    robot = footfall.load("arm-7r")
    q, v = footfall.neutral(robot), np.zeros(robot.nv)
    writer = None
    try:
        writer = footfall.RecordingWriter(path, robot, **options)
        for k in range(2000):
            writer.state(1e-3 * k, q, v + k)
            if k % 500 == 499:
                writer.flush()
                _told["kept"] = k + 1
        writer.event(2.0, "end")
        writer.close()
        _told["kept"], _told["complete"] = 2000, True
    except (CannotWrite, MemoryError, SystemError) as failure:
        if writer is not None:
            _told["place"] = str(writer._file.place)
            # Memory may be there again, a disk stays full
            _told["refuses"] = not isinstance(failure, CannotWrite) or _refuses(writer, q, v)
        raise failure


def _refuses(writer: Any, q: Any, v: Any) -> bool:
    """Whether every call from then on fails."""
    from footfall.errors import CannotWrite

    for call in (lambda: writer.state(9.0, q, v), writer.flush, writer.close):
        try:
            call()
        except CannotWrite:
            continue
        return False
    return True


def export(path: Path) -> None:
    from footfall.recording.export import export_recording
    from footfall.recording.reader import read_recording

    export_recording(read_recording(_EXAMPLE), path)


def robot(path: Path) -> None:
    import footfall

    footfall.save(footfall.load("lola"), path)


def scene(path: Path) -> None:
    import footfall

    footfall.save_scene(footfall.load_scene("steps"), path)


def calibration(path: Path) -> None:
    from footfall.robot.drives.encoder_calibration import Calibration, write_calibration

    write_calibration(Calibration({f"joint {k}": 1e-3 * k for k in range(400)}), path)


def plan(path: Path) -> None:
    from footfall.gait.plan_record import write_plan
    from footfall.motion.plans import load_plan
    from footfall.motion.reduced_model_file import published_model

    model = published_model("lola")
    assert model is not None
    write_plan(load_plan("platform", model), path)


def reduced_model(path: Path) -> None:
    from footfall.motion.reduced_model_file import published_model, write_reduced_model

    model = published_model("lola")
    assert model is not None
    write_reduced_model(model, path)


def parameters(path: Path) -> None:
    from footfall.motion.parameters import MotionParameters, write_parameters

    write_parameters(MotionParameters(), path)


def problems(path: Path) -> None:
    from benchmarks.lab.random_problems import random_problem
    from footfall.contact.problem import save_problems

    save_problems(path, [random_problem(8, seed=seed) for seed in range(20)])


def stream_log(path: Path) -> None:
    """Rows of a stream, the thread that writes them being at work."""
    from footfall.messages import StreamLog

    with StreamLog(path, {"joints": ("number",)}, interval=1e-3, compressed=False) as log:
        for k in range(20_000):
            while not log.put("joints", 1e-3 * k, k) and log.problem is None:
                time.sleep(1e-4)
        log.streams["joints"].dropped = 0  # those were tried again


def perception(path: Path) -> None:
    from benchmarks.attack.seed_vision import containers
    from footfall.environment import PerceptionRecorder

    container = containers()[1]
    with PerceptionRecorder(path) as recorder:
        for k in range(200):
            recorder.add(replace(container, acquired=float(k)))


def environment(path: Path) -> None:
    from benchmarks.attack.seed_vision import containers
    from footfall.environment import Environment, save_environment
    from footfall.environment.model import updated

    save_environment(updated(Environment(), containers()[1].update), path)


def walk_request(path: Path) -> None:
    from footfall.walking.request import Push, WalkRequest, write_request

    write_request(WalkRequest(pushes=(Push("torso", (0.0, 150.0, 0.0), 3.0, 0.1),) * 40), path)


def volumes(path: Path) -> None:
    import footfall
    from footfall.robot.volume_schema import save_volumes

    save_volumes(footfall.load("lola"), path)


def planner_parameters(path: Path) -> None:
    from footfall.planning.parameters import PlannerParameters, write_planner_parameters

    write_planner_parameters(PlannerParameters(), path)


def kernel(path: Path) -> None:
    """A kernel is compiled into a cache on the full disk: it works, kept or not."""
    from footfall.compiler import build_kernel

    os.environ["FOOTFALL_CACHE_DIR"] = str(path.parent / "cache")
    waves = build_kernel(lambda x: np.sin(x) + x[0], {"x": 3}, name="waves")
    assert waves(np.zeros(3)).tolist() == [0.0, 0.0, 0.0]
    path.write_bytes(b"")  # which was possible


WAYS: dict[str, tuple[Way, str]] = {
    "record": (record, "run.mcap"),
    "record over": (record_over, "run.mcap"),
    "export csv": (export, "run.csv"),
    "export npz": (export, "run.npz"),
    "export parquet": (export, "run.parquet"),
    "robot toml": (robot, "robot.toml"),
    "robot urdf": (robot, "robot.urdf"),
    "robot mjcf": (robot, "robot.xml"),
    "scene": (scene, "scene.toml"),
    "calibration": (calibration, "calibration.toml"),
    "plan": (plan, "plan.json"),
    "reduced model": (reduced_model, "model.toml"),
    "parameters": (parameters, "parameters.toml"),
    "contact problems": (problems, "problems.npz"),
    "stream log": (stream_log, "log.mcap"),
    "perception": (perception, "seen.mcap"),
    "environment": (environment, "environment.toml"),
    "walk request": (walk_request, "walk.json"),
    "volumes": (volumes, "volumes.toml"),
    "planner parameters": (planner_parameters, "planner.toml"),
    "kernel": (kernel, "done"),
}
GROWING = ("stream log", "perception")  # new files that hold what was written so far
_told: dict[str, Any] = {}
_EXAMPLE = Path(tempfile.gettempdir()) / f"footfall-attack-{os.getuid()}-example.mcap"


@contextmanager
def room_for(limit: int) -> Iterator[None]:
    """A disk with room for `limit` bytes a file; for the rest of the process."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    yield


def complaint(name: str, fault: Fault | None, folder: Path) -> str:
    """Save something while there is a fault; what is wrong with the outcome, if anything is."""
    way, file_name = WAYS[name]
    path = folder / file_name
    for old in folder.iterdir():
        old.unlink() if old.is_file() else [each.unlink() for each in old.iterdir()]
    if name != "record" and name not in GROWING:
        path.write_bytes(OLD)
    told, status = _forked(way, path, fault)
    if status:
        return f"the process died with {status}"
    failed = told.get("error")
    if "wrong" in told or (failed and fault is None):
        return f"{failed}"
    left = [
        each for each in folder.iterdir() if each != path and each.is_file() and not _belongs_to(each, path)
    ]
    if name == "kernel":
        return f"{failed}" if failed and told["full"] else ""  # it needs no disk, but memory
    if name in GROWING:
        return _beginning_complaint(name, path, whole=not failed)
    if not name.startswith("record"):
        if failed and path.read_bytes() != OLD and not _is_whole(way, path):
            return "the old file is gone"
        return f"left behind: {left}" if left else ""
    return _recording_complaint(told, path, over=name == "record over")


def _belongs_to(other: Path, path: Path) -> bool:
    """Whether a file is the whole .srdf that stands beside a .urdf, which is written first."""
    if path.suffix != ".urdf" or other != path.with_suffix(".srdf"):
        return False
    return other.read_text(encoding="utf-8").rstrip().endswith("</robot>")


def _is_whole(way: Way, path: Path) -> bool:
    """Whether the new file is there as it should be: what fails after it took its name loses nothing."""
    again = path.parent / "again" / path.name
    again.parent.mkdir(exist_ok=True)
    _forked(way, again, None)
    return again.read_bytes() == path.read_bytes()


def _beginning_complaint(name: str, path: Path, *, whole: bool) -> str:
    """A file that grew must hold a beginning of what was written, or, if nothing was told, all of it."""
    from footfall.environment import read_perception
    from footfall.messages import read_log

    if not path.exists():
        return "it is said to be written, and is not there" if whole else ""
    numbers: list[float] = []
    try:
        if name == "stream log":
            numbers = read_log(path)["joints"].rows[:, 0].tolist()
        else:
            numbers = [each.acquired for each in read_perception(path)]
    except (FootfallError, KeyError) as problem:  # cut off before the first chunk
        if whole:
            return f"whole, and cannot be read: {problem}"
    if numbers != list(range(len(numbers))):
        return "what can be read is no beginning of what was written"
    expected = 20_000 if name == "stream log" else 200
    return (
        f"{len(numbers)} of {expected} are there, and nobody told"
        if whole and len(numbers) < expected
        else ""
    )


def _recording_complaint(told: dict[str, Any], path: Path, *, over: bool) -> str:
    import footfall

    if "error" not in told:
        return "" if footfall.read_recording(path).complete else "complete, and is not"
    if over and path.read_bytes() != OLD:
        return "the old file is gone"
    if "place" not in told:  # not even the head fitted
        return "" if over == path.exists() else "the head of a file was left"
    if not told["refuses"]:
        return "states were accepted after the failure"
    kept = footfall.read_recording(told["place"]).v[:, 0]
    if kept.tolist() != list(range(len(kept))) or len(kept) < told.get("kept", 0):
        return f"{len(kept)} states in the file, {told['kept']} were said to be kept"
    return ""


def _forked(way: Way, path: Path, fault: Fault | None) -> tuple[dict[str, Any], int]:
    """What a way of saving told in a process with that fault, and how the process ended."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _told.clear()
        try:
            with fault or nullcontext():
                way(path)
        # NumPy hides that it has no memory: behind errors of the interpreter, or of types that it says not to know,
        # which become errors of tracing. What counts is that it is told, and what the files hold.
        except (OSError, MemoryError, SystemError, TypeError, AttributeError, FootfallError) as error:
            _told["error"], _told["full"] = repr(error), isinstance(error, OSError)
        except BaseException as error:
            _told["wrong"] = _told["error"] = repr(error)
        os.write(writing, json.dumps(_told).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        content = pipe.read()
    _, status = os.waitpid(child, 0)
    return json.loads(content) if content else {}, status


def run(name: str, *, points: int = POINTS) -> list[tuple[int, str]]:
    """Cut a way of saving off at many sizes; what went wrong, by size (-1: without a limit)."""
    with tempfile.TemporaryDirectory(prefix="footfall-attack-") as place:
        folder = Path(place)
        (folder / "cache").mkdir(mode=0o700)
        problem = complaint(name, None, folder)
        sizes = [
            each.stat().st_size
            for each in (*folder.iterdir(), *(folder / "cache").iterdir())
            if each.is_file()
        ]
        whole = max(sizes, default=0)
        limits = sorted({*np.linspace(0, whole - 1, points).astype(int).tolist(), whole})
        found = [(limit, complaint(name, room_for(limit), folder)) for limit in limits]
    return [each for each in [(-1, problem), *found] if each[1]]


def prepare() -> None:
    """What the ways of saving need: an example, and kernels in the cache."""
    import footfall

    arm = footfall.load("arm-7r")
    q, v = footfall.neutral(arm), np.zeros(arm.nv)
    with footfall.RecordingWriter(_EXAMPLE, arm, overwrite=True) as writer:
        writer.states(1e-3 * np.arange(500), np.tile(q, (500, 1)), np.tile(v, (500, 1)))
    footfall.read_recording(_EXAMPLE)


def tell(text: str, attack: Callable[..., Sequence[object]], points: int) -> int:
    """The command of an attack on all ways to save, described by a text: at so many points each if nothing is said."""
    arguments = argparse.ArgumentParser(
        description=text, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("names", nargs="*", default=list(WAYS))
    arguments.add_argument("--points", type=int, default=points)
    given = arguments.parse_args()
    prepare()
    failed = 0
    for name in given.names:
        found = attack(name, points=given.points)
        failed += len(found)
        print(f"{name:20}{f'{len(found)} of {given.points}' if found else 'sound'}", *found[:3], flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(tell(__doc__ or "", run, POINTS))
