"""The benchmark of contact: whole time steps with detection, ours and MuJoCo's, in one race.

Contestants: `bound`, one step a call on preallocated arrays; `batch`, many robots on one core in one call; `step`
and `rollout`, MuJoCo's `mj_step` from Python and `mujoco.rollout` on the calling thread. A time counts only if the
steps are solved: their contact problem is built another way, and the natural-map residual of their impulses must be
below 1e-8 of the weight times dt in 99.9 % of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec

import numpy as np

from benchmarks.lab.contact_scenes import ASKEW, SCENES, ContactScene, contact_scene, plate_scene
from footfall.arrays import Array
from footfall.bench.measure import Contestant, Race, race, sweep
from footfall.simulation.plants import FeetSimulation
from footfall.simulation.step_problem import step_residuals
from footfall.simulation.step_values import Command

SOLVED = 1e-8  # of the weight times dt
LEAST_SOLVED = 0.999  # of the steps
_SETTLE = 1.0  # s
_STEPS = {"batch": 100, "single": 250}
_STATE = ("q", "v", "integral", "impulses")


@dataclass(frozen=True)
class ContactEffort:
    """How much is measured. batch: robots in a batch. checked: steps whose residual is computed, each for a single
    robot and for some of the batch. drift_seconds: how long a robot stands to see its feet drift, 0 for not at all."""

    blocks: int = 30
    block_seconds: float = 5e-3
    batch: int = 64
    checked: int = 1000
    drift_seconds: float = 60.0


@dataclass(frozen=True)
class Standing:
    """A robot that stood for some seconds: greatest drift of a contact point and greatest depth, m."""

    seconds: float
    drift: float
    depth: float


@dataclass(frozen=True)
class ContactMeasurement:
    """A scene's times, and how well its steps were solved: share with a residual below `SOLVED`, the residual (as a
    fraction of the weight times dt) that 99.9 % are below, and the mean number of sweeps."""

    scene: ContactScene
    rows: int
    operations: int
    race: Race
    solved: float
    residual: float
    sweeps: float
    standing: Standing | None

    @property
    def counts(self) -> bool:
        """Whether the times mean something."""
        return self.solved >= LEAST_SOLVED


def has_mujoco() -> bool:
    """Whether the peer is installed."""
    return find_spec("mujoco") is not None


def measure_scene(
    scene: ContactScene | str,
    *,
    effort: ContactEffort | None = None,
    progress: Callable[[str], None] = lambda text: None,
) -> ContactMeasurement:
    """Measure a scene, or the one of that name in `SCENES`."""
    effort = effort or ContactEffort()
    scene = contact_scene(scene) if isinstance(scene, str) else scene
    progress(f"{scene.name}: compile")
    simulation = scene.simulation()
    command = scene.command(simulation)
    if scene.rests:
        simulation.run(command, _SETTLE)
    start = simulation.state
    batch = settled(simulation, command, batch_starts(scene, start.q, effort.batch), scene)
    progress(f"{scene.name}: check")
    residuals, sweeps = checked_steps(simulation, command, batch, effort.checked)
    simulation.state = start
    contestants = {
        "bound": _bound(simulation, command),
        "batch": _batch(simulation, command, batch),
    }
    if has_mujoco():
        contestants |= _peers(scene, start.q, batch_starts(scene, start.q, effort.batch))
    progress(f"{scene.name}: race")
    result = race(contestants, blocks=effort.blocks, block_seconds=effort.block_seconds)
    simulation.state = start
    fractions = residuals / scene.weight_impulse
    standing = None
    if scene.rests and effort.drift_seconds > 0.0:
        progress(f"{scene.name}: stand")
        standing = stand(simulation, command, effort.drift_seconds)
    return ContactMeasurement(
        scene,
        simulation.rows,
        simulation.step_kernel.operations,
        result,
        float((fractions < SOLVED).mean()),
        float(np.quantile(fractions, LEAST_SOLVED)),
        sweeps,
        standing,
    )


def measure_contacts(
    counts: Sequence[int] = (1, 2, 4, 8, 16, 32, 64),
    *,
    effort: ContactEffort | None = None,
    progress: Callable[[str], None] = lambda text: None,
) -> list[ContactMeasurement]:
    """What more contacts cost: a plate that lies on so many points; a third of the effort."""
    effort = effort or ContactEffort()
    less = replace(effort, blocks=-(-effort.blocks // 3), checked=min(effort.checked, 100), drift_seconds=0.0)
    return [measure_scene(plate_scene(count), effort=less, progress=progress) for count in counts]


def measure_all(
    names: Sequence[str] = tuple(SCENES),
    *,
    effort: ContactEffort | None = None,
    progress: Callable[[str], None] = lambda text: None,
) -> list[ContactMeasurement]:
    """All scenes of these names."""
    return [measure_scene(name, effort=effort, progress=progress) for name in names]


def batch_starts(scene: ContactScene, q: Array, count: int) -> Array:
    """Configurations (count, nq) around q: joints turned by about 1e-3 rad; what falls begins up to 10 % higher."""
    rng = np.random.default_rng(0)
    result = np.tile(q, (count, 1))
    result[:, 7:] += ASKEW * rng.normal(size=(count, len(q) - 7))
    result[:, 2] += 0.1 * scene.drop * rng.random(count)
    return result


def settled(
    simulation: FeetSimulation, command: Command, q: Array, scene: ContactScene
) -> tuple[Array, Array]:
    """States (count, nq) and (count, nv) that a batch is timed from: at rest, as they are if they fall or rock, else
    after they have come to stand, as the single robot and MuJoCo's have."""
    v = np.zeros((len(q), simulation.robot.nv))
    if not scene.rests:
        return q, v
    steps = round(_SETTLE / simulation.control_period)
    positions, velocities, _ = simulation.rollout(q, v, command, steps=steps, threads=1)
    return positions[:, -1].copy(), velocities[:, -1].copy()


def checked_steps(
    simulation: FeetSimulation, command: Command, batch: tuple[Array, Array], count: int
) -> tuple[Array, float]:
    """Natural-map residuals (n,) in N s of what is timed, and the mean number of sweeps: of the single robot from
    its state, and of robots of the batch from theirs; about `count` steps each."""
    single = min(count, _STEPS["single"])
    residuals, trajectory = step_residuals(simulation, command, single)
    collected, sweeps = [residuals], [trajectory.solver_steps]
    for k in range(max(1, count // _STEPS["batch"])):
        simulation.reset(*(part[k % len(part)] for part in batch))
        residuals, trajectory = step_residuals(simulation, command, min(count, _STEPS["batch"]))
        collected.append(residuals)
        sweeps.append(trajectory.solver_steps)
    return np.concatenate(collected), float(np.concatenate(sweeps).mean())


def stand(simulation: FeetSimulation, command: Command, seconds: float) -> Standing:
    """Let a robot that has settled stand."""
    first = simulation.run(command, simulation.control_period)
    drift, depth = 0.0, 0.0
    for _ in range(max(1, round(seconds))):
        part = simulation.run(command, min(1.0, seconds))
        drift = max(drift, float(np.abs(part.positions - first.positions[0]).max()))
        depth = max(depth, float(-part.positions[..., 2].min()))
    return Standing(seconds, drift, depth)


def _bound(simulation: FeetSimulation, command: Command) -> Contestant:
    """One step a call, forth and back between two sets of arrays; each sweep begins anew."""
    kernel, state = simulation.step_kernel, simulation.state
    given = {f"command_{name}": np.array(value) for name, value in command._asdict().items()}
    given["friction"] = simulation.friction
    given["time"] = np.zeros(())
    buffers: list[dict[str, Array]] = []
    for _ in range(2):
        outputs = {name: np.zeros(shape) for name, shape in kernel.signature.outputs}
        buffers.append(outputs)
    calls = []
    for before, after in (buffers, buffers[::-1]):
        inputs = [before[name] if name in _STATE else given[name] for name, _ in kernel.signature.inputs]
        calls.append(kernel.bind(*inputs, *after.values()))
    steps = _STEPS["single"]
    run = sweep("call()", {"call": (calls * steps)[:steps]}, {})

    def repeat() -> None:
        for name in _STATE:
            buffers[0][name][...] = getattr(state, name)
        run()

    return Contestant(repeat, steps)


def _batch(simulation: FeetSimulation, command: Command, starts: tuple[Array, Array]) -> Contestant:
    steps, count = _STEPS["batch"], len(starts[0])
    sizes = ((simulation.robot.nq,), (simulation.robot.nv,), ())
    # New memory in each call would be a fifth of the time.
    out = [np.empty((count, steps, *size)) for size in sizes]
    return Contestant(
        lambda: simulation.rollout(*starts, command, steps=steps, threads=1, out=out), count * steps
    )


def _peers(scene: ContactScene, settled: Array, starts: Array) -> dict[str, Contestant]:
    """MuJoCo with its default settings, settled on its own where the scene stands."""
    import mujoco
    from mujoco.rollout import Rollout

    from benchmarks.lab.contact_mujoco import ContactPeer

    peer = ContactPeer(scene)
    model, data = peer.model, peer.data
    if scene.rests:
        mujoco.mj_step(model, data, nstep=round(_SETTLE / model.opt.timestep))
    kind = mujoco.mjtState.mjSTATE_INTEGRATION
    start = np.empty(mujoco.mj_stateSize(model, kind))
    mujoco.mj_getState(model, data, start, kind)
    run = sweep(
        "mj_step(model, data)",
        {"_": range(_STEPS["single"])},
        {"mj_step": mujoco.mj_step, "model": model, "data": data},
    )

    def repeat() -> None:
        mujoco.mj_setState(model, data, start, kind)
        run()

    steps, count = _STEPS["batch"], len(starts)
    theirs = data.qpos[peer.order_q].copy() if scene.rests else settled
    states = peer.batch_states(starts - settled + theirs)
    control = np.tile(peer.control(), (count, steps, 1))
    pool, worker = Rollout(nthread=0), mujoco.MjData(model)
    if scene.rests:
        held = control[:, :1] if peer.model.nu else None
        states = pool.rollout(model, [worker], states, held, nstep=round(_SETTLE / model.opt.timestep))[0][
            :, -1
        ]
    out = np.empty((count, steps, states.shape[1]))
    given = control if peer.model.nu else None
    return {
        "step": Contestant(repeat, _STEPS["single"]),
        "rollout": Contestant(
            lambda: pool.rollout(model, [worker], states, given, nstep=steps, state=out), count * steps
        ),
    }
