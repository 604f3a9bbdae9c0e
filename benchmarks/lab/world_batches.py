"""Many LOLAs at once, each with its own list of contacts, against MuJoCo's `rollout`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import mujoco
import numpy as np
from mujoco import rollout

from benchmarks.lab.world_mujoco import WorldPeer
from benchmarks.lab.world_scenes import SCENES, WorldScene
from footfall import Simulation
from footfall.arrays import Array
from footfall.bench.measure import Spread

_KINDS = ("standing", "rocking", "dropped")
_BATCH = 32


@dataclass(frozen=True)
class BatchRow:
    """ours, theirs: us of CPU time a step of one robot. residual: the largest, of weight times dt; above: share of the
    steps that end above 1e-8."""

    name: str
    threads: int
    ours: float
    theirs: float
    ratio: Spread
    residual: float
    above: float


def batch_rows(blocks: int, threads: tuple[int, ...] = (1, 2)) -> Iterator[BatchRow]:
    """LOLA on a plane, standing, rocking and dropped."""
    for kind in _KINDS:
        world = SCENES[f"lola-{kind}-flat"]()
        for count in threads:
            yield _measured(world, count, max(3, blocks // 2))


def _measured(world: WorldScene, threads: int, blocks: int) -> BatchRow:
    simulation = Simulation(world.robot, world.scene, dt=world.dt)
    start = world.start()
    assert start is not None
    simulation.reset(start)
    held = simulation.pd(simulation.joint_positions(), kp=world.kp, kd=world.kd)
    if world.settle > 0.0:
        simulation.run(held, world.settle)
    steps = round((world.fall or 0.2) / world.dt)
    q, v = np.tile(simulation.q, (_BATCH, 1)), np.tile(simulation.v, (_BATCH, 1))
    if world.turned:  # each in its own way
        idle = np.array(world.robot.configurations["idle"]) if world.robot is not None else q[0]
        for k in range(_BATCH):
            q[k, 7:] = idle[7:] + np.random.default_rng(k).normal(0.0, world.turned, q.shape[1] - 7)
    peer = WorldPeer(world)
    datas = [mujoco.MjData(peer.model) for _ in range(threads)]
    states = _states(peer, q, v)
    control = np.tile(peer.control, (_BATCH, steps, 1))
    ours, theirs, residual = [], [], np.zeros(0)
    for _ in range(blocks):
        began = time.process_time()
        _, _, residual = simulation.rollout(q, v, held, steps=steps, threads=threads)
        between = time.process_time()
        rollout.rollout(peer.model, datas, states, control)
        ours.append(between - began)
        theirs.append(time.process_time() - between)
    scale, weight = 1e6 / (_BATCH * steps), simulation.robot.mass * 9.81 * world.dt
    return BatchRow(
        world.name,
        threads,
        scale * float(np.median(ours)),
        scale * float(np.median(theirs)),
        Spread.of(np.array(theirs) / np.array(ours)),
        float(residual.max()) / weight,
        float((residual > 1e-8 * weight).mean()),
    )


def _states(peer: WorldPeer, q: Array, v: Array) -> Array:
    """What MuJoCo's rollout starts from."""
    kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
    states = np.zeros((len(q), mujoco.mj_stateSize(peer.model, kind)))
    for k in range(len(q)):
        mujoco.mj_resetData(peer.model, peer.data)
        peer.data.qpos[:], peer.data.qvel[:] = q[k], v[k]
        mujoco.mj_getState(peer.model, peer.data, states[k], kind)
    return states


def batch_table(rows: Iterator[BatchRow]) -> list[str]:
    lines = [
        "## Batches",
        "",
        f"{_BATCH} LOLAs on a plane in one call, each with its own contacts, against `mujoco.rollout` with as many",
        "threads; CPU time of all threads, a step of one robot. Standing ones begin at rest with no impulses known;",
        "rocking ones are turned each in its own way.",
        "",
        "| world | threads | us a step | MuJoCo | ratio | residual | steps above 1e-8 |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        ratio = row.ratio
        lines.append(
            f"| {row.name} | {row.threads} | {row.ours:.1f} | {row.theirs:.1f} | "
            f"{ratio.median:.2f} ({ratio.lower:.2f} to {ratio.upper:.2f}) | {row.residual:.1e} | "
            f"{100 * row.above:.2g} % |"
        )
    return [*lines, ""]
