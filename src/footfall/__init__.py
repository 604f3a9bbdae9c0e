"""footfall: simulate, plan and control legged robots; textbook NumPy in, native code out.

    robot = footfall.load("lola")
    a = footfall.forward_dynamics(robot, q, v, tau)

    simulation = footfall.Simulation(robot, "flat")
    trajectory = simulation.run(simulation.hold(), 1.0)

Every function takes arrays (n,) or batches (batch, n) and runs as native code made for the robot. This module
holds robots, their dynamics, motions and simulations. `footfall.control` has controllers and
`footfall.control.inverse_kinematics` what its name says, `footfall.compiler` turns functions of your own into native
code, `footfall.math` has rotations and transforms, `footfall.errors` what can go wrong.
"""

from typing import TYPE_CHECKING, Any

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
from footfall.dynamics.hybrid_singular import Resolution, resolve_constraints
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
from footfall.dynamics.volume_distances import VolumeDistances, free_pairs, volume_distances
from footfall.errors import ConflictingConstraints
from footfall.geometry.swept_distance import SweptDistances, swept_distance, swept_distances
from footfall.geometry.swept_sphere import (
    SweptSphere,
    SweptVolume,
    swept_line,
    swept_point,
    swept_triangle,
)
from footfall.math.transform import Transform
from footfall.motion.model_derivation import reduced_model
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.standing import with_standing_frames
from footfall.robot.load import load, save
from footfall.robot.model import Body, Frame, Joint, JointType, Loop, LoopType, Mimic, Robot
from footfall.robot.shapes import Box, Capsule, Cylinder, Geometry, Mesh, Sphere
from footfall.robot.variants import couple_mimics, lock_joints, with_fixed_base, with_floating_base
from footfall.robot.volume_fitting import fit_volumes, volume_coverage
from footfall.robot.volumes import BodyVolume
from footfall.version import __version__ as __version__

if TYPE_CHECKING:
    from footfall.errors import InvalidTransition, MotionWarning
    from footfall.gait.plan import MotionPlan
    from footfall.gait.poses import FootContact
    from footfall.gait.walking_transitions import HandTarget, WalkingTransition
    from footfall.motion.following import follow_motion
    from footfall.motion.motion import Motion
    from footfall.motion.parameters import MotionParameters
    from footfall.motion.pipeline import generate_motion
    from footfall.motion.plans import load_plan, walking_plan
    from footfall.motion.replanning import replan, stop_motion
    from footfall.motion.stream import stream
    from footfall.motion.verification import verify_motion
    from footfall.motion.walking_speed import walk_at_speed
    from footfall.recording.reader import Recording, read_recording
    from footfall.recording.writer import RecordingWriter
    from footfall.scene.load import load_scene, save_scene
    from footfall.scene.model import Material, Scene, SceneObject, SceneRobot
    from footfall.simulation.simulation import Simulation
    from footfall.simulation.step_values import Command, StepOptions
    from footfall.viewer.show import view


# Scenes, motions and the viewer need packages that take a second to load: they are loaded when first used.
_LATER = {
    "Command": "footfall.simulation.step_values",
    "FootContact": "footfall.gait.poses",
    "HandTarget": "footfall.gait.walking_transitions",
    "InvalidTransition": "footfall.gait.plan",
    "Material": "footfall.scene.model",
    "Motion": "footfall.motion.motion",
    "MotionParameters": "footfall.motion.parameters",
    "MotionPlan": "footfall.gait.plan",
    "MotionWarning": "footfall.motion.feasibility",
    "Recording": "footfall.recording.reader",
    "RecordingWriter": "footfall.recording.writer",
    "Scene": "footfall.scene.model",
    "SceneObject": "footfall.scene.model",
    "SceneRobot": "footfall.scene.model",
    "Simulation": "footfall.simulation.simulation",
    "StepOptions": "footfall.simulation.step_values",
    "WalkingTransition": "footfall.gait.walking_transitions",
    "follow_motion": "footfall.motion.following",
    "generate_motion": "footfall.motion.pipeline",
    "load_plan": "footfall.motion.plans",
    "load_scene": "footfall.scene.load",
    "read_recording": "footfall.recording.reader",
    "replan": "footfall.motion.replanning",
    "save_scene": "footfall.scene.load",
    "stop_motion": "footfall.motion.replanning",
    "stream": "footfall.motion.stream",
    "verify_motion": "footfall.motion.verification",
    "view": "footfall.viewer.show",
    "walk_at_speed": "footfall.motion.walking_speed",
    "walking_plan": "footfall.motion.plans",
}

__all__ = [
    "Actuation",
    "Body",
    "BodyVolume",
    "Box",
    "Capsule",
    "Command",
    "ConflictingConstraints",
    "Constraint",
    "ConstraintSystem",
    "Cylinder",
    "FootContact",
    "ForwardDynamicsDerivatives",
    "Frame",
    "Geometry",
    "HandTarget",
    "HybridAccelerations",
    "HybridMotion",
    "InvalidTransition",
    "InverseDynamicsDerivatives",
    "Joint",
    "JointType",
    "Loop",
    "LoopForces",
    "LoopType",
    "LoopViolation",
    "MassFactor",
    "Material",
    "Mesh",
    "Mimic",
    "Motion",
    "MotionParameters",
    "MotionPlan",
    "MotionWarning",
    "Poses",
    "Recording",
    "RecordingWriter",
    "ReducedModel",
    "Resolution",
    "Robot",
    "Scene",
    "SceneObject",
    "SceneRobot",
    "Simulation",
    "Sphere",
    "StepOptions",
    "SweptDistances",
    "SweptSphere",
    "SweptVolume",
    "Transform",
    "VolumeDistances",
    "WalkingTransition",
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
    "fit_volumes",
    "follow_motion",
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
    "free_pairs",
    "generate_motion",
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
    "load_plan",
    "load_scene",
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
    "read_recording",
    "reduced_model",
    "replan",
    "resolve_constraints",
    "rolling_constraints",
    "rolling_rows",
    "save",
    "save_scene",
    "solve_mass_matrix",
    "stop_motion",
    "stream",
    "swept_distance",
    "swept_distances",
    "swept_line",
    "swept_point",
    "swept_triangle",
    "velocity_from_rate",
    "verify_motion",
    "view",
    "volume_coverage",
    "volume_distances",
    "walk_at_speed",
    "walking_plan",
    "with_fixed_base",
    "with_floating_base",
    "with_standing_frames",
]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


if not TYPE_CHECKING:  # type checkers read the imports above

    def __getattr__(name: str) -> Any:
        """A name of `_LATER`, loaded now."""
        if name not in _LATER:
            from difflib import get_close_matches

            close = get_close_matches(name, __all__, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}", name=name)
        from importlib import import_module

        value = getattr(import_module(_LATER[name]), name)
        globals()[name] = value
        return value
