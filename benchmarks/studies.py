"""Studies: what they cost beside their runs, how their memory grows, and the maps that the shipped ones make.

python -m benchmarks.studies overhead [--tasks 10000] [--seconds 0.01] [--workers 1 2]
python -m benchmarks.studies memory [--runs 10000 100000]
python -m benchmarks.studies walks [--mode reduced full] [--count 8]
python -m benchmarks.studies map [FOLDER...] [--cells benchmarks/push_map.csv] [--picture benchmarks/push_map.png]

Each prints Markdown; `map` adds the cells of results, also of studies that are not complete, to those that are kept.
"""

from __future__ import annotations

import argparse
import csv
import resource
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from footfall.bench.surroundings import load_average, processor
from footfall.studies import Cell, Span, Study, read_study, run_study, study_names
from footfall.studies.store import Store, stored_row, stored_study
from footfall.studies.tables import cells_of
from footfall.walking import WalkRequest


def busy(x: float, seconds: float) -> dict[str, float]:
    """Work for so many seconds of CPU time."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
    return {"twice": 2.0 * x}


def trivial(x: float) -> float:
    """Next to nothing."""
    return 2.0 * x


def tasks(count: int, **fixed: float) -> Study:
    """A study of so many runs of a function of one parameter."""
    return Study(name="tasks", fixed=dict(fixed), vary={"x": Span(first=0.0, last=1.0, count=count)}, seeds=1)


def overhead(count: int, seconds: float, workers: list[int]) -> Iterator[str]:
    """How much CPU time a study takes beside its runs, and how much longer it takes than they do."""
    yield "| runs | CPU time of each | workers | CPU time beside runs | wall clock beyond runs over workers |"
    yield "|---|---|---|---|---|"
    for number in workers:
        with tempfile.TemporaryDirectory() as folder:
            usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
            begin, wall = sum(each.ru_utime + each.ru_stime for each in usage), time.perf_counter()
            run_study(tasks(count, seconds=seconds), folder, function=busy, workers=number)
            wall = time.perf_counter() - wall
            usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
            spent = sum(each.ru_utime + each.ru_stime for each in usage) - begin
        runs = count * seconds
        yield (
            f"| {count} | {1e3 * seconds:g} ms | {number} | {spent / runs - 1.0:.1%} | "
            f"{wall * number / runs - 1.0:.0%} |"
        )


def memory(counts: list[int]) -> Iterator[str]:
    """How much more memory a process has after a study of so many trivial runs, and what a run costs."""
    yield "| trivial runs | memory of the process, MB | CPU time a run, us |"
    yield "|---|---|---|"
    known = []
    for count in counts:
        with tempfile.TemporaryDirectory() as folder:
            begin = time.process_time()
            run_study(tasks(count), folder, function=trivial, workers=1)
            spent = time.process_time() - begin
        known.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0)
        yield f"| {count} | {known[-1]:.0f} | {1e6 * spent / count:.0f} |"
    if len(counts) > 1:
        slope = (known[-1] - known[0]) / (counts[-1] - counts[0])
        yield ""
        yield f"From that 1e6 runs take {known[-1] + slope * (1e6 - counts[-1]):.0f} MB."


def walks(modes: list[str], count: int) -> Iterator[str]:
    """How fast walks of their own commands, pushes, frictions, loads, delays and errors of sensors are: planned, walked
    and summed up, one after the other in one thread."""
    from footfall.studies.experiments import measured_session, walking_code
    from footfall.walking import WalkSession
    from footfall.walking.signals import Drive, Load, PushBody, Surface

    code, rng = walking_code("lola"), np.random.default_rng(1)

    def simulated(mode: str, substeps: int | None, seed: int) -> float:
        angle, impulse = rng.uniform(0.0, 2.0 * np.pi), rng.uniform(0.0, 15.0)
        force = (10.0 * impulse * float(np.cos(angle)), 10.0 * impulse * float(np.sin(angle)), 0.0)
        signals = (
            Drive(forward=float(rng.uniform(0.1, 0.5))),
            Surface(friction=float(rng.uniform(0.4, 1.0))),
            Load(body="torso", mass=float(rng.uniform(0.0, 5.0))),
            PushBody(time=float(rng.uniform(2.0, 6.0)), body="torso", force=force),
        )
        request = WalkRequest(
            scene="flat",
            noise=True,
            seed=seed,
            mode=mode,  # type: ignore[arg-type]
            substeps=substeps,
            seconds=8.0,
            sensor_delay=float(rng.choice([0.0, 0.004])),
            signals=signals,
        )
        outcome = measured_session(WalkSession(request, code=code, log_memory=0.0))
        return float(outcome.measures["time"])  # type: ignore[arg-type]

    yield "| mode | steps of the plant a period | walks | times real time a core |"
    yield "|---|---|---|---|"
    for mode in modes:
        for substeps in (None, 1) if mode == "reduced" else (None,):
            simulated(mode, substeps, 999)  # native code is made once
            begin = time.process_time()
            seconds = sum(simulated(mode, substeps, seed) for seed in range(count))
            rate = seconds / (time.process_time() - begin)
            yield f"| {mode} | {substeps or (2 if mode == 'reduced' else 4)} | {count} | {rate:.1f} |"


class Found(NamedTuple):
    """A cell of a push map. limit: N s, that half of the seeds stand, low and high: its interval, 90 %. walks: version
    of walks that found it."""

    study: str
    robot: str
    speed: float
    phase: float
    direction_deg: float
    limit: float
    low: float
    high: float
    walks: int


def push_map(folders: list[Path], kept: Path, picture: Path) -> Iterator[str]:
    """Tables and a picture of push maps, impulse over mass by direction, from all cells that are kept in a file (.csv)
    and from those of results, which are added to it."""
    cells = {
        each[:5]: each for each in (*_kept(kept), *(cell for folder in folders for cell in _found(folder)))
    }
    ordered = sorted(cells.values())
    with kept.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([Found._fields, *ordered])
    for folder in folders:
        study, whole, runs, seconds = _known(folder)
        yield f"**{study.name}**: {len(whole)} of {study.cells} cells with all of their {study.seeds} seeds here, "
        yield f"{runs} runs, {seconds / max(len(whole), 1):.1f} s of CPU time a cell."
        yield ""
    for name in dict.fromkeys(each.study for each in ordered):
        own = [each for each in ordered if each.study == name]
        yield f"**{read_study(name).name}**: {len(own)} of {read_study(name).cells} cells."
        yield ""
        yield "| robot | speed | phase | direction, degrees | half stand, N s | 90 % | over mass, m/s | walks |"
        yield "|---|---|---|---|---|---|---|---|"
        for each in own:
            share = (
                f"{each.limit:.1f} | {each.low:.1f} to {each.high:.1f} | {each.limit / _MASS[each.robot]:.2f}"
            )
            yield f"| {each.robot} | {each.speed} | {each.phase} | {each.direction_deg:g} | {share} | {each.walks} |"
        yield ""
    _draw(ordered, picture)
    yield f"![Impulse over mass by direction]({picture.name})"


_MASS = {"lola": 67.3, "g1": 33.3, "talos": 90.3}  # kg


def _kept(path: Path) -> list[Found]:
    """Cells of a file, none if it is not there."""
    if not path.exists():
        return []
    with path.open() as file:
        return [
            Found(
                row["study"],
                row["robot"],
                *(float(row[name]) for name in Found._fields[2:-1]),
                int(row["walks"]),
            )  # type: ignore[call-arg]
            for row in csv.DictReader(file)
        ]


def _found(folder: Path) -> Iterator[Found]:
    """Cells of results of a shipped study that are known."""
    study, cells, _, _ = _known(folder)
    name = next(each for each in study_names() if read_study(each).fingerprint == study.fingerprint)
    walks = msgspec.json.decode(stored_row(folder, 0).replay or "{}", type=WalkRequest).version or 0
    for cell in cells:
        given: dict[str, Any] = {**study.fixed, **cell.values}
        assert cell.limit is not None
        places = (float(given[each]) for each in ("speed", "phase", "direction_deg"))
        yield Found(name, str(given["robot"]), *places, *cell.limit, walks)


def _draw(cells: list[Found], picture: Path) -> None:
    """A map a study; a colour a speed or, where there is one alone, a robot; lines: intervals."""
    from footfall.scenarios.pyplot import load_pyplot, save_figure

    names = list(dict.fromkeys(each.study for each in cells))
    size = (5.5 * min(len(names), 2), 6.0 * -(-len(names) // 2))
    figure = load_pyplot().figure(figsize=size, layout="constrained")
    for k, name in enumerate(names):
        place = figure.add_subplot(-(-len(names) // 2), min(len(names), 2), k + 1, projection="polar")
        own = [each for each in cells if each.study == name]
        kinds = sorted({(each.robot, each.speed) for each in own})
        for each in own:
            color, mass = f"C{kinds.index((each.robot, each.speed))}", _MASS[each.robot]
            angle = np.deg2rad(each.direction_deg)
            place.plot([angle] * 2, [each.low / mass, each.high / mass], color=color, alpha=0.4)
            place.plot([angle], [each.limit / mass], ".", color=color)
        for number, (robot, speed) in enumerate(kinds):
            place.plot([], [], ".", color=f"C{number}", label=f"{robot}, {speed} m/s")
        place.set_title(f"{read_study(name).name}\nimpulse over mass, m/s; 0: from behind", fontsize=9)
        place.legend(fontsize=7, loc="lower left", bbox_to_anchor=(-0.12, -0.12))
    save_figure(figure, picture, dpi=80)


def _known(folder: Path) -> tuple[Study, list[Cell], int, float]:
    """A study, its cells of which all runs are known, how many runs there are, and the CPU time of those cells, s."""
    study = stored_study(folder)
    assert study.limit is not None
    with closing(Store(folder, study)) as store:
        rows = list(store.rows())
    whole: list[Cell] = []
    for cell in cells_of(study, rows):
        own = [row for row in rows if row.cell == cell.number]
        if len({row.number for row in own}) == study.seeds and _decided(study, own):
            whole.append(cell)
    done = {cell.number for cell in whole}
    return study, whole, len(rows), sum(row.seconds for row in rows if row.cell in done)


def _decided(study: Study, rows: list) -> bool:
    """Whether the limits of all seeds of a cell are enclosed, or outside of the range."""
    from footfall.studies.rounds import bracket_of

    assert study.limit is not None
    for number in range(study.seeds):
        answers = [(row.level, bool(row.success)) for row in rows if row.number == number]
        if bracket_of(answers).next_level(study.limit) is not None:
            return False
    return True


def main() -> None:
    """Print what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=("overhead", "memory", "walks", "map"))
    parser.add_argument("folders", type=Path, nargs="*")
    parser.add_argument("--tasks", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=0.01)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--runs", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--mode", nargs="+", default=["reduced", "full"])
    parser.add_argument("--count", type=int, default=8)
    parser.add_argument("--cells", type=Path, default=Path("benchmarks/push_map.csv"))
    parser.add_argument("--picture", type=Path, default=Path("benchmarks/push_map.png"))
    given = parser.parse_args()
    print(f"Machine: {processor()}, load {load_average()}.\n", flush=True)
    lines = {
        "overhead": lambda: overhead(given.tasks, given.seconds, given.workers),
        "memory": lambda: memory(given.runs),
        "walks": lambda: walks(given.mode, given.count),
        "map": lambda: push_map(given.folders, given.cells, given.picture),
    }[given.what]()
    for line in lines:
        print(line, flush=True)


if __name__ == "__main__":
    main()
