"""The robots of the contact scenes in ours and in MuJoCo: impulses, rest heights and how the load is split.

MuJoCo's contact is soft. Its impedance is made constant, so that it is a linear spring and damper; ours can then have
the same (`with_springs`), and what is left between both is not the softness. It takes shorter steps than ours, at 2 ms
LOLA rocks in it for ever, and its `noslip` iterations, without which feet creep apart; `causes_table` shows both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.lab.contact_motions import sway, trot
from benchmarks.lab.contact_scenes import DT, ContactScene, contact_scene
from footfall.arrays import Array
from footfall.scenarios.pyplot import load_pyplot
from footfall.simulation.run_values import Trajectory

SOFT, HARD = 0.02, 0.005  # s, time constants: MuJoCo's default, and stiff
PEER_STEPS = 4  # of MuJoCo in one of ours
_IMPEDANCE = 0.95  # MuJoCo's default for what lies deeper than a millimetre
_NOSLIP = 50
MOTIONS: dict[str, Callable[[ContactScene, float], Array]] = {"trot": trot, "sway": sway}


class PeerRun(NamedTuple):
    """A run in MuJoCo: q (nq,) at the end; heights (n,) of the base, m; forces (n, bodies, 3) N of each touching body;
    mean and greatest depth of the contacts at the end, m; how far bodies have slid, m, and the fastest joint at the
    end, rad/s; springs: stiffness, N/m, and damping, N s/m, of a point of each body that touched."""

    q: Array
    heights: Array
    forces: Array
    sink: float
    deepest: float
    slid: float
    speed: float
    springs: dict[str, tuple[float, float]]


def touching_bodies(scene: ContactScene) -> list[str]:
    """Names of the bodies that touch the ground."""
    return list(dict.fromkeys(candidate.body for candidate in scene.candidates))


def references(scene: ContactScene, motion: str, seconds: float) -> list[Array]:
    """Joint positions (joints,) of all steps; none if the robot just stands."""
    return [MOTIONS[motion](scene, k * DT) for k in range(round(seconds / DT))] if motion else []


def with_springs(scene: ContactScene, springs: Mapping[str, tuple[float, float]]) -> ContactScene:
    """The scene on soft ground: stiffness, N/m, and damping, N s/m, of a point by the body that it belongs to."""
    soft = []
    for candidate in scene.candidates:
        stiffness, damping = springs[candidate.body]
        material = replace(candidate.surface.material, stiffness=stiffness, damping=damping)
        soft.append(replace(candidate, surface=replace(candidate.surface, material=material)))
    return replace(scene, candidates=tuple(soft))


def run_ours(scene: ContactScene, *, seconds: float, motion: str = "", q: Array | None = None) -> Trajectory:
    """Ours from the start of the scene, or from q (nq,)."""
    simulation = scene.simulation()
    if q is not None:
        simulation.reset(q)
    command, path = scene.command(simulation), references(scene, motion, seconds)

    def moving(time: float, q: Array, v: Array) -> Any:
        return command._replace(position=path[round(time / DT)])

    return simulation.run(moving if motion else command, seconds)


def run_mujoco(
    scene: ContactScene,
    *,
    seconds: float,
    time_constant: float,
    motion: str = "",
    steps: int = PEER_STEPS,
    noslip: bool = True,
) -> PeerRun:
    """The same in MuJoCo, with its round cone and impratio 100; steps: in one of ours."""
    import mujoco

    from benchmarks.lab.contact_mujoco import ContactPeer

    peer = ContactPeer(scene, elliptic=True, impratio=100.0, time_constant=time_constant, dt=DT / steps)
    model, data = peer.model, peer.data
    model.opt.noslip_iterations = _NOSLIP if noslip else 0
    model.geom_solimp[:, :2] = _IMPEDANCE
    peer.reset()
    names, count, path = touching_bodies(scene), round(seconds / DT), references(scene, motion, seconds)
    owners = [model.body(body).name for body in model.geom_bodyid]
    places = np.array([names.index(owner) if owner in names else -1 for owner in owners])
    forces, heights = np.zeros((count, len(names), 3)), np.zeros(count)
    start = np.array([data.body(name).xpos for name in names])
    springs: dict[str, tuple[float, float]] = {}
    for k in range(count):
        if path:
            data.ctrl[:] = path[k]
        for _ in range(steps):
            mujoco.mj_step(model, data)
            # efc_force is [n, t1, t2] of each contact along the rows of its frame, on the second body: not the plane
            local = data.efc_force[data.contact.efc_address[:, None] + np.arange(3)]
            pushes = np.einsum("kij,ki->kj", data.contact.frame.reshape(-1, 3, 3), local)
            np.add.at(forces[k], places[data.contact.geom[:, 1]], pushes / steps)
        heights[k] = data.qpos[2]
        springs |= _springs(data, names, places)
    mujoco.mj_forward(model, data)
    q = np.empty(scene.robot.nq)
    q[peer.q(np.arange(scene.robot.nq, dtype=float)).astype(int)] = data.qpos
    depths = -data.contact.dist
    slid = np.linalg.norm((np.array([data.body(name).xpos for name in names]) - start)[:, :2], axis=1).max()
    speed = float(np.abs(data.qvel[6:]).max())
    return PeerRun(q, heights, forces, float(depths.mean()), float(depths.max()), float(slid), speed, springs)


def _springs(data: Any, names: Sequence[str], places: Array) -> dict[str, tuple[float, float]]:
    """Stiffness, N/m, and damping, N s/m, of a point of each body that touches; places: bodies by geometry."""
    rows, feet = data.contact.efc_address, places[data.contact.geom[:, 1]]
    stiffness, damping, impedance, _ = data.efc_KBIP[rows].T
    # MuJoCo asks for the acceleration -damping v - stiffness impedance depth; softness times force is missing to it.
    softness = data.efc_R[rows]
    both = zip(feet, stiffness * impedance / softness, damping / softness, strict=True)
    return {names[foot]: (float(k), float(d)) for foot, k, d in both}


def by_body(scene: ContactScene, trajectory: Trajectory) -> Array:
    """Forces (n, bodies, 3) on each touching body, N."""
    owners = np.array([candidate.body for candidate in scene.candidates])
    columns = [trajectory.forces[:, owners == body].sum(axis=1) for body in touching_bodies(scene)]
    return np.stack(columns, axis=1)


# scene, motion, time constant in s, seconds
CASES: tuple[tuple[str, str, float, float], ...] = tuple(
    (name, motion, time_constant, seconds)
    for name, motion, seconds in (
        ("ANYmal standing", "", 1.0),
        ("ANYmal dropped", "", 1.0),
        ("LOLA standing, 8 points", "", 2.0),
        ("LOLA dropped, 8 points", "", 2.0),
        ("ANYmal standing", "trot", 3.0),
        ("LOLA standing, 8 points", "sway", 3.0),
    )
    for time_constant in (SOFT, HARD)
)


class Difference(NamedTuple):
    """impulse: of the sums of all forces, over the weight. higher: our base above MuJoCo's at the end, m. split: of
    the vertical loads of the touching bodies, the worst, as a part of its load in MuJoCo."""

    impulse: float
    higher: float
    split: float


def difference(scene: ContactScene, mine: Trajectory, peer: PeerRun, *, motion: str = "") -> Difference:
    """Ours against MuJoCo's. The split is that of the last fifth of the time, in motion that of all of it."""
    ours = by_body(scene, mine)
    impulse = np.abs(ours.sum(axis=(0, 1)) - peer.forces.sum(axis=(0, 1))).max() / len(ours)
    since = 0 if motion else round(0.8 * len(ours))
    split = (ours[since:].mean(axis=0) / peer.forces[since:].mean(axis=0))[:, 2] - 1.0
    return Difference(
        float(impulse / (scene.robot.mass * 9.81)),
        float(mine.q[-1, 2] - peer.q[2]),
        float(np.abs(split).max()),
    )


def comparison_table(cases: Sequence[tuple[str, str, float, float]] = CASES) -> str:
    """Markdown: ours with exact contact, and with the same springs as MuJoCo has."""
    lines = [
        "| | time constant | impulse, difference / weight | our base is higher by | its feet sink by (deepest) | "
        "vertical split, worst part | with its springs: higher by | split | its feet slid |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name, motion, time_constant, seconds in cases:
        scene = contact_scene(name)
        peer = run_mujoco(scene, seconds=seconds, time_constant=time_constant, motion=motion)
        exact = difference(scene, run_ours(scene, seconds=seconds, motion=motion), peer, motion=motion)
        springy = run_ours(with_springs(scene, peer.springs), seconds=seconds, motion=motion)
        soft = difference(scene, springy, peer, motion=motion)
        doing = name.replace("standing", f"in a {motion}") if motion else name
        lines.append(
            f"| {doing}, {seconds:g} s | {1e3 * time_constant:g} ms | {100 * exact.impulse:.3f} % | "
            f"{1e3 * exact.higher:.3f} mm | {1e3 * peer.sink:.3f} ({1e3 * peer.deepest:.3f}) mm | "
            f"{100 * exact.split:.2f} % | {1e3 * soft.higher:.3f} mm | {100 * soft.split:.2f} % | "
            f"{1e3 * peer.slid:.2f} mm |"
        )
    return "\n".join(lines)


def causes_table(
    names: Sequence[str] = ("ANYmal standing", "LOLA standing, 8 points"), *, seconds: float = 2.0
) -> str:
    """Markdown: robots that stand on MuJoCo's default softness, with longer steps of it and without `noslip`."""
    lines = [
        "| | its step | noslip | our base is higher by | its feet sink by (deepest) | vertical split, worst part | "
        "its feet slid | its fastest joint at the end |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name in names:
        scene = contact_scene(name)
        mine = run_ours(scene, seconds=seconds)
        for steps in (1, 2, PEER_STEPS):
            for noslip in (False, True):
                peer = run_mujoco(scene, seconds=seconds, time_constant=SOFT, steps=steps, noslip=noslip)
                found = difference(scene, mine, peer)
                lines.append(
                    f"| {name} | {1e3 * DT / steps:g} ms | {'yes' if noslip else 'no'} | {1e3 * found.higher:.3f} mm | "
                    f"{1e3 * peer.sink:.3f} ({1e3 * peer.deepest:.3f}) mm | {100 * found.split:.2f} % | "
                    f"{1e3 * peer.slid:.2f} mm | {peer.speed:.0e} rad/s |"
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
