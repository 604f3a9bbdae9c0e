"""Workspaces of arms: samples a second, and how often answers at random places are right.

    python -m benchmarks.workspace

Times are CPU times of one core. Right answers: LOLA's arm in closed form and by inverse kinematics, other arms by
inverse kinematics, at 10,000 places in the bounding box, half of them within 5 cm of the border.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

import footfall
from footfall.arrays import Array, Flags
from footfall.workspace import ArmChain, Workspace, analyse_workspace, arm_chain, reachable, sample_counts
from footfall.workspace.evaluation import Asked
from footfall.workspace.gathering import BATCH, Gatherer

PLACES, SEED, NEAR = 10_000, 1000, 0.05
ARMS = (
    ("lola", "torso", "RH"),
    ("panda", "panda_link0", "panda_hand_tcp"),
    ("ur5", "base_link", "tool0"),
    ("tiago", "torso_lift_link", "arm_tool_link"),
    ("talos", "torso_2_link", "gripper_right_base_link"),
)
_BLOCKS, _REPEATS = 15, 100


def rates(chain: ArmChain, asked: Asked, clearance: float | None, *, size: float = 0.02) -> Array:
    """Samples a second of CPU time, in blocks: drawn, evaluated and put into cells."""
    gatherer = Gatherer(chain, asked, size, 64, clearance)
    random = np.random.default_rng(SEED)
    table = gatherer.gather(gatherer.new_table(), random.random((200 * BATCH, chain.count)))
    found = []
    for _ in range(_BLOCKS):
        begin = time.process_time()
        table = gatherer.gather(table, random.random((_REPEATS * BATCH, chain.count)))
        found.append(_REPEATS * BATCH / (time.process_time() - begin))
    return np.array(found)


def judged(chain: ArmChain, workspace: Workspace) -> tuple[float, float, int]:
    """Share of right answers, share of places that are told to be reached and are not, and how many are near."""
    random = np.random.default_rng(SEED)
    low, high = workspace.box
    near: list[Array] = []
    far: list[Array] = []
    while sum(map(len, near)) < PLACES // 2 or sum(map(len, far)) < PLACES // 2:
        points = random.uniform(low, high, (PLACES, 3))
        close = close_to_border(chain, points, random)
        near.append(points[close])
        far.append(points[~close])
    places = np.concatenate([np.concatenate(near)[: PLACES // 2], np.concatenate(far)[: PLACES // 2]])
    truth, told = reachable(chain, places), workspace.reaches(places)
    return float((truth == told).mean()), float((told & ~truth).mean()), PLACES // 2


def close_to_border(chain: ArmChain, points: Array, random: np.random.Generator) -> Flags:
    """Whether places 5 cm away, in 12 directions, have another answer than the point itself."""
    own, close = reachable(chain, points, starts=6), np.zeros(len(points), dtype=np.bool_)
    for _ in range(12):
        way = random.normal(size=(len(points), 3))
        way *= NEAR / np.linalg.norm(way, axis=1, keepdims=True)
        close |= reachable(chain, points + way, starts=6) != own
    return close


def report() -> Iterator[str]:
    """Lines of the tables."""
    yield "| arm | joints | samples a second and core, all indices | with own collisions |"
    yield "|---|---|---|---|"
    chains = {name: arm_chain(footfall.load(name), root, hand) for name, root, hand in ARMS}
    for name, chain in chains.items():
        plain = np.percentile(rates(chain, Asked(), None), [25, 50, 75]) / 1e6
        touching = "no volumes"
        if chain.robot.volumes:
            quarters = np.percentile(rates(chain, Asked(), 0.0), [25, 50, 75]) / 1e6
            touching = f"{quarters[1]:.2f}e6 ({quarters[0]:.2f} to {quarters[2]:.2f})"
        yield f"| {name} | {chain.count} | {plain[1]:.2f}e6 ({plain[0]:.2f} to {plain[2]:.2f}) | {touching} |"
    yield ""
    yield "| arm | volume, m3 | right | told to be reached, but not | samples | CPU, s |"
    yield "|---|---|---|---|---|---|"
    for name, chain in chains.items():
        begin = time.process_time()
        found = analyse_workspace(chain, size=0.02, samples=10_000_000)
        spent = time.process_time() - begin
        right, false, _ = judged(chain, found)
        yield (
            f"| {name} | {found.volume:.4f} | {100 * right:.2f} % | {100 * false:.2f} % "
            f"| {found.samples:.3g} | {spent:.1f} |"
        )
    yield ""
    counts = sample_counts(chains["lola"], 0.002)
    yield f"The source's grid of 2 mm for LOLA's arm: {counts}, {np.prod(np.array(counts, float)):.4g} samples."


if __name__ == "__main__":
    for line in report():
        print(line, flush=True)
