"""The tables of `benchmarks/world_cases.py`: each section is a function of the number of poses that robots fall from."""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import footfall
from benchmarks.lab import falling_robots, known_worlds
from footfall import Scene, Simulation
from footfall.arrays import Array
from footfall.errors import MissingFile
from footfall.simulation import ImpactSimulation, SimulationBase, Trajectory, step_residuals

G = 9.81
MINUTE = 60.0  # s
INTRODUCTION = """\
`python benchmarks/world_cases.py`: steps of 1 ms and default options unless said otherwise, contacts found while it
runs. Residuals are the largest natural map of any island over its weight times dt."""


def simulate(scene: Scene, **options: float) -> Simulation:
    return Simulation(None, scene, **options)  # type: ignore[arg-type]


def _run(simulation: SimulationBase, seconds: float) -> Trajectory:
    return simulation.run(simulation.zero_command, seconds)


def _energy(simulation: Simulation, trajectory: Trajectory) -> Array:
    robot = simulation.robot
    total = footfall.kinetic_energy(robot, trajectory.q, trajectory.v)
    return np.asarray(total + footfall.potential_energy(robot, trajectory.q))


def _shares(simulation: Simulation, trajectory: Trajectory) -> Array:
    """Residuals (n,) as parts of the weight times dt."""
    return trajectory.residual / (simulation.robot.mass * G * simulation.options.dt)


# Loose things


def loose_things(_: int) -> list[str]:
    """Closed forms and things that must stay."""
    rows = [*_slopes(), *_standing(), *_falling_in_a_row(), *_cradles(), *_rolling(), *_rings(), *_shots()]
    return [
        "## Loose things",
        "",
        "| | found | asked for | |",
        "|---|---|---|---|",
        *(
            f"| {case} | {found} | {asked} | {'' if right else 'WRONG'} |"
            for case, found, asked, right in rows
        ),
    ]


Row = tuple[str, str, str, bool]


def _slopes() -> Iterator[Row]:
    for share in (0.9999, 1.0005):
        scene, slope = known_worlds.block_on_slope(share, 0.5)
        simulation = simulate(scene)
        _run(simulation, 10.0)
        speed = float(np.linalg.norm(simulation.v[:3]))
        expected = max(G * (np.sin(slope) - 0.5 * np.cos(slope)), 0.0) * 10.0
        right = abs(speed - expected) < 1e-6 * expected + 1e-9
        yield (
            f"block at {share} of the angle of friction, 10 s",
            f"{speed:.9g} m/s",
            f"{expected:.9g} m/s",
            right,
        )


def _standing() -> Iterator[Row]:
    for name, scene in (("10 boxes", known_worlds.stack()), ("card house", known_worlds.card_house())):
        simulation = simulate(scene)
        _run(simulation, 2.0)
        before, worst = simulation.q.copy(), 0.0
        for _ in range(round(MINUTE / 10.0)):
            trajectory = _run(simulation, 10.0)
            worst = max(worst, float(_shares(simulation, trajectory).max()))
        creep = float(np.abs(simulation.q - before).max()) / MINUTE
        found = f"creeps at {creep:.1e} m/s, residual {worst:.1e}"
        yield f"{name}, 60 s", found, "below 1e-9 m/s", creep < 1e-9


def _falling_in_a_row() -> Iterator[Row]:
    simulation = simulate(known_worlds.dominoes())
    trajectory = _run(simulation, 4.0)
    x, y = trajectory.q[:, 4::7], trajectory.q[:, 5::7]
    leaning = 1.0 - 2.0 * (x**2 + y**2) < np.cos(0.2)
    times = trajectory.time[leaning.argmax(axis=0)]
    intervals = np.diff(times)
    right = bool(leaning[-1].all() and (intervals > 0.0).all())
    shares = _shares(simulation, trajectory)
    late = intervals[15:]
    found = (
        f"{int(leaning[-1].sum())} fall, {1e3 * late.min():.0f} to {1e3 * late.max():.0f} ms after each other from "
        f"the 15th on; residual above 1e-8 in {100 * np.mean(shares > 1e-8):.2f} % of steps, most {shares.max():.1e}"
    )
    yield "50 dominoes", found, "one by one", right


def _cradles() -> Iterator[Row]:
    passed_on, together = (0.0, 0.0, 0.0, 0.0, 1.0), (-0.6, 0.4, 0.4, 0.4, 0.4)
    for gap, contact, asked in (
        (2e-3, "exact", passed_on),
        (0.0, "impacts", passed_on),
        (0.0, "exact", together),  # Newton's law for all at once: (1 + e) / n, and that less e
    ):
        plant: Any = ImpactSimulation if contact == "impacts" else Simulation
        simulation = plant(None, known_worlds.cradle(gap))
        _run(simulation, 0.2)
        speeds = simulation.v[::6]
        right = bool(np.abs(speeds - asked).max() < 1e-6)
        apart = f"{1e3 * gap:g} mm apart" if gap else "touching"
        found, wanted = (", ".join(f"{speed:.2f}" for speed in row) for row in (speeds + 0.0, asked))
        yield f"cradle of 5, {apart}, {contact} contact", f"{found} m/s", f"{wanted} m/s", right


def _rolling() -> Iterator[Row]:
    scenes = {
        "ball over the seam of two boxes": (known_worlds.rolling_ball("boxes"), 0.9),
        "ball over triangles": (known_worlds.rolling_ball("mesh"), 0.9),
        "rolling cylinder, 5 s": (known_worlds.rolling_cylinder(), 5.0),
    }
    for name, (scene, seconds) in scenes.items():
        simulation = simulate(scene)
        trajectory = _run(simulation, seconds)
        energy = _energy(simulation, trajectory)
        change = float(np.abs(energy - energy[0]).max()) / (simulation.robot.mass * G * trajectory.q[0, 2])
        found = f"energy changes by {change:.1e} m g h, height by {np.ptp(trajectory.q[:, 2]):.1e} m"
        yield name, found, "1e-6 m g h", change < 1e-6


def _rings() -> Iterator[Row]:
    simulation = simulate(known_worlds.chain_of_rings(8))
    trajectory = _run(simulation, 10.0)
    force = -trajectory.force_on("bar")[-1, 2] / (8 * known_worlds.LINK * G)
    moved = float(np.ptp(trajectory.q[:, 2::7], axis=0).max())
    found = f"the bar carries {force:.9f} of it, rings move by {moved:.1e} m, at the end {np.abs(simulation.v).max():.1e} m/s or rad/s"  # noqa: E501
    yield "8 rings of 12 capsules hang, 10 s", found, "their weight", abs(force - 1.0) < 1e-6 and moved < 1e-4


def _shots() -> Iterator[Row]:
    simulation = simulate(known_worlds.shot())
    farthest = float(_run(simulation, 0.05).q[:, 0].max()) + 0.015
    yield "ball of 2 cm, 50 m/s, plate of 1 cm", f"{farthest:.1e} m inside", "does not pass", farthest < 1e-4
    simulation = simulate(known_worlds.shot(beside=0.03))
    _run(simulation, 0.05)
    speed = float(np.linalg.norm(simulation.v[:3]))
    yield "the same 3 cm beside it", f"{speed:.12g} m/s", "50 m/s", speed == 50.0


# A cube at a wall

_CUBE = """
<mujoco><option timestep="0.01" cone="{cone}" impratio="{impratio}" noslip_iterations="{noslip}"/>
<worldbody><geom type="box" size="0.1 1 1" pos="0.1 0 0" friction="1 0 0"/>
<body pos="-0.1 0 0"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="1" friction="1 0 0"/></body>
</worldbody></mujoco>"""


def pressed_cube(_: int) -> list[str]:
    """Slip of a cube of 1 kg that 20 N press against a wall, friction 1, dt 10 ms."""
    simulation = simulate(known_worlds.pressed_cube(), dt=0.01)
    simulation.push("cube", np.array([20.0, 0.0, 0.0, 0.0, 0.0, 0.0]), 100.0)
    _run(simulation, 2.0)
    height = float(simulation.q[2])
    _run(simulation, 10.0)
    rows = [("footfall", (height - float(simulation.q[2])) / 10.0)]
    rows += _mujoco_cubes()
    return [
        "## A cube pressed against a wall",
        "",
        "1 kg, 20 N, friction 1, steps of 10 ms; the speed at which it slips down, mean of 10 s after 2 s. (Genesis has"
        " published 4.5 mm/s for itself.)",
        "",
        "| | slips at |",
        "|---|---|",
        *(f"| {name} | {1e3 * speed:.3g} mm/s |" for name, speed in rows),
    ]


def _mujoco_cubes() -> list[tuple[str, float]]:
    try:
        import mujoco
    except ImportError:
        return []
    rows = []
    for cone, impratio, noslip in (
        ("pyramidal", 1, 0),
        ("elliptic", 1, 0),
        ("elliptic", 100, 0),
        ("elliptic", 100, 10),
    ):
        model = mujoco.MjModel.from_xml_string(_CUBE.format(cone=cone, impratio=impratio, noslip=noslip))
        data = mujoco.MjData(model)
        data.xfrc_applied[1, 0] = 20.0
        for _ in range(200):
            mujoco.mj_step(model, data)
        height = float(data.qpos[2])
        for _ in range(1000):
            mujoco.mj_step(model, data)
        name = f"MuJoCo {mujoco.__version__}, {cone} cone, impratio {impratio}, {noslip} noslip iterations"
        rows.append((name, (height - float(data.qpos[2])) / 10.0))
    return rows


# How exactly


def residuals(_: int) -> list[str]:
    """Shares of steps that are solved, and samples by the validator."""
    lines = [
        "## Residuals",
        "",
        "Falling: until the fastest thing is below 0.01 m/s and rad/s for good, or to the end. Validator: the whole world"  # noqa: E501
        " as one dense problem (`step_residuals`), some steps while it falls.",
        "",
        "| | contacts, most | falling: above 1e-8 | above 1e-4 | most | at rest: above 1e-8 | most | deepest at the end |"  # noqa: E501
        " validator |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    cases = {
        "10 boxes": (known_worlds.stack(), 2.0),
        "pile of 10 boxes": (known_worlds.pile(10), 3.0),
        "pile of 20 boxes": (known_worlds.pile(20), 3.0),
        "pile of 100 boxes": (known_worlds.pile(100), 4.0),
    }
    return lines + [_residual_row(name, *case) for name, case in cases.items()]


def _residual_row(name: str, scene: Scene, seconds: float) -> str:
    simulation = simulate(scene)
    trajectory = _run(simulation, seconds)
    shares = _shares(simulation, trajectory)
    fast = np.abs(trajectory.v).max(axis=1) > 1e-2
    rest = len(fast) - int(fast[::-1].argmax()) if fast.any() else 0
    falling, resting = shares[:rest], shares[rest:]
    log = trajectory.contacts
    last = log.gaps[log.rows(len(trajectory.time) - 1)]
    return (
        f"| {name} | {log.counts.max()} | {_part(falling, 1e-8)} | {_part(falling, 1e-4)} | {_most(falling)} | "
        f"{_part(resting, 1e-8)} | {_most(resting)} | {max(-last.min(initial=0.0), 0.0):.1e} m | {_validated(scene)} |"
    )


def _validated(scene: Scene) -> str:
    """The largest residual of five steps after 0.3 s, by the validator, which compiles dense code for few bodies."""
    sample = simulate(scene)
    if sample.robot.nv > 60:
        return "-"
    _run(sample, 0.3)
    checked, _ = step_residuals(sample, sample.zero_command, 5)
    return f"{checked.max() / (sample.robot.mass * G * sample.options.dt):.1e}"


def _part(shares: Array, bar: float) -> str:
    return f"{100 * np.mean(shares > bar):.2f} %" if len(shares) else "-"


def _most(shares: Array) -> str:
    return f"{shares.max():.1e}" if len(shares) else "-"


# Robots


def limp_robots(poses: int) -> list[str]:
    """Robots that fall limp."""
    lines = [
        "## Robots that fall limp",
        "",
        f"From {poses} random poses, limbs apart, {falling_robots.DROP} m above a flat floor, {_FALL:g} s. Joints rub as"  # noqa: E501
        f" gears do, with {100 * falling_robots.RUBS:g} % of their greatest effort and {falling_robots.LEAST_FRICTION:g} N m"  # noqa: E501
        f" at least, and have a damping of {_DAMPING} N m s/rad; without friction, as their files have it, LOLA and G1 swing for minutes. LOLA has capsules around"  # noqa: E501
        " its volumes, because its file has shapes on feet and hands only. Quiet: below 1e-3 m/s and rad/s in the last"
        " second. Gain: the most energy that one had above its start, over m g h.",
        "",
        "| | quiet | fastest in the last second | touch themselves | deepest in the last second | deepest ever |"
        " steps above 1e-8 | most | gain |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name in ("lola", "g1", "talos"):
        try:
            simulation = falling_robots.over_the_floor(name)
        except MissingFile:
            lines.append(f"| {name} | example-robot-data is not installed | | | | | | | |")
            continue
        lines.append(_robot_row(name, simulation, poses))
    return lines


_FALL, _DAMPING = 10.0, 0.5  # s, N m s/rad


def _robot_row(name: str, simulation: Simulation, poses: int) -> str:
    rng = np.random.default_rng(0)
    falls = []
    for _ in range(poses):
        q = falling_robots.random_pose(simulation, rng)
        falls.append(falling_robots.drop(simulation, q, _FALL, damping=_DAMPING))
    shares = np.concatenate([fall.residuals for fall in falls])
    fastest = np.array([fall.fastest for fall in falls])
    return (
        f"| {name} | {int((fastest < 1e-3).sum())} of {poses} | median {np.median(fastest):.1e}, most {fastest.max():.1e} "  # noqa: E501
        f"| {sum(fall.own > 0 for fall in falls)} | {max(fall.deepest for fall in falls):.1e} m | "
        f"{max(fall.deepest_ever for fall in falls):.1e} m | {_part(shares, 1e-8)} | {_most(shares)} | "
        f"{max(fall.gained for fall in falls):.1e} |"
    )
