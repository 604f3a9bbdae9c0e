"""Hybrid dynamics: accelerations under constraints on any segment (Popov and Vereshchagin), and tasks on top of it.

docs/hybrid.md explains.
"""

from typing import TYPE_CHECKING

from footfall.public_names import open_to_users

if TYPE_CHECKING:
    from footfall.control.hybrid_active_set import BoundedMotion as BoundedMotion
    from footfall.control.hybrid_active_set import solve_bounded as solve_bounded
    from footfall.control.hybrid_control import HybridProblem as HybridProblem
    from footfall.control.hybrid_control import TaskSolution as TaskSolution
    from footfall.control.hybrid_control import TaskState as TaskState
    from footfall.control.hybrid_control import build_tasks as build_tasks
    from footfall.control.hybrid_control import solve_tasks as solve_tasks
    from footfall.control.hybrid_control import task_state as task_state
    from footfall.control.hybrid_drive import MobileRobot as MobileRobot
    from footfall.control.hybrid_drive import StandingRobot as StandingRobot
    from footfall.control.hybrid_drive import drive as drive
    from footfall.dynamics.hybrid import ConstraintSystem as ConstraintSystem
    from footfall.dynamics.hybrid import HybridAccelerations as HybridAccelerations
    from footfall.dynamics.hybrid import HybridMotion as HybridMotion
    from footfall.dynamics.hybrid import constraint_system as constraint_system
    from footfall.dynamics.hybrid import felt_constraint_torques as felt_constraint_torques
    from footfall.dynamics.hybrid import hybrid_accelerations as hybrid_accelerations
    from footfall.dynamics.hybrid import hybrid_dynamics as hybrid_dynamics
    from footfall.dynamics.hybrid import motion_under_constraint_forces as motion_under_constraint_forces
    from footfall.dynamics.hybrid_actuation import Actuation as Actuation
    from footfall.dynamics.hybrid_actuation import constraint_jacobian as constraint_jacobian
    from footfall.dynamics.hybrid_actuation import motor_torques as motor_torques
    from footfall.dynamics.hybrid_constraints import Constraint as Constraint
    from footfall.dynamics.hybrid_singular import Resolution as Resolution
    from footfall.dynamics.hybrid_singular import resolve_constraints as resolve_constraints
    from footfall.dynamics.hybrid_wheels import Wheel as Wheel
    from footfall.dynamics.hybrid_wheels import rolling_constraints as rolling_constraints
    from footfall.dynamics.hybrid_wheels import rolling_rows as rolling_rows
    from footfall.scenarios.hybrid.bases import SimulatedBase as SimulatedBase
    from footfall.scenarios.hybrid.bases import youbot as youbot
    from footfall.scenarios.hybrid.opening import Openable as Openable
    from footfall.scenarios.hybrid.opening import Pull as Pull
    from footfall.scenarios.hybrid.opening import run_opening as run_opening
    from footfall.scenarios.hybrid.opening import usual_mechanism as usual_mechanism

open_to_users(__name__)
