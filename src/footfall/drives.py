"""Drives: what stands between a motor and a joint, and how to calibrate it; docs/drives.md explains."""

from typing import TYPE_CHECKING

from footfall.public_names import open_to_users

if TYPE_CHECKING:
    from footfall.robot.drives.ankle_cranks import AnkleCranks as AnkleCranks
    from footfall.robot.drives.ankle_cranks import SliderCrank as SliderCrank
    from footfall.robot.drives.camera_vergence import CameraVergence as CameraVergence
    from footfall.robot.drives.drive import Drive as Drive
    from footfall.robot.drives.drive_limits import DriveLimits as DriveLimits
    from footfall.robot.drives.drive_limits import drive_limits as drive_limits
    from footfall.robot.drives.drive_schema import lola_drives as lola_drives
    from footfall.robot.drives.drive_schema import parse_drives as parse_drives
    from footfall.robot.drives.drive_schema import read_drives as read_drives
    from footfall.robot.drives.drive_set import DriveSet as DriveSet
    from footfall.robot.drives.elasticity import TORSO_FREQUENCIES as TORSO_FREQUENCIES
    from footfall.robot.drives.elasticity import Elasticity as Elasticity
    from footfall.robot.drives.elasticity import elasticity_of_mode as elasticity_of_mode
    from footfall.robot.drives.electric_motor import ElectricMotor as ElectricMotor
    from footfall.robot.drives.encoder_calibration import Calibration as Calibration
    from footfall.robot.drives.encoder_calibration import EncoderCalibration as EncoderCalibration
    from footfall.robot.drives.encoder_calibration import calibrate_encoders as calibrate_encoders
    from footfall.robot.drives.encoder_calibration import read_calibration as read_calibration
    from footfall.robot.drives.encoder_calibration import write_calibration as write_calibration
    from footfall.robot.drives.friction import Friction as Friction
    from footfall.robot.drives.friction import friction_of_efficiency as friction_of_efficiency
    from footfall.robot.drives.geared_rotors import with_geared_rotors as with_geared_rotors
    from footfall.robot.drives.harmonic_drive import HarmonicDrive as HarmonicDrive
    from footfall.robot.drives.homing import Homing as Homing
    from footfall.robot.drives.homing import HomingPhase as HomingPhase
    from footfall.robot.drives.homing import HomingState as HomingState
    from footfall.robot.drives.kinematic_identification import Identification as Identification
    from footfall.robot.drives.kinematic_identification import KinematicChain as KinematicChain
    from footfall.robot.drives.kinematic_identification import chain_of as chain_of
    from footfall.robot.drives.kinematic_identification import identify_kinematics as identify_kinematics
    from footfall.robot.drives.knee_screw import KneeScrew as KneeScrew
    from footfall.robot.drives.mechanism import Mechanism as Mechanism
    from footfall.robot.drives.model_types import ModelType as ModelType
    from footfall.robot.drives.model_types import model_type as model_type
    from footfall.robot.drives.model_types import model_types as model_types
    from footfall.robot.drives.rotor_bodies import rotor_name as rotor_name
    from footfall.robot.drives.rotor_bodies import with_rotor_bodies as with_rotor_bodies
    from footfall.robot.drives.servo_cascade import Reading as Reading
    from footfall.robot.drives.servo_cascade import ServoCascade as ServoCascade
    from footfall.robot.drives.servo_cascade import ServoState as ServoState
    from footfall.robot.drives.servo_cascade import Target as Target
    from footfall.robot.drives.servo_cascade import between_samples as between_samples
    from footfall.robot.drives.servo_cascade import tuned_servo as tuned_servo
    from footfall.robot.drives.spring import Spring as Spring
    from footfall.robot.drives.torque_report import TorqueRow as TorqueRow
    from footfall.robot.drives.torque_report import report_text as report_text
    from footfall.robot.drives.torque_report import torque_report as torque_report
    from footfall.robot.drives.transmission import TransmissionRange as TransmissionRange
    from footfall.robot.drives.transmission import transmission_range as transmission_range

open_to_users(__name__)
