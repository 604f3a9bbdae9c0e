"""Distances of swept-sphere volumes measured: six kinds of pairs and whole robots, against coal (Schwienbacher 2014,
6.12)."""

from __future__ import annotations

from typing import NamedTuple

import coal
import numpy as np

from footfall.arrays import Array
from footfall.bench import surroundings
from footfall.bench.measure import Contestant, Race, Spread, race, sweep
from footfall.dynamics.configuration import integrate
from footfall.dynamics.first_collision import first_collision
from footfall.dynamics.volume_distances import volume_distances
from footfall.geometry.swept_distance import swept_distances, swept_gaps
from footfall.geometry.swept_sphere import SweptSphere, pack
from footfall.robot.model import Robot
from footfall.robot.volumes import checked_pairs
from tests.peers.volumes import VolumePeer, coal_shape

SEED_TIMES = {"PP": 88.6, "PL": 125.6, "LL": 155.5, "PT": 139.2, "LT": 361.4, "TT": 888.7}  # ns, Table 6.9
KINDS = {"PP": (1, 1), "PL": (1, 2), "LL": (2, 2), "PT": (1, 3), "LT": (2, 3), "TT": (3, 3)}
_COUNT = 4096  # pairs of elements
_ROOM = 0.6  # m, edge of the cube in which they lie
_SIZE = 0.3  # m, edge of the box of an element
_STATES = 64
_SPREAD = 0.3  # rad, of joints about the pose


class PairReport(NamedTuple):
    """A kind of pair. error: m, greatest difference to coal where cores are apart. apart: share of these pairs."""

    kind: str
    race: Race
    error: float
    apart: float


class RobotReport(NamedTuple):
    """A robot. pairs: of volumes; elements: pairs of elements. error: m, as for pairs."""

    name: str
    pairs: int
    elements: int
    race: Race
    error: float


def measure_pairs(*, blocks: int) -> list[PairReport]:
    """The six kinds: ours in one call for all, coal from Python one by one, as its users do."""
    return [_measure_kind(kind, blocks=blocks) for kind in KINDS]


def _measure_kind(kind: str, *, blocks: int) -> PairReport:
    rng = np.random.default_rng(7)

    def elements(corners: int) -> list[SweptSphere]:
        middles = rng.uniform(-_ROOM / 2, _ROOM / 2, size=(_COUNT, 1, 3))
        points = middles + rng.uniform(-_SIZE / 2, _SIZE / 2, size=(_COUNT, corners, 3))
        return [SweptSphere(each, 0.05) for each in points]

    first, second = (elements(corners) for corners in KINDS[kind])
    rows = pack(first), pack(second)
    shapes = [(*coal_shape(a), *coal_shape(b)) for a, b in zip(first, second, strict=True)]
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    contestants = {
        "ours": Contestant(lambda: swept_distances(*rows, threads=1), _COUNT),
        "gaps": Contestant(lambda: swept_gaps(*rows, threads=1), _COUNT),
        "coal": Contestant(
            sweep(
                "clear(); distance(a, x, b, y, request, result)",
                dict(zip("axby", zip(*shapes, strict=True), strict=True)),
                {"clear": result.clear, "distance": coal.distance, "request": request, "result": result},
            ),
            _COUNT,
        ),
    }
    ours = swept_distances(*rows)
    theirs = np.array([coal.distance(*each, request, coal.DistanceResult()) for each in shapes])
    apart = ours.core_distance > 1e-3
    error = float(np.abs(ours.distance - theirs)[apart].max())
    return PairReport(kind, race(contestants, blocks=blocks), error, float(apart.mean()))


def measure_robot(robot: Robot, q: Array, *, blocks: int) -> RobotReport:
    """All distances of a robot near a configuration q (nq,): ours with Jacobian, Pinocchio with coal without."""
    rng = np.random.default_rng(8)
    states = np.array([integrate(robot, q, _SPREAD * rng.normal(size=robot.nv)) for _ in range(_STATES)])
    peer = VolumePeer.from_robot(robot)
    motion = np.array([integrate(robot, q, 1e-4 * k * np.ones(robot.nv)) for k in range(1000)])
    pairs = [
        pair
        for pair, gap in zip(
            checked_pairs(robot), volume_distances(robot, motion).distance.min(axis=0), strict=True
        )
        if gap > 0.0
    ]
    assert first_collision(robot, motion, pairs=pairs) is None
    theirs = [peer.peer.q(each) for each in states]
    rows = {"q": list(states)}
    contestants = {
        "ours": Contestant(sweep("f(robot, q)", rows, {"f": volume_distances, "robot": robot}), _STATES),
        "near": Contestant(
            sweep("f(robot, q, threshold=0.1)", rows, {"f": volume_distances, "robot": robot}), _STATES
        ),
        "batch": Contestant(lambda: volume_distances(robot, states, threads=1), _STATES),
        "motion": Contestant(lambda: first_collision(robot, motion, pairs=pairs), len(motion)),
        "peer": Contestant(sweep("f(q)", {"q": theirs}, {"f": peer.measure}), _STATES),
    }
    ours = volume_distances(robot, states)
    expected = np.array([peer.distances(each) for each in states])
    apart = ours.core_distance > 1e-3
    error = float(np.abs(ours.distance - expected)[apart].max())
    timed = race(contestants, blocks=blocks)
    return RobotReport(robot.name, len(checked_pairs(robot)), len(peer.owners), timed, error)


def markdown(pairs: list[PairReport], robots: list[RobotReport], *, load: str) -> str:
    """The report."""
    lines = [
        "# Swept-sphere volumes",
        "",
        f"{surroundings.processor()}, {surroundings.cores()} cores, load before {load}.",
        f"{surroundings.versions()}, coal {coal.__version__}.",
        "Medians of block ratios, quartiles in brackets; see [docs/benchmarks.md](../docs/benchmarks.md).",
        "",
        "## Pairs of elements",
        "",
        f"{_COUNT} random pairs in one call, one core: distances alone, and with points and normals. coal: called from",
        "Python, pair by pair. The source's times (Schwienbacher 2014, table 6.9) are of a Core2 Duo T7600.",
        "",
        "| kind | crossing | distance, ns | with points, ns | to PP | source, ns | to PP | coal, ns | coal / ours "
        "| greatest difference, m |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    first = pairs[0].race.time("ours").median
    for each in pairs:
        ours, theirs = each.race.time("ours").median, each.race.time("coal").median
        source = SEED_TIMES[each.kind]
        lines.append(
            f"| {each.kind} | {1 - each.apart:.1%} | {each.race.time('gaps').median * 1e9:.1f} | {ours * 1e9:.1f} | "
            f"{ours / first:.2f} | {source:.0f} | {source / SEED_TIMES['PP']:.2f} | "
            f"{theirs * 1e9:.0f} | {_spread(each.race.ratio('coal', 'ours'))} | {each.error:.0e} |"
        )
    lines += [
        "",
        "## Whole robots",
        "",
        "Ours: poses, distances, closest points and Jacobian. Peer: Pinocchio with coal, poses and distances in one",
        "call of C++. The source needs 50 to 500 us for LOLA. Near: exact below 0.1 m only. Motion: a configuration of",
        "1,000 in a row that are checked for overlap (`first_collision`), without pairs that always touch.",
        "",
        "| robot | pairs | of elements | ours, us | near, us | batch, us | motion, us | peer, us "
        "| peer / ours | peer / near | peer / batch | greatest difference, m |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for robot in robots:
        times = [robot.race.time(name).median * 1e6 for name in ("ours", "near", "batch", "motion", "peer")]
        ratios = [_spread(robot.race.ratio("peer", name)) for name in ("ours", "near", "batch")]
        cells = [
            robot.name,
            str(robot.pairs),
            str(robot.elements),
            *(f"{each:.1f}" for each in times),
            *ratios,
            f"{robot.error:.0e}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _spread(spread: Spread) -> str:
    return f"{spread.median:.1f} [{spread.lower:.1f}, {spread.upper:.1f}]"
