"""Control: joint, task-space and whole-body control, balance criteria.

    control = WholeBodyControl(robot, contacts, (PoseTask("base", path, gains=gains), PostureTask(rest)))
    simulation.run(control, 5.0)

What makes torques or judges them is here; `footfall.tasks` has the tasks, `footfall.ik` inverse kinematics and
`footfall.hybrid` tasks of the Popov-Vereshchagin solver.
"""

from typing import TYPE_CHECKING

from footfall.public_names import open_to_users

if TYPE_CHECKING:
    from footfall.control.actuation import torque_command as torque_command
    from footfall.control.balance import PivotPoint as PivotPoint
    from footfall.control.balance import PressureCenter as PressureCenter
    from footfall.control.balance import capture_point as capture_point
    from footfall.control.balance import center_of_pressure as center_of_pressure
    from footfall.control.balance import centroidal_moment_pivot as centroidal_moment_pivot
    from footfall.control.balance import com_margin as com_margin
    from footfall.control.balance import divergent_component as divergent_component
    from footfall.control.balance import divergent_component_after as divergent_component_after
    from footfall.control.balance import foot_rotation_indicator as foot_rotation_indicator
    from footfall.control.balance import foot_zmp_with_hand as foot_zmp_with_hand
    from footfall.control.balance import ground_wrench_of_motion as ground_wrench_of_motion
    from footfall.control.balance import imbalance as imbalance
    from footfall.control.balance import margin as margin
    from footfall.control.balance import natural_frequency as natural_frequency
    from footfall.control.balance import pendulum_after as pendulum_after
    from footfall.control.balance import support_polygon as support_polygon
    from footfall.control.balance import virtual_pivot_point as virtual_pivot_point
    from footfall.control.balance import virtual_repellent_point as virtual_repellent_point
    from footfall.control.balance import zmp as zmp
    from footfall.control.balance import zmp_from_motion as zmp_from_motion
    from footfall.control.balance import zmp_margin as zmp_margin
    from footfall.control.balance import zmp_of_wrench as zmp_of_wrench
    from footfall.control.constrained_dynamics import ConstrainedMotion as ConstrainedMotion
    from footfall.control.constrained_dynamics import Impact as Impact
    from footfall.control.constrained_dynamics import StanceTorques as StanceTorques
    from footfall.control.constrained_dynamics import constrained_motion as constrained_motion
    from footfall.control.constrained_dynamics import constraint_projector as constraint_projector
    from footfall.control.constrained_dynamics import contact_inertia as contact_inertia
    from footfall.control.constrained_dynamics import solve_constrained_dynamics as solve_constrained_dynamics
    from footfall.control.constrained_dynamics import solve_impact as solve_impact
    from footfall.control.constrained_dynamics import solve_stance_torques as solve_stance_torques
    from footfall.control.contact_constraints import SURFACE as SURFACE
    from footfall.control.contact_constraints import ConstrainedSystem as ConstrainedSystem
    from footfall.control.contact_constraints import Contact as Contact
    from footfall.control.contact_constraints import ContactLoad as ContactLoad
    from footfall.control.contact_constraints import ContactRanks as ContactRanks
    from footfall.control.contact_constraints import build_constrained_system as build_constrained_system
    from footfall.control.contact_constraints import contact_jacobian as contact_jacobian
    from footfall.control.contact_constraints import contact_loads as contact_loads
    from footfall.control.contact_constraints import contact_ranks as contact_ranks
    from footfall.control.contact_constraints import foot_contacts as foot_contacts
    from footfall.control.contact_constraints import footings as footings
    from footfall.control.gains import Gains as Gains
    from footfall.control.gains import gains_from as gains_from
    from footfall.control.impedance import AdmittanceControl as AdmittanceControl
    from footfall.control.impedance import CartesianImpedance as CartesianImpedance
    from footfall.control.joint_control import InverseDynamicsControl as InverseDynamicsControl
    from footfall.control.joint_control import JointImpedance as JointImpedance
    from footfall.control.operational_space import ForceControl as ForceControl
    from footfall.control.operational_space import OperationalSpaceControl as OperationalSpaceControl
    from footfall.control.operational_space import Selection as Selection
    from footfall.control.operational_space import contact_wrench as contact_wrench
    from footfall.control.operational_space import run_feeling as run_feeling
    from footfall.control.operational_space import select as select
    from footfall.control.references import JointReference as JointReference
    from footfall.control.references import MovingFrame as MovingFrame
    from footfall.control.references import PointReference as PointReference
    from footfall.control.references import PoseReference as PoseReference
    from footfall.control.references import RotationReference as RotationReference
    from footfall.control.references import resting_pose as resting_pose
    from footfall.control.references import resting_reference as resting_reference
    from footfall.control.support_area import PlanarRegion as PlanarRegion
    from footfall.control.support_area import solve_static_reach as solve_static_reach
    from footfall.control.support_area import solve_static_region as solve_static_region
    from footfall.control.support_area import solve_support_area as solve_support_area
    from footfall.control.task_space import EndEffectorControl as EndEffectorControl
    from footfall.control.task_space import TaskDynamics as TaskDynamics
    from footfall.control.task_space import build_task_dynamics as build_task_dynamics
    from footfall.control.task_space import pose_error as pose_error
    from footfall.control.virtual_model import VirtualModelControl as VirtualModelControl
    from footfall.control.virtual_model import VirtualModelTorques as VirtualModelTorques
    from footfall.control.virtual_model import solve_virtual_model as solve_virtual_model
    from footfall.control.whole_body import WholeBodyControl as WholeBodyControl
    from footfall.control.whole_body import WholeBodyLimits as WholeBodyLimits
    from footfall.control.whole_body import WholeBodyProblem as WholeBodyProblem
    from footfall.control.whole_body import WholeBodySolution as WholeBodySolution
    from footfall.control.whole_body import build_whole_body as build_whole_body
    from footfall.control.whole_body import solve_whole_body as solve_whole_body
    from footfall.control.wrench_cone import ContactForces as ContactForces
    from footfall.control.wrench_cone import Support as Support
    from footfall.control.wrench_cone import WrenchCone as WrenchCone
    from footfall.control.wrench_cone import build_wrench_cone as build_wrench_cone
    from footfall.control.wrench_cone import in_rectangular_cone as in_rectangular_cone
    from footfall.control.wrench_cone import rectangular_rows as rectangular_rows
    from footfall.control.wrench_cone import solve_contact_forces as solve_contact_forces
    from footfall.control.wrench_cone import wrench_edges as wrench_edges

open_to_users(__name__)
