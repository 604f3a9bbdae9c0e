"""The benchmark's results as Markdown: tables, the conditions, and which bars are met and missed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from footfall.bench import bars, surroundings
from footfall.bench.chains import ChainReport, crossover
from footfall.bench.dynamics import CACHED, Effort, Measurement, RobotReport
from footfall.bench.measure import Spread
from footfall.bench.startup import Startup

_RATIOS = (("bound", "python"), ("bound", "cpp"), ("batch", "python"), ("batch", "cpp"))
_SUMMARY = ("inverse dynamics", "mass matrix", "forward dynamics", "derivatives of forward dynamics")
_NAMES = {
    "checked": "call",
    "bound": "bound",
    "batch": "batch, 1 core",
    "cores": "batch, all cores",
    "cached": "small batch",
    "writing": "writing alone",
}
_PEERS = {"python": "Pinocchio, Python", "cpp": "Pinocchio, C++"}


@dataclass
class Verdict:
    """Which bars were met, which missed."""

    met: int = 0
    missed: list[str] = field(default_factory=list)

    def judge(self, passed: bool, otherwise: str) -> str:
        """Count a bar; gives its mark. otherwise: what is said if it is missed."""
        if passed:
            self.met += 1
            return "+"
        self.missed.append(otherwise)
        return "-"

    def __str__(self) -> str:
        if not self.met and not self.missed:
            return "No bars apply."
        lines = [f"Bars met: {self.met} of {self.met + len(self.missed)}."]
        if self.missed:
            lines += ["Missed:", "", *(f"- {text}" for text in self.missed)]
        return "\n".join(lines)


def markdown(
    robots: Sequence[RobotReport],
    chains: Sequence[ChainReport] = (),
    startup: Startup | None = None,
    *,
    effort: Effort,
    load_before: str,
) -> str:
    """The whole report."""
    verdict = Verdict()
    details = [text for report in robots for text in (_heading(report), _robot_table(report, verdict))]
    if chains:
        details.append(_chains(chains))
    if startup is not None:
        details.append(_startup(startup, verdict))
    parts = ["# Dynamics", _conditions(effort, load_before), _summary(robots), str(verdict), *details]
    return "\n\n".join(parts) + "\n"


def _conditions(effort: Effort, load_before: str) -> str:
    return (
        f"{surroundings.processor()}, {surroundings.cores()} cores, {surroundings.lanes()} lanes; "
        f"load {load_before} before and {surroundings.load_average()} after; {surroundings.versions()}.\n\n"
        f"Microseconds a call or a robot. Medians of {effort.blocks} interleaved blocks of ours and theirs in one "
        "process, CPU time of the thread (all cores: wall clock), each call with another state, "
        f"{effort.batch} robots in a batch. Small batch: {CACHED} robots, whose results stay in the caches. Writing "
        "alone: of a robot's results into memory, as `memset` does it; a large batch takes about both times together. "
        "Ratios with quartiles; a bar (+ met, - missed) is met if the lower quartile meets it. Error: greatest "
        "normwise relative difference from Pinocchio, for forward dynamics the residual "
        "|ID(a) - tau| / (|tau| + |h|)."
    )


def _heading(report: RobotReport) -> str:
    robot = report.robot
    return f"## {report.name}\n\n{len(robot.bodies)} bodies, {robot.nv} velocities, {robot.mass:.4g} kg."


def _summary(robots: Sequence[RobotReport]) -> str:
    """One line a robot and algorithm: what a reader wants to know first."""
    rows = []
    for report in robots:
        for measurement in report.measurements:
            if measurement.case.name in _SUMMARY:
                race = measurement.race
                row = [f"{report.name} ({report.robot.nv})", measurement.case.name]
                row += [_microseconds(race.time(name)) for name in ("bound", "batch")]
                row += [_microseconds(race.time(name)) if name in race.seconds else "" for name in _PEERS]
                if "python" in race.seconds:
                    row += [_times(race.ratio("python", name).median) for name in ("bound", "batch")]
                else:
                    row += ["", ""]
                rows.append(row)
    head = [
        "robot (velocities)",
        "",
        "bound call",
        "robot in a batch",
        *_PEERS.values(),
        "call is",
        "batch is",
    ]
    return "## Summary\n\n" + _table(head, rows)


def _robot_table(report: RobotReport, verdict: Verdict) -> str:
    present = set().union(*(measurement.race.seconds for measurement in report.measurements))
    peers = [peer for peer in _PEERS if peer in present]
    ratios = [(ours, peer) for ours, peer in _RATIOS if peer in present]
    head = ["", "operations", *_NAMES.values(), *(_PEERS[peer] for peer in peers)]
    head += [f"{ours} / {'Python' if peer == 'python' else 'C++'}" for ours, peer in ratios]
    head += ["error"] if "python" in present else []
    rows = []
    for measurement in report.measurements:
        race = measurement.race
        row = [measurement.case.name, str(measurement.operations)]
        row += [_microseconds(race.time(name)) for name in [*_NAMES, *peers]]
        row += [_ratio(report, measurement, ours, peer, verdict) for ours, peer in ratios]
        row += [f"{measurement.error:.0e}"] if measurement.error is not None else []
        rows.append(row)
    return _table(head, rows)


def _ratio(report: RobotReport, measurement: Measurement, ours: str, peer: str, verdict: Verdict) -> str:
    spread = measurement.race.ratio(peer, ours)
    text = f"{_digits(spread.median)} ({_digits(spread.lower)} to {_digits(spread.upper)})"
    least = bars.bar(
        measurement.case,
        ours,
        peer,
        velocities=report.robot.nv,
        peer_seconds=measurement.race.time(peer).median,
        lanes=surroundings.lanes(),
    )
    if least is None:
        return text
    what = f"{report.name}, {measurement.case.name}, {ours} against {_PEERS[peer]}"
    missed = f"{what}: {_digits(spread.lower)} (lower quartile), needed {_digits(least)}"
    return f"{text} {verdict.judge(spread.lower >= least, missed)}"


def _chains(reports: Sequence[ChainReport]) -> str:
    head = ["joints", "articulated bodies", "mass matrix, factorised", "Pinocchio, Python", "factor"]
    rows = []
    for report in reports:
        race = report.race
        row = [str(report.joints)]
        for name in ("articulated", "factorised", "python"):
            row.append(_microseconds(race.time(name)) if name in race.seconds else "")
        both = "factorised" in race.seconds
        row.append(_digits(race.ratio("factorised", "articulated").median) if both else "")
        rows.append(row)
    joints = crossover(reports)
    sentence = (
        f"The O(n) algorithm is the faster one from {joints:.0f} joints on."
        if joints is not None
        else "The mass matrix is the faster way for all these lengths."
    )
    return f"## Chains\n\nForward dynamics both ways, bound calls. {sentence}\n\n{_table(head, rows)}"


def _startup(startup: Startup, verdict: Verdict) -> str:
    """Times that one waits for, with their bars."""
    measured = [
        ("import footfall", startup.importing, bars.IMPORT),
        ("compile forward dynamics", startup.compiling, bars.FIRST_COMPILE),
        ("compile it for batches, besides", startup.compiling_batch, None),
        ("compile its derivatives", startup.compiling_derivatives, bars.FIRST_COMPILE),
        ("load it from the cache", startup.loading, bars.CACHED_LOAD),
        ("load it for batches from the cache", startup.loading_batch, None),
        ("load its derivatives from the cache", startup.loading_derivatives, None),
    ]
    rows = []
    for what, seconds, most in measured:
        text = f"{1e3 * seconds:.0f}"
        if most is not None:
            missed = f"{what}: {1e3 * seconds:.0f} ms, needed {1e3 * most:.0f} ms"
            text += f" {verdict.judge(seconds <= most, missed)}"
        rows.append([what, text])
    return f"## Waiting\n\nFresh processes, {startup.robot}.\n\n{_table(['', 'ms'], rows)}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def _microseconds(spread: Spread) -> str:
    return _digits(1e6 * spread.median)


def _times(ratio: float) -> str:
    return f"{_digits(ratio)} x faster" if ratio >= 1.0 else f"{_digits(1 / ratio)} x slower"


def _digits(value: float) -> str:
    """Three digits: more would be noise."""
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"
