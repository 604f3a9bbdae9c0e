"""`footfall plan SCENE --goal X,Y`: where to put feet and hands on the way through a scene."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from footfall.cli.goal_option import read_goal
from footfall.cli.screen import errors, screen, table

if TYPE_CHECKING:
    from footfall.cli.plan_options import Results, Walker, Way
    from footfall.environment.model import Environment
    from footfall.gait.poses import RobotPose
    from footfall.motion.reduced_model import ReducedModel
    from footfall.planning.contacts import Goal, PlannedContacts
    from footfall.planning.parameters import PlannerParameters


@dataclass(frozen=True)
class SceneTask:
    """What is planned: a robot in what it sees, from a pose to a goal."""

    name: str
    environment: Environment
    model: ReducedModel
    start: RobotPose
    goal: Goal
    parameters: PlannerParameters | None


def run(source: str, way: Way, walker: Walker, wishes: Results) -> bool:
    """Plan, tell, draw and show; whether a way was found."""
    from footfall.cli.plan import followed_motion, show_subject, walking_model
    from footfall.motion.parameters import read_parameters
    from footfall.motion.pipeline import generate_motion
    from footfall.robot.load import load
    from footfall.viewer.show import PlannedScene

    given = None if walker.parameters is None else read_parameters(walker.parameters)
    robot = walker.robot or "lola"
    model, machine = walking_model(load(robot))
    task = scene_task(source, way, model)
    result = planned(task, keep_explored=wishes.plot or wishes.animate)
    if wishes.as_json:
        typer.echo(json.dumps(as_record(result), indent=1))
    else:
        print_contacts(task, result)
    write_files(task, result, wishes, robot)
    if result.motion_plan is not None and (wishes.show or wishes.picture is not None):
        motion = generate_motion(result.motion_plan, model, parameters=given)
        subject = PlannedScene(followed_motion(motion, machine), task.environment)
        show_subject(subject, wishes.output / f"{task.name}-view.png", wishes.picture, wishes.view_port)
    return result.found


def scene_task(source: str, way: Way, model: ReducedModel) -> SceneTask:
    """A scene (shipped, or of a file) as good cameras see it, or an environment file, with start and goal."""
    from footfall.environment.files import is_environment, load_environment
    from footfall.environment.perception import EXACT, perceive
    from footfall.gait.walking_transitions import idle_pose
    from footfall.motion.pipeline import gait_dimensions
    from footfall.planning.parameters import read_planner_parameters
    from footfall.scene.load import load_scene
    from footfall.walking.routes import goal_of_scene, scene_with_goal, start_pose

    given = None if way.goal is None else read_goal(way.goal)
    start = idle_pose(gait_dimensions(model))
    if is_environment(source):
        environment = load_environment(source)
    else:
        scene = scene_with_goal(load_scene(source), given)
        environment = perceive(scene, EXACT if way.exact else None)
        start = start_pose(scene, model) or start
        given = given or goal_of_scene(scene)
    if given is None:
        raise typer.BadParameter(f"{source} has no goal; give one: --goal X,Y or X,Y,YAW, m and degrees")
    chosen = None if way.planner is None else read_planner_parameters(way.planner)
    return SceneTask(Path(source).stem, environment, model, start, given, chosen)


def planned(task: SceneTask, *, keep_explored: bool) -> PlannedContacts:
    """The plan of a task; a second run tells times without compilation."""
    from footfall.planning.planner import plan_contacts

    def run(explored: bool) -> PlannedContacts:
        return plan_contacts(
            task.environment,
            task.model,
            task.goal,
            start=task.start,
            parameters=task.parameters,
            keep_explored=explored,
        )

    with errors().status("planning; the first time its code is compiled, which takes some seconds"):
        run(False)
        return run(keep_explored)


def as_record(result: PlannedContacts) -> dict[str, Any]:
    """The result for `--json`: SI units, rad; quaternions with the scalar first."""
    return {
        "found": result.found,
        "cost": result.cost if math.isfinite(result.cost) else None,
        "steps": len(result.steps),
        "hand_contacts": len(result.hand_contacts),
        "nodes": result.nodes,
        "milliseconds": round(result.milliseconds, 3),
        "why_not": None
        if result.why_not is None
        else {"kind": result.why_not.kind, "name": result.why_not.name, "text": result.why_not.text},
        "warnings": list(result.warnings),
        "contacts": [
            {
                "foot": stance.placement.foot,
                "position": list(stance.placement.position),
                "quaternion": list(stance.placement.rotation),
                "contact": stance.placement.contact.value,
                "cost": stance.cost,
                "hands": [
                    {
                        "hand": contact.hand,
                        "position": list(contact.position),
                        "normal": list(contact.normal),
                        "object": contact.object,
                        "confidence": contact.confidence,
                        "held": contact.held,
                    }
                    for contact in stance.hands
                ],
            }
            for stance in result.stances
        ],
    }


def print_contacts(task: SceneTask, result: PlannedContacts) -> None:
    """The steps as a table, and what they took."""
    rows = []
    for number, (stance, step) in enumerate(zip(result.stances, result.steps, strict=True), start=1):
        x, y, z = (round(value, 2) + 0.0 for value in stance.placement.position)  # no minus in front of zero
        hands = ", ".join(
            f"{contact.hand} {'still ' if contact.held else ''}on {contact.object}"
            for contact in stance.hands
        )
        place = f"{x:.2f}, {y:.2f}, {z:.2f}"
        rows.append(
            [str(number), stance.placement.foot, place, step.contact.value, hands, f"{stance.cost:.2f}"]
        )
    if rows:
        columns = ["step", "foot", "x, y, z in m", "contact", "hands", "cost so far"]
        screen().print(table(f"{task.model.name} in {task.name}", columns, rows))
    if result.found:
        text = (
            f"{len(result.steps)} steps, {len(result.hand_contacts)} hand contacts, cost {result.cost:.2f}; "
            f"{result.nodes} nodes in {result.milliseconds:.1f} ms"
        )
    else:
        text = "no way to the goal" + ("" if result.why_not is None else f": {result.why_not.text}")
    screen().print(text, highlight=False, markup=False, soft_wrap=True)
    for warning in result.warnings:
        screen().print(f"warning: {warning}", highlight=False, markup=False, soft_wrap=True)


def write_files(task: SceneTask, result: PlannedContacts, wishes: Results, robot: str) -> None:
    """Plot, animation and plan file, as far as they are wished for. robot: name that the plan file gives."""
    written = []
    if wishes.plot:
        from footfall.viewer.contact_plots import plot_contacts

        written.append(wishes.output / f"{task.name}.png")
        plot_contacts(result, task.environment, task.model, written[-1])
    if wishes.animate:
        from footfall.viewer.contact_plots import animate_search

        written.append(wishes.output / f"{task.name}-search.gif")
        animate_search(result, task.environment, task.model, written[-1])
    if wishes.save and result.steps:
        from footfall.gait.plan_writer import write_plan_file
        from footfall.motion.pipeline import gait_dimensions

        written.append(wishes.output / f"{task.name}-plan.toml")
        begins = "Through" if result.found else "No way: as near as one gets through"
        about = f"{begins} {task.name} to ({task.goal.x:g}, {task.goal.y:g})"
        dimensions = gait_dimensions(task.model)
        write_plan_file(written[-1], result.steps, result.start, dimensions, robot=robot, description=about)
    for path in written:
        errors().print(f"written: {path}", highlight=False, soft_wrap=True, markup=False)
