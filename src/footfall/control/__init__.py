"""Control: joint, task-space and whole-body control, balance criteria.

    control = WholeBodyControl(robot, contacts, (PoseTask("base", path, gains=gains), PostureTask(rest)))
    simulation.run(control, 5.0)

What makes torques or judges them is here, and the tasks that all solvers share (`tasks`). `inverse_kinematics`,
`hybrid_control` and `hybrid_drive` (tasks by the Popov-Vereshchagin solver) have names of their own.
"""

from footfall.control.actuation import torque_command
from footfall.control.balance import com_margin, margin, support_polygon, zmp, zmp_from_motion, zmp_margin
from footfall.control.balance_points import (
    PivotPoint,
    PressureCenter,
    capture_point,
    center_of_pressure,
    centroidal_moment_pivot,
    divergent_component,
    divergent_component_after,
    foot_rotation_indicator,
    foot_zmp_with_hand,
    ground_wrench_of_motion,
    imbalance,
    natural_frequency,
    pendulum_after,
    virtual_pivot_point,
    virtual_repellent_point,
    zmp_of_wrench,
)
from footfall.control.constrained_dynamics import (
    ConstrainedMotion,
    constrained_motion,
    constraint_projector,
    contact_inertia,
    solve_constrained_dynamics,
)
from footfall.control.contact_constraints import (
    SURFACE,
    ConstrainedSystem,
    Contact,
    ContactRanks,
    build_constrained_system,
    contact_jacobian,
    contact_ranks,
)
from footfall.control.contact_loads import ContactLoad, contact_loads
from footfall.control.floating_base import StanceTorques, solve_stance_torques
from footfall.control.foot_contacts import foot_contacts
from footfall.control.gains import Gains, gains_from
from footfall.control.impact import Impact, solve_impact
from footfall.control.joint_control import InverseDynamicsControl, JointImpedance
from footfall.control.operational_space import OperationalSpaceControl, Selection, select
from footfall.control.planar_region import PlanarRegion
from footfall.control.rectangular_contact import in_rectangular_cone, rectangular_rows
from footfall.control.references import (
    JointReference,
    MovingFrame,
    PointReference,
    PoseReference,
    RotationReference,
    resting_pose,
    resting_reference,
)
from footfall.control.static_region import solve_static_reach, solve_static_region
from footfall.control.support_area import solve_support_area
from footfall.control.task_space import EndEffectorControl, TaskDynamics, build_task_dynamics
from footfall.control.tasks.accelerations import FrameAcceleration, JointAcceleration
from footfall.control.tasks.boundaries import Boundary
from footfall.control.tasks.custom import CombinedTask, CustomTask
from footfall.control.tasks.forces import ContactForce, LeastForce, LeastTorque, WholeBodyTask
from footfall.control.tasks.frames import AxisGoal, FrameTask
from footfall.control.tasks.guards import Guard, TaskProgress
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
from footfall.control.tasks.task import MotionTask, Task
from footfall.control.tasks.text import parse_tasks, tasks_text
from footfall.control.virtual_model import VirtualModelControl, VirtualModelTorques, solve_virtual_model
from footfall.control.whole_body import (
    WholeBodyControl,
    WholeBodyProblem,
    WholeBodySolution,
    build_whole_body,
    solve_whole_body,
)
from footfall.control.whole_body_limits import WholeBodyLimits
from footfall.control.wrench_cone import (
    ContactForces,
    Support,
    WrenchCone,
    build_wrench_cone,
    solve_contact_forces,
    wrench_edges,
)

__all__ = [
    "SURFACE",
    "AimTask",
    "AxisGoal",
    "Boundary",
    "CenterOf",
    "CombinedTask",
    "ConstrainedMotion",
    "ConstrainedSystem",
    "Contact",
    "ContactForce",
    "ContactForces",
    "ContactLoad",
    "ContactRanks",
    "CustomTask",
    "EndEffectorControl",
    "FrameAcceleration",
    "FramePoint",
    "FrameTask",
    "Gains",
    "Guard",
    "HalfSpaceTask",
    "Impact",
    "InverseDynamicsControl",
    "JointAcceleration",
    "JointImpedance",
    "JointReference",
    "LeastForce",
    "LeastTorque",
    "LineTask",
    "MomentumTask",
    "MotionTask",
    "MovingFrame",
    "OperationalSpaceControl",
    "OrientationTask",
    "PivotPoint",
    "PlanarRegion",
    "PlaneTask",
    "PointReference",
    "PoseReference",
    "PoseTask",
    "PositionTask",
    "PostureTask",
    "PressureCenter",
    "RotationReference",
    "Selection",
    "StanceTorques",
    "Support",
    "Task",
    "TaskDynamics",
    "TaskProgress",
    "TaskStack",
    "VirtualModelControl",
    "VirtualModelTorques",
    "WholeBodyControl",
    "WholeBodyLimits",
    "WholeBodyProblem",
    "WholeBodySolution",
    "WholeBodyTask",
    "WrenchCone",
    "build_constrained_system",
    "build_task_dynamics",
    "build_whole_body",
    "build_wrench_cone",
    "capture_point",
    "center_of_mass_position",
    "center_of_pressure",
    "centroidal_moment_pivot",
    "com_margin",
    "constrained_motion",
    "constraint_projector",
    "contact_inertia",
    "contact_jacobian",
    "contact_loads",
    "contact_ranks",
    "divergent_component",
    "divergent_component_after",
    "foot_contacts",
    "foot_rotation_indicator",
    "foot_zmp_with_hand",
    "frame_position",
    "gains_from",
    "ground_wrench_of_motion",
    "imbalance",
    "in_rectangular_cone",
    "margin",
    "natural_frequency",
    "parse_tasks",
    "pendulum_after",
    "posture",
    "rectangular_rows",
    "resting_pose",
    "resting_reference",
    "select",
    "solve_constrained_dynamics",
    "solve_contact_forces",
    "solve_impact",
    "solve_stance_torques",
    "solve_static_reach",
    "solve_static_region",
    "solve_support_area",
    "solve_virtual_model",
    "solve_whole_body",
    "support_polygon",
    "support_tasks",
    "tasks_text",
    "torque_command",
    "virtual_pivot_point",
    "virtual_repellent_point",
    "wrench_edges",
    "zmp",
    "zmp_from_motion",
    "zmp_margin",
    "zmp_of_wrench",
]
