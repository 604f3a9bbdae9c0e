"""Drives: what stands between a motor and a joint, and how to calibrate it; docs/drives.md explains."""

from footfall.errors import InvalidDrive, InvalidMeasurements, SingularTransmission, UnreachablePosition
from footfall.robot.drives.ankle_cranks import AnkleCranks, SliderCrank
from footfall.robot.drives.calibration_file import Calibration, read_calibration, write_calibration
from footfall.robot.drives.camera_vergence import CameraVergence
from footfall.robot.drives.drive import Drive
from footfall.robot.drives.drive_file import lola_drives, parse_drives, read_drives
from footfall.robot.drives.drive_set import DriveSet
from footfall.robot.drives.elasticity import TORSO_FREQUENCIES, Elasticity, elasticity_of_mode
from footfall.robot.drives.electric_motor import ElectricMotor
from footfall.robot.drives.encoder_calibration import EncoderCalibration, calibrate_encoders
from footfall.robot.drives.friction import Friction, friction_of_efficiency
from footfall.robot.drives.geared_rotors import with_geared_rotors
from footfall.robot.drives.harmonic_drive import HarmonicDrive
from footfall.robot.drives.homing import Homing, HomingPhase, HomingState
from footfall.robot.drives.kinematic_chain import KinematicChain, chain_of
from footfall.robot.drives.kinematic_identification import Identification, identify_kinematics
from footfall.robot.drives.knee_screw import KneeScrew
from footfall.robot.drives.mechanism import Mechanism
from footfall.robot.drives.model_types import ModelType, model_type, model_types
from footfall.robot.drives.rotor_bodies import rotor_name, with_rotor_bodies
from footfall.robot.drives.servo_cascade import (
    Reading,
    ServoCascade,
    ServoState,
    Target,
    between_samples,
    tuned_servo,
)
from footfall.robot.drives.spring import Spring
from footfall.robot.drives.torque_report import TorqueRow, report_text, torque_report
from footfall.robot.drives.transmission import TransmissionRange, transmission_range

__all__ = [
    "TORSO_FREQUENCIES",
    "AnkleCranks",
    "Calibration",
    "CameraVergence",
    "Drive",
    "DriveSet",
    "Elasticity",
    "ElectricMotor",
    "EncoderCalibration",
    "Friction",
    "HarmonicDrive",
    "Homing",
    "HomingPhase",
    "HomingState",
    "Identification",
    "InvalidDrive",
    "InvalidMeasurements",
    "KinematicChain",
    "KneeScrew",
    "Mechanism",
    "ModelType",
    "Reading",
    "ServoCascade",
    "ServoState",
    "SingularTransmission",
    "SliderCrank",
    "Spring",
    "Target",
    "TorqueRow",
    "TransmissionRange",
    "UnreachablePosition",
    "between_samples",
    "calibrate_encoders",
    "chain_of",
    "elasticity_of_mode",
    "friction_of_efficiency",
    "identify_kinematics",
    "lola_drives",
    "model_type",
    "model_types",
    "parse_drives",
    "read_calibration",
    "read_drives",
    "report_text",
    "rotor_name",
    "torque_report",
    "transmission_range",
    "tuned_servo",
    "with_geared_rotors",
    "with_rotor_bodies",
    "write_calibration",
]
