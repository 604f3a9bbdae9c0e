"""Controllers at work: an arm, a quadruped that is pushed, LOLA who squats and waves, and a robot nobody tuned for.

python examples/06_control.py [arm anymal lola go2 talos] [--folder control-runs]

Writes recordings (`footfall view FILE` shows them) and plots. ANYmal, Go2 and TALOS come from example-robot-data.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np
from controlled.arm import press_on_table, trace_circle, yield_to_push
from controlled.motions import DIRECTIONS, pushed, shift_and_turn, squat_and_wave
from controlled.outputs import plot_arms, plot_stands, record
from controlled.stances import lola_standing, standing

import footfall
from footfall.bench import load_measured
from footfall.errors import RobotWarning

WAVING = {"lola": "efl", "talos": "arm_left_4_joint"}


def show_arm(folder):
    circle, table, push = trace_circle(), press_on_table(), yield_to_push()
    late = table.trajectory.time > 0.5
    print(f"circle: tip within {1e3 * circle.error:.2f} mm")
    print(
        f"table: {table.force[late].mean():.1f} N on average, {table.force[late].min():.1f} to "
        f"{table.force[late].max():.1f} N; tip within {1e3 * table.error:.1f} mm"
    )
    print(
        f"push: tip gave way by {1e3 * np.linalg.norm(push.moved):.0f} mm, springs and push differ by "
        f"{push.imbalance:.4f} N m; {1e3 * push.left:.2f} mm left afterwards"
    )
    runs = [circle, table, push.run]
    plot_arms(runs, folder / "arm.png")
    return runs


def describe(run):
    print(
        f"{run.stance.robot.name}, {run.name}: off its path by up to "
        f"{1e3 * np.linalg.norm(run.error[:, :3], axis=1).max():.1f} mm, "
        f"{1e3 * np.linalg.norm(run.error[-1, :3]):.2f} mm at the end; "
        f"friction {run.friction:.2f} of 0.8 needed, planned {run.planned_friction:.2f}; "
        f"least force {run.least_force:.1f} N; limits exceeded {run.exceeded} times; "
        f"validator: {len(run.watch.checks)} steps, residual {run.contact_residual:.0e} of the weight, cones exceeded "
        f"by {run.cone_excess:.0e}, slip {run.slip:.0e} m/s"
    )
    return run


def show_standing(name, folder):
    robot = load_measured(name)
    stance = standing(robot, name)
    # 100 N for ANYmal's 30.5 kg; lighter and heavier robots in proportion
    force = 100.0 if name == "anymal" else 100.0 * robot.mass / 30.5
    runs = [describe(shift_and_turn(stance))]
    if name == "talos":
        runs = [describe(squat_and_wave(stance, WAVING[name]))]
    else:
        pushes = [
            describe(pushed(stance, 2 * np.pi * k / DIRECTIONS, force=force)) for k in range(DIRECTIONS)
        ]
        plot_stands(pushes, folder / f"{name}-pushes.png")
        runs += pushes
    plot_stands(runs[:1], folder / f"{name}.png")
    return runs


def show_lola(folder):
    run = describe(squat_and_wave(lola_standing(footfall.load("lola")), WAVING["lola"]))
    plot_stands([run], folder / "lola.png")
    return [run]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", default=["arm", "anymal", "lola", "go2", "talos"])
    parser.add_argument("--folder", type=Path, default=Path("control-runs"))
    options = parser.parse_args()
    warnings.simplefilter("ignore", RobotWarning)
    for name in options.names:
        if name == "arm":
            runs = show_arm(options.folder)
        elif name == "lola":
            runs = show_lola(options.folder)
        else:
            runs = show_standing(name, options.folder)
        for run in runs:
            record(run, options.folder)
    print(f"written to {options.folder}")


if __name__ == "__main__":
    main()
