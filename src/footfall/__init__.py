"""footfall: simulate, plan and control legged robots; textbook NumPy in, native code out.

    robot = footfall.load("lola")
    a = footfall.forward_dynamics(robot, q, v, tau)

Every function takes arrays (n,) or batches (batch, n) and runs as native code made for the robot. This module
holds robots and their dynamics. `footfall.compiler` turns functions of your own into native code,
`footfall.math` has rotations and transforms, `footfall.errors` what can go wrong.
"""

from footfall.dynamics.analytic_jacobians import analytic_jacobian, frame_parameters
from footfall.dynamics.center_of_mass import (
    center_of_mass,
    center_of_mass_bias,
    center_of_mass_jacobian,
    center_of_mass_velocity,
)
from footfall.dynamics.centroidal import (
    centroidal_momentum,
    centroidal_momentum_bias,
    centroidal_momentum_matrix,
)
from footfall.dynamics.configuration import (
    configuration_rate,
    difference,
    integrate,
    neutral,
    random_configuration,
    velocity_from_rate,
)
from footfall.dynamics.derivatives import (
    ForwardDynamicsDerivatives,
    InverseDynamicsDerivatives,
    forward_dynamics_derivatives,
    inverse_dynamics_derivatives,
)
from footfall.dynamics.energy import kinetic_energy, potential_energy
from footfall.dynamics.factorisation import (
    MassFactor,
    factorise_mass_matrix,
    inverse_mass_matrix,
    solve_mass_matrix,
)
from footfall.dynamics.forward_dynamics import forward_dynamics
from footfall.dynamics.hybrid import (
    ConstraintSystem,
    HybridAccelerations,
    HybridMotion,
    constraint_system,
    hybrid_accelerations,
    hybrid_dynamics,
    motion_under_constraint_forces,
)
from footfall.dynamics.hybrid_actuation import Actuation, constraint_jacobian, motor_torques
from footfall.dynamics.hybrid_constraints import Constraint
from footfall.dynamics.hybrid_singular import ConflictingConstraints, Resolution, resolve_constraints
from footfall.dynamics.hybrid_wheels import Wheel, rolling_constraints, rolling_rows
from footfall.dynamics.inverse_dynamics import bias_forces, gravity_forces, inverse_dynamics
from footfall.dynamics.jacobians import (
    frame_jacobian,
    frame_jacobian_bias,
    frame_jacobian_rate,
    joint_motions,
)
from footfall.dynamics.joint_rates import independent_forces, joint_accelerations, joint_rates
from footfall.dynamics.joint_wrenches import joint_wrenches
from footfall.dynamics.kinematics import (
    Poses,
    forward_kinematics,
    frame_acceleration,
    frame_pose,
    frame_velocity,
)
from footfall.dynamics.loop_forces import LoopForces, LoopViolation, loop_forces, loop_violation
from footfall.dynamics.loop_margin import loop_margin
from footfall.dynamics.loop_wrenches import loop_wrenches
from footfall.dynamics.loops import close_loops
from footfall.dynamics.mass_matrix import mass_matrix, mass_matrix_pattern
from footfall.math.transform import Transform
from footfall.motion.model_derivation import reduced_model
from footfall.motion.reduced_model import ReducedModel
from footfall.robot.load import load, save
from footfall.robot.model import Body, Frame, Joint, JointType, Loop, LoopType, Mimic, Robot
from footfall.robot.shapes import Box, Capsule, Cylinder, Geometry, Mesh, Sphere
from footfall.robot.variants import couple_mimics, lock_joints, with_fixed_base, with_floating_base
from footfall.version import __version__ as __version__

__all__ = [
    "Actuation",
    "Body",
    "Box",
    "Capsule",
    "ConflictingConstraints",
    "Constraint",
    "ConstraintSystem",
    "Cylinder",
    "ForwardDynamicsDerivatives",
    "Frame",
    "Geometry",
    "HybridAccelerations",
    "HybridMotion",
    "InverseDynamicsDerivatives",
    "Joint",
    "JointType",
    "Loop",
    "LoopForces",
    "LoopType",
    "LoopViolation",
    "MassFactor",
    "Mesh",
    "Mimic",
    "Poses",
    "ReducedModel",
    "Resolution",
    "Robot",
    "Sphere",
    "Transform",
    "Wheel",
    "analytic_jacobian",
    "bias_forces",
    "center_of_mass",
    "center_of_mass_bias",
    "center_of_mass_jacobian",
    "center_of_mass_velocity",
    "centroidal_momentum",
    "centroidal_momentum_bias",
    "centroidal_momentum_matrix",
    "close_loops",
    "configuration_rate",
    "constraint_jacobian",
    "constraint_system",
    "couple_mimics",
    "difference",
    "factorise_mass_matrix",
    "forward_dynamics",
    "forward_dynamics_derivatives",
    "forward_kinematics",
    "frame_acceleration",
    "frame_jacobian",
    "frame_jacobian_bias",
    "frame_jacobian_rate",
    "frame_parameters",
    "frame_pose",
    "frame_velocity",
    "gravity_forces",
    "hybrid_accelerations",
    "hybrid_dynamics",
    "independent_forces",
    "integrate",
    "inverse_dynamics",
    "inverse_dynamics_derivatives",
    "inverse_mass_matrix",
    "joint_accelerations",
    "joint_motions",
    "joint_rates",
    "joint_wrenches",
    "kinetic_energy",
    "load",
    "lock_joints",
    "loop_forces",
    "loop_margin",
    "loop_violation",
    "loop_wrenches",
    "mass_matrix",
    "mass_matrix_pattern",
    "motion_under_constraint_forces",
    "motor_torques",
    "neutral",
    "potential_energy",
    "random_configuration",
    "reduced_model",
    "resolve_constraints",
    "rolling_constraints",
    "rolling_rows",
    "save",
    "solve_mass_matrix",
    "velocity_from_rate",
    "with_fixed_base",
    "with_floating_base",
]
