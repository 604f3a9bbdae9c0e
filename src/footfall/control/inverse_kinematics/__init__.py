"""Inverse kinematics: say what should be where, get joint motion.

    tasks = [PoseTask("RF", pose), center_of_mass_position(target), posture(robot, q, priority=1)]
    q = solve_ik(robot, q, tasks).require()                 # position level
    v = solve_velocity(build_ik(robot, q, tasks))           # velocity level, one step

Tasks are values; `build_ik` shows the problem that a solver gets. Errors of positions are in m, of rotations in rad.
"""

from footfall.control.inverse_kinematics.acceleration import (
    State,
    acceleration_levels,
    solve_acceleration,
    trapezoid_step,
)
from footfall.control.inverse_kinematics.analytic import (
    Chain,
    NoClosedForm,
    NotReachable,
    chain_between,
    solve_chain,
    within_limits,
)
from footfall.control.inverse_kinematics.analytic_reach import solve_planar_arm, solve_reach
from footfall.control.inverse_kinematics.bounded_rate import BoundedRate
from footfall.control.inverse_kinematics.errors import (
    ContradictoryLimits,
    InvalidTask,
    NoSolution,
    TargetOutOfReach,
)
from footfall.control.inverse_kinematics.hierarchical_qp import (
    QuadraticProgram,
    QuadraticProgramFailed,
    solve_hierarchical_qp,
    solve_quadratic_program,
)
from footfall.control.inverse_kinematics.hierarchy import HierarchySolution, solve_hierarchy
from footfall.control.inverse_kinematics.limits import NO_LIMITS, Bounds, Limits
from footfall.control.inverse_kinematics.lola_tasks import lola_task_space, lola_task_space_2012
from footfall.control.inverse_kinematics.points import CenterOf, FramePoint
from footfall.control.inverse_kinematics.position import Solution, solve_ik
from footfall.control.inverse_kinematics.prioritised_rate import PrioritisedRate
from footfall.control.inverse_kinematics.problem import Level, Problem, build_ik, level
from footfall.control.inverse_kinematics.repulsion import CostSum, NullSpaceCost, RepulsiveCost
from footfall.control.inverse_kinematics.resolved_rate import ComfortCost, ResolvedRate
from footfall.control.inverse_kinematics.robot_tasks import CustomTask, MomentumTask, PostureTask, posture
from footfall.control.inverse_kinematics.stack import TaskStack
from footfall.control.inverse_kinematics.support import (
    ContactRanks,
    contact_jacobian,
    contact_ranks,
    support_tasks,
)
from footfall.control.inverse_kinematics.task import Task, TaskValue
from footfall.control.inverse_kinematics.tasks import (
    AimTask,
    HalfSpaceTask,
    LineTask,
    OrientationTask,
    PlaneTask,
    PoseTask,
    PositionTask,
    center_of_mass_position,
    frame_position,
)
from footfall.control.inverse_kinematics.trajectory import follow
from footfall.control.inverse_kinematics.velocity import scaled_to_bounds, solve_velocity

__all__ = [
    "NO_LIMITS",
    "AimTask",
    "BoundedRate",
    "Bounds",
    "CenterOf",
    "Chain",
    "ComfortCost",
    "ContactRanks",
    "ContradictoryLimits",
    "CostSum",
    "CustomTask",
    "FramePoint",
    "HalfSpaceTask",
    "HierarchySolution",
    "InvalidTask",
    "Level",
    "Limits",
    "LineTask",
    "MomentumTask",
    "NoClosedForm",
    "NoSolution",
    "NotReachable",
    "NullSpaceCost",
    "OrientationTask",
    "PlaneTask",
    "PoseTask",
    "PositionTask",
    "PostureTask",
    "PrioritisedRate",
    "Problem",
    "QuadraticProgram",
    "QuadraticProgramFailed",
    "RepulsiveCost",
    "ResolvedRate",
    "Solution",
    "State",
    "TargetOutOfReach",
    "Task",
    "TaskStack",
    "TaskValue",
    "acceleration_levels",
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
