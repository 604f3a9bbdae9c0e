"""footfall: simulate, plan and control legged robots; textbook NumPy in, native code out.

    robot = footfall.load("lola")
    a = footfall.forward_dynamics(robot, q, v, tau)

    simulation = footfall.Simulation(robot, "flat")
    trajectory = simulation.run(simulation.hold(), 1.0)

Every function takes arrays (n,) or batches (batch, n) and runs as native code made for the robot. Here is what
everybody uses. Each domain has one more module, `footfall.control` say, and each name is in one of them:

| module | |
|---|---|
| `robot`, `drives`, `volumes` | what robots are made of, what moves them, how far their parts are apart |
| `dynamics`, `hybrid` | more algorithms; constraints on any segment |
| `scene`, `contact`, `simulation`, `recording` | what is around them, how it touches, how time passes, what happened |
| `tasks`, `ik`, `control` | what is wanted, where joints go, which torques bring them there |
| `gait`, `motion` | plans of steps, and motions |
| `planning` | where to put feet and hands on the way to a goal |
| `walking` | humanoids that walk in closed loop |
| `environment`, `messages` | what the robot believes and how it sees it; messages between processes |
| `math`, `compiler` | rotations and curves; native code from functions of your own |
| `errors`, `arrays` | what can go wrong; types of arrays for annotations |
| `learning` | Gymnasium environments whose every step is native |
| `studies` | many runs: what is varied, on all cores or on a cluster |
| `workspace` | where arms reach and how well they move there |
| `viewer`, `scenarios`, `bench` | pictures, whole runs, races |
"""

from typing import TYPE_CHECKING

from footfall.public_names import open_to_users
from footfall.version import __version__ as __version__

if TYPE_CHECKING:
    from footfall import arrays as arrays
    from footfall import bench as bench
    from footfall import compiler as compiler
    from footfall import contact as contact
    from footfall import control as control
    from footfall import drives as drives
    from footfall import dynamics as dynamics
    from footfall import environment as environment
    from footfall import errors as errors
    from footfall import gait as gait
    from footfall import hybrid as hybrid
    from footfall import ik as ik
    from footfall import learning as learning
    from footfall import math as math
    from footfall import messages as messages
    from footfall import motion as motion
    from footfall import planning as planning
    from footfall import recording as recording
    from footfall import robot as robot
    from footfall import scenarios as scenarios
    from footfall import scene as scene
    from footfall import simulation as simulation
    from footfall import studies as studies
    from footfall import tasks as tasks
    from footfall import viewer as viewer
    from footfall import volumes as volumes
    from footfall import walking as walking
    from footfall import workspace as workspace
    from footfall.contact.ground import place_on_ground as place_on_ground
    from footfall.dynamics.center_of_mass import center_of_mass as center_of_mass
    from footfall.dynamics.center_of_mass import center_of_mass_jacobian as center_of_mass_jacobian
    from footfall.dynamics.centroidal import centroidal_momentum as centroidal_momentum
    from footfall.dynamics.configuration import difference as difference
    from footfall.dynamics.configuration import integrate as integrate
    from footfall.dynamics.configuration import interpolate as interpolate
    from footfall.dynamics.configuration import neutral as neutral
    from footfall.dynamics.configuration import random_configuration as random_configuration
    from footfall.dynamics.derivatives import forward_dynamics_derivatives as forward_dynamics_derivatives
    from footfall.dynamics.derivatives import inverse_dynamics_derivatives as inverse_dynamics_derivatives
    from footfall.dynamics.energy import kinetic_energy as kinetic_energy
    from footfall.dynamics.energy import potential_energy as potential_energy
    from footfall.dynamics.forward_dynamics import forward_dynamics as forward_dynamics
    from footfall.dynamics.inverse_dynamics import bias_forces as bias_forces
    from footfall.dynamics.inverse_dynamics import gravity_forces as gravity_forces
    from footfall.dynamics.inverse_dynamics import inverse_dynamics as inverse_dynamics
    from footfall.dynamics.jacobians import frame_jacobian as frame_jacobian
    from footfall.dynamics.kinematics import forward_kinematics as forward_kinematics
    from footfall.dynamics.kinematics import frame_acceleration as frame_acceleration
    from footfall.dynamics.kinematics import frame_pose as frame_pose
    from footfall.dynamics.kinematics import frame_velocity as frame_velocity
    from footfall.dynamics.loops import close_loops as close_loops
    from footfall.dynamics.mass_matrix import mass_matrix as mass_matrix
    from footfall.gait.plan import MotionPlan as MotionPlan
    from footfall.gait.walking_transitions import WalkingTransition as WalkingTransition
    from footfall.geometry.plane import Plane as Plane
    from footfall.math.transform import Transform as Transform
    from footfall.motion.model_derivation import reduced_model as reduced_model
    from footfall.motion.motion import Motion as Motion
    from footfall.motion.pipeline import generate_motion as generate_motion
    from footfall.motion.plans import load_plan as load_plan
    from footfall.motion.plans import walking_plan as walking_plan
    from footfall.motion.reduced_model import ReducedModel as ReducedModel
    from footfall.recording.export import export_recording as export_recording
    from footfall.recording.reader import Recording as Recording
    from footfall.recording.reader import read_recording as read_recording
    from footfall.recording.writer import RecordingWriter as RecordingWriter
    from footfall.robot.load import load as load
    from footfall.robot.loops import Loop as Loop
    from footfall.robot.loops import LoopType as LoopType
    from footfall.robot.model import Body as Body
    from footfall.robot.model import Frame as Frame
    from footfall.robot.model import Joint as Joint
    from footfall.robot.model import JointType as JointType
    from footfall.robot.model import Robot as Robot
    from footfall.robot.save import save as save
    from footfall.robot.shapes import Box as Box
    from footfall.robot.shapes import Capsule as Capsule
    from footfall.robot.shapes import Cylinder as Cylinder
    from footfall.robot.shapes import Mesh as Mesh
    from footfall.robot.shapes import Sphere as Sphere
    from footfall.robot.variants import couple_mimics as couple_mimics
    from footfall.robot.variants import lock_joints as lock_joints
    from footfall.robot.variants import with_fixed_base as with_fixed_base
    from footfall.robot.variants import with_floating_base as with_floating_base
    from footfall.scene.load import load_scene as load_scene
    from footfall.scene.load import save_scene as save_scene
    from footfall.scene.model import Material as Material
    from footfall.scene.model import Scene as Scene
    from footfall.scene.model import SceneObject as SceneObject
    from footfall.scene.model import free_body as free_body
    from footfall.simulation.simulation import Simulation as Simulation
    from footfall.simulation.step_values import Command as Command
    from footfall.simulation.step_values import StepOptions as StepOptions
    from footfall.viewer.show import view as view

open_to_users(__name__)

from footfall.learning.registration import tell_gymnasium as _tell_gymnasium  # noqa: E402

_tell_gymnasium()
