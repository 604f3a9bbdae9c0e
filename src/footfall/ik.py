"""Inverse kinematics: say what should be where, get joint motion.

    tasks = [PoseTask("RF", pose), center_of_mass_position(target), posture(robot, q, priority=1)]
    q = solve_ik(robot, q, tasks).require()                 # position level; the posture as far as it can be had
    v = solve_velocity(build_ik(robot, q, tasks))           # velocity level, one step

Tasks are values of `footfall.tasks`; `build_ik` shows the problem that a solver gets. Errors of positions are in m, of
rotations in rad.
"""

from typing import TYPE_CHECKING

from footfall.public_names import open_to_users

if TYPE_CHECKING:
    from footfall.control.angular_momentum import ArmSwingTask as ArmSwingTask
    from footfall.control.angular_momentum import MomentumCompensation as MomentumCompensation
    from footfall.control.angular_momentum import arm_swing as arm_swing
    from footfall.control.angular_momentum import turning_momentum as turning_momentum
    from footfall.control.angular_momentum import vertical_inertia as vertical_inertia
    from footfall.control.collision_limits import CollisionLimits as CollisionLimits
    from footfall.control.collision_limits import CollisionRows as CollisionRows
    from footfall.control.inverse_kinematics.analytic import Chain as Chain
    from footfall.control.inverse_kinematics.analytic import chain_between as chain_between
    from footfall.control.inverse_kinematics.analytic import solve_chain as solve_chain
    from footfall.control.inverse_kinematics.analytic import solve_planar_arm as solve_planar_arm
    from footfall.control.inverse_kinematics.analytic import solve_reach as solve_reach
    from footfall.control.inverse_kinematics.analytic import within_limits as within_limits
    from footfall.control.inverse_kinematics.costs import ComfortCost as ComfortCost
    from footfall.control.inverse_kinematics.costs import CostSum as CostSum
    from footfall.control.inverse_kinematics.costs import ManipulabilityCost as ManipulabilityCost
    from footfall.control.inverse_kinematics.costs import NullSpaceCost as NullSpaceCost
    from footfall.control.inverse_kinematics.costs import RepulsiveCost as RepulsiveCost
    from footfall.control.inverse_kinematics.limits import NO_LIMITS as NO_LIMITS
    from footfall.control.inverse_kinematics.limits import Bounds as Bounds
    from footfall.control.inverse_kinematics.limits import Limits as Limits
    from footfall.control.inverse_kinematics.null_space import MomentumWeight as MomentumWeight
    from footfall.control.inverse_kinematics.null_space import MotionWeight as MotionWeight
    from footfall.control.inverse_kinematics.null_space import NullSpaceTerm as NullSpaceTerm
    from footfall.control.inverse_kinematics.null_space import Smoothing as Smoothing
    from footfall.control.inverse_kinematics.null_space import TaskMotion as TaskMotion
    from footfall.control.inverse_kinematics.position import Solution as Solution
    from footfall.control.inverse_kinematics.position import solve_ik as solve_ik
    from footfall.control.inverse_kinematics.rates import BoundedRate as BoundedRate
    from footfall.control.inverse_kinematics.rates import GuardedRate as GuardedRate
    from footfall.control.inverse_kinematics.rates import PrioritisedRate as PrioritisedRate
    from footfall.control.inverse_kinematics.rates import RateSolution as RateSolution
    from footfall.control.inverse_kinematics.rates import ResolvedRate as ResolvedRate
    from footfall.control.inverse_kinematics.rates import SwitchedRate as SwitchedRate
    from footfall.control.inverse_kinematics.textbook import solve_damped_hierarchy as solve_damped_hierarchy
    from footfall.control.inverse_kinematics.textbook import solve_ik_textbook as solve_ik_textbook
    from footfall.control.inverse_kinematics.textbook import (
        solve_velocity_textbook as solve_velocity_textbook,
    )
    from footfall.control.inverse_kinematics.velocity import AccelerationProblem as AccelerationProblem
    from footfall.control.inverse_kinematics.velocity import JointState as JointState
    from footfall.control.inverse_kinematics.velocity import VelocityProblem as VelocityProblem
    from footfall.control.inverse_kinematics.velocity import build_acceleration as build_acceleration
    from footfall.control.inverse_kinematics.velocity import build_ik as build_ik
    from footfall.control.inverse_kinematics.velocity import follow as follow
    from footfall.control.inverse_kinematics.velocity import scaled_to_bounds as scaled_to_bounds
    from footfall.control.inverse_kinematics.velocity import solve_acceleration as solve_acceleration
    from footfall.control.inverse_kinematics.velocity import solve_velocity as solve_velocity
    from footfall.control.inverse_kinematics.velocity import trapezoid_step as trapezoid_step
    from footfall.control.priorities import HierarchySolution as HierarchySolution
    from footfall.control.priorities import Level as Level
    from footfall.control.priorities import level as level
    from footfall.control.priorities import solve_hierarchy as solve_hierarchy
    from footfall.control.quadratic_program import QuadraticProgram as QuadraticProgram
    from footfall.control.quadratic_program import solve_quadratic_program as solve_quadratic_program

open_to_users(__name__)
