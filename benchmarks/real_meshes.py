"""Two robots of example-robot-data avoid themselves by fitted volumes; coal judges on their real meshes.

python benchmarks/real_meshes.py [--targets 40] [--output benchmarks/real_meshes.md]
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: one core for everybody
sys.path.insert(0, str(Path(__file__).parents[1]))  # where `benchmarks.lab` lies

import argparse
import warnings

import footfall
from benchmarks.lab.real_meshes import CLEARANCE, DT, LOOKED, STEPS, judge, near_targets, roomy_pairs
from footfall.bench import surroundings
from footfall.bench.robots import examples_folder
from footfall.robot.model import JointType
from footfall.whole_file import write_text

ROBOTS = {"panda.urdf": "panda_hand", "g1_29dof_rev_1_0.urdf": "right_wrist_yaw_link"}  # with the hand
PARTS = ("panda", "torso", "pelvis", "right", "head")  # of bodies that get volumes: one side of the humanoid
ARM = ("panda", "right_shoulder", "right_elbow", "right_wrist")  # of joints that make postures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--targets", type=int, default=40)
    parser.add_argument("--robots", nargs="+", default=list(ROBOTS), choices=list(ROBOTS))
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    lines = [
        "# Fitted volumes against real meshes",
        "",
        f"{surroundings.processor()}. Robots have volumes of `fit_volumes`, and a hand goes to random places for which",
        f"a posture exists with parts 15 to 50 mm apart: {STEPS} steps of {1e3 * DT:.0f} ms of `BoundedRate`, with a",
        f"clearance of {1e3 * CLEARANCE:.0f} mm. Every {LOOKED}th pose is measured by coal, triangle by triangle, on",
        "the meshes of the robot's file. Beyond: by how much triangles are closer than volumes say; negative: never.",
        "Pairs that are closer than twice the clearance at the start, such as pelvis and torso, are left out.",
        "",
        "| robot | pairs | what keeps parts apart | targets | met | volumes touch | meshes touch "
        "| least gap of volumes, mm | of meshes, mm | beyond, mm |",
        "|---|---:|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name in options.robots:
        hand = ROBOTS[name]
        path = next(iter(sorted(examples_folder().rglob(name))))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            plain = footfall.load(path, strict=False)
            bodies = [
                body.name
                for body in plain.bodies
                if (body.collisions or body.visuals) and any(part in body.name for part in PARTS)
            ]
            robot = footfall.volumes.fit_volumes(plain, bodies=bodies, progress=_tell)
            arm = tuple(
                joint.name
                for joint in robot.joints
                if any(part in joint.name for part in ARM)
                and "finger" not in joint.name
                and joint.type is JointType.REVOLUTE
            )
            targets = near_targets(robot, hand, arm, options.targets)
            pairs = f"{len(roomy_pairs(robot))} of {len(robot.volume_pairs)}"
            for found in judge(robot, hand, targets):
                lines.append(
                    f"| {path.stem} | {pairs} | {found.method} | {found.targets} | {found.met} | "
                    f"{found.touching_volumes} | {found.touching_meshes} | {1e3 * found.least_volumes:.1f} | "
                    f"{1e3 * found.least_meshes:.1f} | {1e3 * found.beyond:.3f} |"
                )
                print(lines[-1], flush=True)
        if options.output:
            write_text(options.output, "\n".join(lines) + "\n")


def _tell(done: float, body: str) -> None:
    print(done, body, flush=True)


if __name__ == "__main__":
    main()
