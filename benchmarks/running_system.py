"""A walk as a running system, in which processes are killed: `python -m benchmarks.running_system --minutes 10`.

A robot walks in a generated building, in real time, from place to place. Beside the walk run its planner, a process
that sees for it, a panel, and a client that sends goals. Each of them is killed (`kill -9`) and, but for the planner,
which the walk itself replaces, started again a few seconds later, one after the other, once a minute. The report says
what was lost. In the end the walk is replayed without any of them, and the machine is searched for what was left.

`--priority` asks for real-time priority.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.lab.building_walks import building_of
from benchmarks.lab.furnished import free_place, rooms_of
from benchmarks.live import WORK, empty_report, start_empty
from footfall import save_scene
from footfall.errors import FootfallError
from footfall.scene.load import load_scene
from footfall.walking.live.command_link import Address, CommandLink, running_walks
from footfall.walking.signals import WalkTo

_PARTS = ("vision", "panel", "client", "planner")
_GONE, _SILENT = "planner gone", "vision silent"  # in what the walk says of itself
_MARK = "FOOTFALL_RUNNING_SYSTEM"  # in the environment of all processes, and of those that they start
_AWAY = 3.0  # s, between the end of a process and its successor
_PATIENCE = 600.0  # s, until something must have started: native code may have to be made
_ROW = 10  # periods from one row of the log to the next: ten minutes of all would be a gigabyte
_REST = 1.0  # s, that the robot stands before it gets another goal


class Kill(NamedTuple):
    """part: that was killed, at a time of the walk, s. back: when its successor was at work, s; None: it was not."""

    part: str
    time: float
    back: float | None


class Outcome(NamedTuple):
    """What became of the system. summary: of the walk. events: of its recording. same: whether the replay has its bits.
    left: what was found afterwards that should not be there. goals: that the clients sent, and those refused. lasted:
    whether the walk went on until it was told to end."""

    kills: list[Kill]
    summary: dict[str, Any]
    events: list[tuple[float, str]]
    late: str
    empty: str
    same: bool
    left: list[str]
    goals: tuple[int, int]
    lasted: bool


class System:
    """All processes, their output in files of a folder."""

    def __init__(self, folder: Path, scene: Path, *, seed: int, priority: bool) -> None:
        self.folder, self.scene, self.seed = folder, scene, seed
        with socket.create_server(("127.0.0.1", 0)) as made:
            self.port = int(made.getsockname()[1])
        with socket.create_server(("127.0.0.1", 0)) as made:
            self.page = int(made.getsockname()[1])
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.all: list[subprocess.Popen[bytes]] = []
        self.kills: list[Kill] = []
        self.outputs: dict[str, Path] = {}  # of what runs now
        self._link: CommandLink | None = None
        self._state = ""
        self.start("vision")
        vision = f"127.0.0.1:{self.port}"
        words = [
            "walk",
            str(scene),
            "--live",
            "--vision",
            vision,
            "--noise",
            "--seed",
            str(seed),
            "--no-plot",
        ]
        words += ["--output", str(folder / "walk"), "--log-memory", "256", "--log-every", str(_ROW)]
        words += ["--seconds", "36000"]
        self._run("walk", ["-m", "footfall", *words, *(["--priority"] if priority else [])])
        try:
            self.address: Address = _until(
                self._address, f"the walk did not start; see {self.outputs['walk']}"
            )
            self._link = CommandLink(self.address)
        except BaseException:
            self.stop()
            raise

    def start(self, part: str) -> None:
        """Start one of the processes."""
        if part == "vision":
            words = ["perceive", "--serve", str(self.scene), "--sight", "noisy", "--port", str(self.port)]
            self._run(part, ["-m", "footfall", *words, "--seed", str(self.seed)])
        elif part == "panel":
            words = ["panel", "--attach", "--to", str(self.address.pid), "--port", str(self.page)]
            self._run(part, ["-m", "footfall", *words])
        else:
            words = ["--client", str(self.address.pid), "--scene", str(self.scene)]
            self._run(part, ["-m", "benchmarks.running_system", *words, "--seed", str(len(self.all))])

    def kill(self, part: str) -> None:
        """End one of them as nothing ends it by itself; waits until the walk has noticed, if it needs it."""
        if part == "planner":
            killed = planner_of(self.address.pid)
            os.kill(killed, signal.SIGKILL)
            self._until_walk(lambda: planner_of(self.address.pid) != killed or _GONE in self.state)
            return
        self.running[part].kill()
        self.running.pop(part).wait()
        if part == "vision":
            self._until_walk(lambda: _SILENT in self.state)

    @property
    def state(self) -> str:
        """What the walk said last of how the robot is and who is not there."""
        while self._link is not None and not self._link.states.empty():
            self._state = self._link.states.get()
        return self._state

    @property
    def walks(self) -> bool:
        """Whether the walk itself still runs."""
        return self.running["walk"].poll() is None

    def at_work(self, part: str) -> bool:
        """Whether a process does what it is for, as far as it and the walk say so."""
        if part == "planner":
            return planner_of(self.address.pid) > 0 and _GONE not in self.state
        if part == "vision" and _SILENT in self.state:
            return False
        mark = {"vision": "seeing for walks", "panel": "open http", "client": "at work"}[part]
        return part in self.running and mark in self.outputs[part].read_text()

    def _until_walk(self, found: Callable[[], bool]) -> None:
        """Until something is so, or the walk has ended."""
        _until(lambda: found() or not self.walks, f"the walk notices nothing; see {self.outputs['walk']}")

    def stop(self) -> None:
        """End all that is left."""
        if self._link is not None:
            self._link.close()
        for each in self.running.values():
            each.terminate()
        for each in self.all:
            with _at_most(20.0, each):
                each.wait(20.0)

    def _address(self) -> Address | None:
        if not self.walks:
            raise SystemExit(self.outputs["walk"].read_text())
        pid = self.running["walk"].pid
        return next((each for each in running_walks() if each.pid == pid), None)

    def _run(self, part: str, words: list[str]) -> None:
        self.outputs[part] = self.folder / f"{part}-{len(self.all)}.out"
        with self.outputs[part].open("wb") as out:
            command, marked = [sys.executable, "-u", *words], {**os.environ, _MARK: str(os.getpid())}
            process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, env=marked)
        self.running[part] = process
        self.all.append(process)


@contextmanager
def _at_most(seconds: float, process: subprocess.Popen[bytes]) -> Iterator[None]:
    try:
        yield
    except subprocess.TimeoutExpired:
        print(f"{process.args!r} did not end within {seconds:g} s", file=sys.stderr)
        process.kill()
        process.wait()


def _until(found: Callable[[], Any], problem: str, seconds: float = _PATIENCE) -> Any:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = found()
        if value:
            return value
        time.sleep(0.05)
    raise SystemExit(problem)


def planner_of(walk: int) -> int:
    """Process number of the planner of a walk, 0 if there is none."""
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                parent = int((place / "stat").read_text().rpartition(")")[2].split()[1])
                line = (place / "cmdline").read_bytes()
            except (OSError, IndexError):
                continue
            if parent == walk and b"spawn_main" in line:
                return int(place.name)
    return 0


def run(
    folder: Path,
    scene: Path,
    *,
    seconds: float,
    every: float,
    seed: int = 1000,
    priority: bool = False,
    parts: tuple[str, ...] = _PARTS,
    goals: int = 0,
) -> Outcome:
    """Walk for so many seconds, until the client has sent so many goals, and kill a process every so many."""
    before = leftovers()
    system = System(folder, scene, seed=seed, priority=priority)
    try:
        for part in ("panel", "client"):
            if part in parts:
                system.start(part)
        for each in set(parts) - {"planner"}:
            _until(lambda each=each: system.at_work(each), f"{each} did not start")  # type: ignore[misc]
        begun, beside = time.monotonic(), start_empty(seconds, WORK["reduced"], priority=priority)
        walk, number = system.running["walk"], 0
        end = begun + seconds
        while system.walks and (
            time.monotonic() < end or (_goals(folder)[0] < goals and time.monotonic() < end + _PATIENCE)
        ):
            time.sleep(0.1)
            now = time.monotonic() - begun
            over = now > seconds - 2.0 * _AWAY and number > 0  # the first is killed in any case
            if not parts or now < (number + 1) * every or over:
                continue
            part = parts[number % len(parts)]
            number += 1
            system.kill(part)
            if part != "planner":
                time.sleep(_AWAY)
                system.start(part)
            back: float | None = None
            while back is None and system.walks and time.monotonic() < begun + now + _PATIENCE:
                time.sleep(0.1)
                if system.at_work(part):
                    back = time.monotonic() - begun
            system.kills.append(Kill(part, now, back))
        lasted = system.walks
        walk.send_signal(signal.SIGINT)
        with _at_most(_PATIENCE, walk):
            walk.wait(_PATIENCE)
    finally:
        system.stop()
    return _outcome(system, folder, before, empty_report(beside, seconds), lasted=lasted)


def _outcome(system: System, folder: Path, before: set[str], empty: str, *, lasted: bool) -> Outcome:
    from footfall import read_recording
    from footfall.walking import read_request
    from footfall.walking.live.session import session_for

    name = system.scene.stem
    files = folder / "walk"
    told = system.outputs["walk"].read_text()
    late = next((line for line in told.splitlines() if "ended late" in line), told[-400:])
    summary = json.loads((files / f"{name}.json").read_text())
    recording = read_recording(files / f"{name}.mcap", limit=2**33)
    wanted = (
        "vision lost",
        "vision back",
        "planner lost",
        "planner back",
        "planner silent",
        "late plan",
        "fallen",
    )
    events = [(float(each.time), each.name) for each in recording.events if each.name in wanted]
    request = read_request(files / f"{name}.walk.json")
    session = session_for(request, log_every=_ROW)
    session.run_until(request.seconds or 0.0)
    log = np.load(files / f"{name}.npz")
    kept = session.walker.log.signals
    count = min(len(log["center"]), len(kept["center"]))
    same = bool(np.array_equal(log["center"][-count:], kept["center"][-count:]))
    session.close()
    left = sorted(leftovers(system.address.pid) - before)
    return Outcome(system.kills, summary, events, late, empty, same, left, _goals(folder), lasted)


def _goals(folder: Path) -> tuple[int, int]:
    """How many the clients have sent, and how many were refused."""
    lines = [line for each in folder.glob("client-*.out") for line in each.read_text().splitlines()]
    return sum(line.startswith("goal") for line in lines), sum(line.startswith("refused") for line in lines)


def leftovers(walk: int = 0) -> set[str]:
    """Segments, sockets of a walk by its process, and processes of this system, that are there."""
    found = {f"/dev/shm/{each}" for each in os.listdir("/dev/shm") if "footfall" in each}
    sockets = Path("/proc/net/unix").read_text().splitlines()
    found |= {line.split()[-1] for line in sockets if f"@footfall-{walk}-" in line}
    mark = f"{_MARK}={os.getpid()}\0".encode()
    for place in Path("/proc").iterdir():
        if place.name.isdigit() and int(place.name) != os.getpid():
            try:
                if mark in (place / "environ").read_bytes() + b"\0":
                    line = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                    found.add(f"process {place.name}: {line[:90]}")
            except OSError:
                continue
    return found


def serve_goals(walk: int, scene_file: Path, seed: int) -> None:
    """Send a goal whenever the robot stands; what the client process does until it is killed."""
    scene, rng = load_scene(str(scene_file)), np.random.default_rng(seed)
    with CommandLink(next(each for each in running_walks() if each.pid == walk)) as link:
        state, since = "", time.monotonic()
        print("at work", flush=True)
        while True:
            while not link.states.empty():
                state, since = link.states.get(), time.monotonic()
            for text in link.refusals():
                print(f"refused: {text}", flush=True)
            stands = state == "standing" or state.startswith("no way")
            if stands and time.monotonic() > since + _REST:
                if scene.goal is None or "floor" in scene.name:
                    x, y = rng.uniform((0.3, -1.0), (2.5, 1.0)).tolist()
                else:
                    x, y = free_place(scene, rng, rooms_of(scene, rng)[0]).tolist()
                yaw = float(rng.uniform(-np.pi, np.pi))
                print(f"goal {x:.2f}, {y:.2f}", flush=True)
                try:
                    link.send(WalkTo(x=x, y=y, yaw=yaw))
                except FootfallError as problem:
                    print(f"refused: {problem}", flush=True)
                since = time.monotonic() + 1.0
            time.sleep(0.05)


def report(found: Outcome, minutes: float, seed: int, priority: bool, load: tuple[float, float]) -> str:
    """What was lost, as Markdown."""
    summary = found.summary
    options = f"--minutes {minutes:g} --seed {seed}{' --priority' if priority else ''}"
    lines = [
        "# A running system, in which processes are killed",
        "",
        f"`python -m benchmarks.running_system {options}`: a live walk in the building of a seed, led by a vision "
        "process, shown by a panel, sent from place to place by a client. "
        f"Load {load[0]:.1f} at the start, {load[1]:.1f} at the end, {os.cpu_count()} cores.",
        "",
        f"- The robot walked {summary['distance']:.1f} m in {summary['time']:.0f} s, {summary['steps']} steps; "
        f"{'it fell: ' + str(summary['cause']) if summary['fallen'] else 'it stayed on its feet'}. The clients sent "
        f"{found.goals[0]} goals, {found.goals[1]} were refused.",
        f"- {found.late}. {found.empty}",
        f"- Touched besides by feet and planned hands: {'; '.join(summary['touched']) or 'nothing'}.",
        f"- Replayed without the other processes: {'the same bits' if found.same else 'OTHER BITS'}.",
        f"- Left behind afterwards: {'; '.join(found.left) or 'nothing'}.",
        "",
        "| killed | at, s | its successor was at work after, s |",
        "|---|---|---|",
    ]
    for each in found.kills:
        back = "not" if each.back is None else f"{each.back - each.time:.1f}"
        lines.append(f"| {each.part} | {each.time:.0f} | {back} |")
    lines += ["", "What the walk noted, with the time of the walk, s: "]
    shown = [f"{name} {when:.1f}" for when, name in found.events]
    lines[-1] += ("; ".join(shown) or "nothing") + "."
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--every", type=float, default=60.0, help="s between two that are killed")
    parser.add_argument("--seed", type=int, default=1000)
    parser.add_argument("--priority", action="store_true")
    parser.add_argument("--output", type=Path, help="file for the report")
    parser.add_argument("--folder", type=Path, help="for all that is written; by default one that goes")
    parser.add_argument("--client", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--scene", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.client is not None:
        serve_goals(asked.client, asked.scene, asked.seed)
        return
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        scene = folder / "building.toml"
        save_scene(building_of(asked.seed), scene)
        found = run(
            folder,
            scene,
            seconds=60.0 * asked.minutes,
            every=asked.every,
            seed=asked.seed,
            priority=asked.priority,
        )
    text = report(found, asked.minutes, asked.seed, asked.priority, (load, os.getloadavg()[0])) + "\n"
    if asked.output is not None:
        asked.output.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
