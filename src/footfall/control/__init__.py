"""Control: joint, task-space and whole-body control, balance criteria.

    control = WholeBodyControl(robot, contacts, (FrameTracking("base", path, gains), PostureTracking(rest, gains)))
    simulation.run(control, 5.0)

What makes torques or judges them is here; `inverse_kinematics`, `hybrid_control` and `hybrid_tasks` (tasks of the
Popov-Vereshchagin solver) have names of their own.
"""

from footfall.control.actuation import InvalidRequest, NotFullyActuated, torque_command
from footfall.control.balance import (
    NoSupport,
    com_margin,
    margin,
    support_polygon,
    zmp,
    zmp_from_motion,
    zmp_margin,
)
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
    InvalidContact,
    build_constrained_system,
    contact_ranks,
)
from footfall.control.floating_base import StanceTorques, solve_stance_torques
from footfall.control.foot_contacts import foot_contacts
from footfall.control.gains import Gains, InvalidGains, gains_from
from footfall.control.impact import Impact, solve_impact
from footfall.control.joint_control import (
    InverseDynamicsControl,
    JointImpedance,
    JointReference,
    resting_reference,
)
from footfall.control.operational_space import OperationalSpaceControl, Selection, select
from footfall.control.planar_region import PlanarRegion
from footfall.control.rectangular_contact import in_rectangular_cone, rectangular_rows
from footfall.control.static_region import solve_static_reach, solve_static_region
from footfall.control.support_area import solve_support_area
from footfall.control.task_space import (
    EndEffectorControl,
    PoseReference,
    TaskDynamics,
    build_task_dynamics,
    resting_pose,
)
from footfall.control.virtual_model import VirtualModelControl, VirtualModelTorques, solve_virtual_model
from footfall.control.whole_body import (
    LimitsExceeded,
    NoTasks,
    WholeBodyControl,
    WholeBodyProblem,
    WholeBodySolution,
    build_whole_body,
    solve_whole_body,
)
from footfall.control.whole_body_limits import WholeBodyLimits
from footfall.control.whole_body_tasks import (
    CenterOfMassTracking,
    ContactForce,
    FrameAcceleration,
    FrameTracking,
    JointAcceleration,
    LeastForce,
    LeastTorque,
    PointReference,
    PostureTracking,
    WholeBodyTask,
)
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
    "CenterOfMassTracking",
    "ConstrainedMotion",
    "ConstrainedSystem",
    "Contact",
    "ContactForce",
    "ContactForces",
    "ContactRanks",
    "EndEffectorControl",
    "FrameAcceleration",
    "FrameTracking",
    "Gains",
    "Impact",
    "InvalidContact",
    "InvalidGains",
    "InvalidRequest",
    "InverseDynamicsControl",
    "JointAcceleration",
    "JointImpedance",
    "JointReference",
    "LeastForce",
    "LeastTorque",
    "LimitsExceeded",
    "NoSupport",
    "NoTasks",
    "NotFullyActuated",
    "OperationalSpaceControl",
    "PivotPoint",
    "PlanarRegion",
    "PointReference",
    "PoseReference",
    "PostureTracking",
    "PressureCenter",
    "Selection",
    "StanceTorques",
    "Support",
    "TaskDynamics",
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
    "center_of_pressure",
    "centroidal_moment_pivot",
    "com_margin",
    "constrained_motion",
    "constraint_projector",
    "contact_inertia",
    "contact_ranks",
    "divergent_component",
    "divergent_component_after",
    "foot_contacts",
    "foot_rotation_indicator",
    "foot_zmp_with_hand",
    "gains_from",
    "ground_wrench_of_motion",
    "imbalance",
    "in_rectangular_cone",
    "margin",
    "natural_frequency",
    "pendulum_after",
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
    "torque_command",
    "virtual_pivot_point",
    "virtual_repellent_point",
    "wrench_edges",
    "zmp",
    "zmp_from_motion",
    "zmp_margin",
    "zmp_of_wrench",
]
