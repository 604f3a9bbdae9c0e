"""The robots of the contact scenes in ours and in MuJoCo: impulses, rest heights and how the load is split."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from footfall.benchmarks.contact_motions import sway, trot
from footfall.benchmarks.contact_scenes import DT, ContactScene, contact_scene
from footfall.scenarios.pyplot import load_pyplot
from footfall.simulation.simulation import Trajectory

Array = np.ndarray[Any, np.dtype[np.float64]]

SOFT, HARD = 0.02, 0.005  # s, time constants: MuJoCo's default, and stiff
SETTLED = 4.0  # s; after one second LOLA still rocks in MuJoCo
MOTIONS: dict[str, Callable[[ContactScene, float], Array]] = {"trot": trot, "sway": sway}


class PeerRun(NamedTuple):
    """A run in MuJoCo: q (nq,) at the end; heights (n,) of the base, m; forces (n, bodies, 3) N of each touching body;
    mean and greatest depth of the contacts at the end, m; how far bodies have slid, m, and the fastest joint at the
    end, rad/s."""

    q: Array
    heights: Array
    forces: Array
    sink: float
    deepest: float
    slid: float
    speed: float


def touching_bodies(scene: ContactScene) -> list[str]:
    """Names of the bodies that touch the ground."""
    return list(dict.fromkeys(candidate.body for candidate in scene.candidates))


def references(scene: ContactScene, motion: str, seconds: float) -> list[Array]:
    """Joint positions (joints,) of all steps; none if the robot just stands."""
    return [MOTIONS[motion](scene, k * DT) for k in range(round(seconds / DT))] if motion else []


def run_ours(scene: ContactScene, *, seconds: float, motion: str = "", q: Array | None = None) -> Trajectory:
    """Ours from the start of the scene, or from q (nq,)."""
    simulation = scene.simulation()
    if q is not None:
        simulation.reset(q)
    command, path = scene.command(simulation), references(scene, motion, seconds)

    def moving(time: float, q: Array, v: Array) -> Any:
        return command._replace(position=path[round(time / DT)])

    return simulation.run(moving if motion else command, seconds)


def run_mujoco(scene: ContactScene, *, seconds: float, time_constant: float, motion: str = "") -> PeerRun:
    """The same in MuJoCo, with its round cone and impratio 100: with 1 feet creep by centimetres."""
    import mujoco

    from footfall.benchmarks.contact_mujoco import ContactPeer

    peer = ContactPeer(scene, elliptic=True, impratio=100.0, time_constant=time_constant)
    model, data = peer.model, peer.data
    names, steps, path = touching_bodies(scene), round(seconds / DT), references(scene, motion, seconds)
    forces, heights = np.zeros((steps, len(names), 3)), np.zeros(steps)
    start = np.array([data.body(name).xpos for name in names])
    for k in range(steps):
        if path:
            data.ctrl[:] = path[k]
        mujoco.mj_step1(model, data)
        mujoco.mj_step2(model, data)
        heights[k] = data.qpos[2]
        _, acting = peer.contact_forces()
        for contact, force in zip(data.contact, acting, strict=True):
            touching = [model.body(model.geom_bodyid[geom]).name for geom in contact.geom]
            forces[k, names.index(next(name for name in touching if name in names))] += force
    q = np.empty(scene.robot.nq)
    q[peer.q(np.arange(scene.robot.nq, dtype=float)).astype(int)] = data.qpos
    depths = [-contact.dist for contact in data.contact]
    slid = np.linalg.norm((np.array([data.body(name).xpos for name in names]) - start)[:, :2], axis=1).max()
    speed = float(np.abs(data.qvel[6:]).max())
    return PeerRun(q, heights, forces, float(np.mean(depths)), max(depths), float(slid), speed)


def by_body(scene: ContactScene, trajectory: Trajectory) -> Array:
    """Forces (n, bodies, 3) on each touching body, N."""
    owners = np.array([candidate.body for candidate in scene.candidates])
    columns = [trajectory.forces[:, owners == body].sum(axis=1) for body in touching_bodies(scene)]
    return np.stack(columns, axis=1)


# scene, motion, time constant in s, seconds
CASES: tuple[tuple[str, str, float, float], ...] = (
    ("ANYmal standing", "", SOFT, 1.0),
    ("ANYmal standing", "", HARD, 1.0),
    ("ANYmal dropped", "", SOFT, 1.0),
    ("ANYmal dropped", "", HARD, 1.0),
    ("LOLA standing, 8 points", "", SOFT, SETTLED),
    ("LOLA standing, 8 points", "", HARD, SETTLED),
    ("LOLA dropped, 8 points", "", SOFT, SETTLED),
    ("LOLA dropped, 8 points", "", HARD, SETTLED),
    ("ANYmal standing", "trot", SOFT, 3.0),
    ("ANYmal standing", "trot", HARD, 3.0),
    ("LOLA standing, 8 points", "sway", SOFT, 3.0),
    ("LOLA standing, 8 points", "sway", HARD, 3.0),
)


def comparison_table(cases: Sequence[tuple[str, str, float, float]] = CASES) -> str:
    """Markdown. The split is that of the last fifth of the time, in motion that of all of it."""
    lines = [
        "| | time constant | impulse, difference / weight | our base is higher by | sink of its feet | vertical split, "
        "worst part | its feet slid | its fastest joint at the end |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, motion, time_constant, seconds in cases:
        scene = contact_scene(name)
        mine = run_ours(scene, seconds=seconds, motion=motion)
        peer = run_mujoco(scene, seconds=seconds, time_constant=time_constant, motion=motion)
        weight = scene.robot.mass * 9.81
        impulse = np.abs((mine.forces.sum(axis=(0, 1)) - peer.forces.sum(axis=(0, 1))) * DT).max()
        since = 0 if motion else round(0.8 * seconds / DT)
        split = (by_body(scene, mine)[since:].mean(axis=0) / peer.forces[since:].mean(axis=0))[:, 2] - 1.0
        doing = name.replace("standing", f"in a {motion}") if motion else name
        lines.append(
            f"| {doing}, {seconds:g} s | {1e3 * time_constant:g} ms | {100 * impulse / (weight * seconds):.3f} % | "
            f"{1e3 * (mine.q[-1, 2] - peer.q[2]):.3f} mm | {1e3 * peer.sink:.3f} mm | "
            f"{100 * np.abs(split).max():.2f} % | {1e3 * peer.slid:.2f} mm | {peer.speed:.0e} rad/s |"
        )
    return "\n".join(lines)


PLOTTED: tuple[tuple[str, str, float, float], ...] = (
    ("ANYmal dropped", "", HARD, 1.0),
    ("ANYmal standing", "trot", HARD, 3.0),
    ("LOLA dropped, 8 points", "", HARD, 1.0),
    ("LOLA standing, 8 points", "sway", HARD, 3.0),
)


def plot_comparison(path: Path, cases: Sequence[tuple[str, str, float, float]] = PLOTTED) -> None:
    """Height of the base and vertical forces on two of the touching bodies over time, ours over MuJoCo's, as a PNG
    file. Forces are means over 10 ms."""
    plt = load_pyplot()
    figure, rows = plt.subplots(
        len(cases), 3, figsize=(15, 2.9 * len(cases)), layout="constrained", squeeze=False
    )
    for axes, (name, motion, time_constant, seconds) in zip(rows, cases, strict=True):
        scene = contact_scene(name)
        mine = run_ours(scene, seconds=seconds, motion=motion)
        peer = run_mujoco(scene, seconds=seconds, time_constant=time_constant, motion=motion)
        doing = name.replace("standing", f"in a {motion}") if motion else name
        both = (("MuJoCo", peer.heights, peer.forces), ("footfall", mine.q[:, 2], by_body(scene, mine)))
        for label, heights, forces in both:
            style = {"label": label, "color": "#d95f02" if label == "MuJoCo" else "#0066bd", "linewidth": 1.0}
            axes[0].plot(mine.time, heights, **style)
            for panel, body in zip(axes[1:], (0, len(forces[0]) - 1), strict=True):
                panel.plot(
                    mine.time[2:-2], np.convolve(forces[:, body, 2], np.full(5, 0.2), "valid"), **style
                )
        axes[0].set(title=f"{doing}: height of the base", ylabel="m")
        names = touching_bodies(scene)
        axes[1].set(title=f"vertical force on {names[0]}", ylabel="N")
        axes[2].set(title=f"vertical force on {names[-1]}", ylabel="N")
        for panel in axes:
            panel.grid(alpha=0.3)
    rows[0, 0].legend(fontsize=8)
    for panel in rows[-1]:
        panel.set_xlabel("time, s")
    figure.savefig(path, dpi=90)
    plt.close(figure)
