"""Inverse kinematics: say what should be where, get joint motion.

    tasks = [PoseTask("RF", pose), center_of_mass_position(target), posture(robot, q, priority=1)]
    q = solve_ik(robot, q, tasks).require()                 # position level; the posture as far as it can be had
    v = solve_velocity(build_ik(robot, q, tasks))           # velocity level, one step

Tasks are values; `build_ik` shows the problem that a solver gets. Errors of positions are in m, of rotations in rad.
"""

from footfall.control.contact_constraints import ContactRanks, contact_jacobian, contact_ranks
from footfall.control.inverse_kinematics.acceleration import (
    AccelerationProblem,
    State,
    build_acceleration,
    solve_acceleration,
    trapezoid_step,
)
from footfall.control.inverse_kinematics.analytic import Chain, chain_between, solve_chain, within_limits
from footfall.control.inverse_kinematics.analytic_reach import solve_planar_arm, solve_reach
from footfall.control.inverse_kinematics.bounded_rate import BoundedRate
from footfall.control.inverse_kinematics.hierarchical_qp import (
    QuadraticProgram,
    solve_hierarchical_qp,
    solve_quadratic_program,
)
from footfall.control.inverse_kinematics.hierarchy import HierarchySolution, solve_hierarchy
from footfall.control.inverse_kinematics.limits import NO_LIMITS, Bounds, Limits
from footfall.control.inverse_kinematics.position import Solution, solve_ik
from footfall.control.inverse_kinematics.prioritised_rate import PrioritisedRate
from footfall.control.inverse_kinematics.problem import Level, Problem, build_ik, level
from footfall.control.inverse_kinematics.repulsion import CostSum, NullSpaceCost, RepulsiveCost
from footfall.control.inverse_kinematics.resolved_rate import ComfortCost, ResolvedRate
from footfall.control.inverse_kinematics.trajectory import follow
from footfall.control.inverse_kinematics.velocity import scaled_to_bounds, solve_velocity
from footfall.control.tasks.custom import CombinedTask, CustomTask
from footfall.control.tasks.lola import lola_task_space, lola_task_space_2012
from footfall.control.tasks.momentum import MomentumTask
from footfall.control.tasks.orientations import AimTask, OrientationTask
from footfall.control.tasks.points import CenterOf, FramePoint
from footfall.control.tasks.poses import PoseTask
from footfall.control.tasks.positions import (
    HalfSpaceTask,
    LineTask,
    PlaneTask,
    PositionTask,
    center_of_mass_position,
    frame_position,
)
from footfall.control.tasks.postures import PostureTask, posture
from footfall.control.tasks.stack import TaskStack
from footfall.control.tasks.support import support_tasks
from footfall.control.tasks.task import MotionTask, Task, TaskValue

__all__ = [
    "NO_LIMITS",
    "AccelerationProblem",
    "AimTask",
    "BoundedRate",
    "Bounds",
    "CenterOf",
    "Chain",
    "CombinedTask",
    "ComfortCost",
    "ContactRanks",
    "CostSum",
    "CustomTask",
    "FramePoint",
    "HalfSpaceTask",
    "HierarchySolution",
    "Level",
    "Limits",
    "LineTask",
    "MomentumTask",
    "MotionTask",
    "NullSpaceCost",
    "OrientationTask",
    "PlaneTask",
    "PoseTask",
    "PositionTask",
    "PostureTask",
    "PrioritisedRate",
    "Problem",
    "QuadraticProgram",
    "RepulsiveCost",
    "ResolvedRate",
    "Solution",
    "State",
    "Task",
    "TaskStack",
    "TaskValue",
    "build_acceleration",
    "build_ik",
    "center_of_mass_position",
    "chain_between",
    "contact_jacobian",
    "contact_ranks",
    "follow",
    "frame_position",
    "level",
    "lola_task_space",
    "lola_task_space_2012",
    "posture",
    "scaled_to_bounds",
    "solve_acceleration",
    "solve_chain",
    "solve_hierarchical_qp",
    "solve_hierarchy",
    "solve_ik",
    "solve_planar_arm",
    "solve_quadratic_program",
    "solve_reach",
    "solve_velocity",
    "support_tasks",
    "trapezoid_step",
    "within_limits",
]
