"""Angular momentum of walking robots with four ways to move the arms (Schwienbacher 2014, chapter 7).

python benchmarks/angular_momentum.py [--robots lola lola-2012] [--walks "0.4 m"] [--output report.md]
    [--picture picture.png] [--beside source.png]
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: one core for everybody
sys.path.insert(0, str(Path(__file__).parents[1]))  # where `benchmarks.lab` lies

import argparse

import footfall
from benchmarks.lab.angular_momentum import WALKS, Outcome, measure
from benchmarks.lab.momentum_figures import FIGURES, beside_the_source, draw_figures
from footfall.whole_file import write_text

_HEAD = (
    "| arms | peak momentum, kg m2/s | to rest | peak rate, N m | to rest | peak torque of a sole, N m | to rest "
    "| least gap, mm | arm rate, rad/s | tasks off |"
)

_PICTURED = ("straight, 0.4 m in 0.8 s", "turning in place")
_BESIDE = (
    "Schwienbacher (2014), figures 7.1, 7.3 and 7.4, with the same curves of our walks: peaks over one gait cycle, "
    "with some arms against others. His momentum is simulated, his torques are measured on the robot, on walks of "
    "another generator; ours are of inverse dynamics."
)


def table(found: list[Outcome]) -> list[str]:
    rest = found[0]
    lines = [_HEAD, "|---|---|---|---|---|---|---|---|---|---|"]
    for each in found:
        shares = (
            f"{each.momentum / rest.momentum - 1:+.0%}",
            f"{each.rate / rest.rate - 1:+.0%}",
            f"{each.sole / rest.sole - 1:+.0%}",
        )
        lines.append(
            f"| {each.method} | {each.momentum:.2f} | {shares[0]} | {each.rate:.1f} | {shares[1]} | {each.sole:.1f} | "
            f"{shares[2]} | {1e3 * each.gap:.0f} | {each.arm_rate:.1f} | {each.off:.0e} |"
        )
    return lines


def draw(courses: dict[str, list[Outcome]], path: Path) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(
        2, len(courses), figsize=(5.2 * len(courses), 5.6), squeeze=False, sharex="col"
    )
    for column, (name, found) in enumerate(courses.items()):
        for each in found:
            times, momentum, right, left = each.course.T
            part = (times > 3.0) & (times < 6.2)
            axes[0][column].plot(times[part], momentum[part], label=each.method)
            axes[1][column].plot(times[part], (right + left)[part])
        axes[0][column].set(title=name, ylabel="momentum about the vertical, kg m2/s")
        axes[1][column].set(xlabel="time, s", ylabel="torque of the soles, N m")
    axes[0][0].legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--robots", nargs="+", default=["lola", "lola-2012"])
    parser.add_argument("--walks", default="", help="only those whose names have this")
    parser.add_argument("--output", type=Path)
    parser.add_argument("--picture", type=Path, help="all methods on two walks of the first robot")
    parser.add_argument("--beside", type=Path, help="the source's figures, of the last robot")
    options = parser.parse_args()
    lines = [
        "# Angular momentum of walking",
        "",
        "Walks of `generate_motion`, followed by the whole robot with `follow_motion` in steps of 5 ms. Peaks are",
        "those between the first and last 2.5 s. Torques of soles come from inverse dynamics, shared by the load",
        "factors. Compensation and minimisation run with repulsion of the arms and a pull to the standing pose; while",
        "turning the momentum that is wanted is the cubic of (7.10). Percentages are against arms at rest.",
    ]
    measured: dict[str, dict[str, list[Outcome]]] = {}
    for name in options.robots:
        robot = footfall.load(name)
        measured[name] = {}
        lines += ["", f"## {name}"]
        for walk in (walk for walk in WALKS if options.walks in walk.name):
            found, literal = measure(robot, walk)
            told = [*table(found), "", f"(7.9) as printed: {literal}."] if found else [f"Refused: {literal}"]
            lines += ["", f"### {walk.name}", "", *told]
            print("\n".join(lines[-len(found) - 5 :]), flush=True)
            measured[name][walk.name] = found
    if all(shown.walk in walks for shown in FIGURES for walks in measured.values()):
        lines += ["", "## Beside the source's figures", "", _BESIDE, "", *beside_the_source(measured)]
        print("\n".join(lines[-len(FIGURES) - 2 :]))
        if options.beside:
            draw_figures(measured[name], options.beside, robot=name)
    if options.output:
        write_text(options.output, "\n".join(lines) + "\n")
    if options.picture:
        draw({walk: measured[options.robots[0]][walk] for walk in _PICTURED}, options.picture)


if __name__ == "__main__":
    main()
