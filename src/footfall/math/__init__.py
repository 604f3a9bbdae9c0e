"""Rotations, curves, splines, collocation, polygons and generalised inverses; `footfall` itself has `Transform`."""

from typing import TYPE_CHECKING

from footfall.public_names import open_to_users

if TYPE_CHECKING:
    from footfall.math.angular_velocity import angle_axis_map as angle_axis_map
    from footfall.math.angular_velocity import angle_axis_map_inverse as angle_axis_map_inverse
    from footfall.math.angular_velocity import angular_velocity_map as angular_velocity_map
    from footfall.math.angular_velocity import euler_map as euler_map
    from footfall.math.angular_velocity import euler_map_inverse as euler_map_inverse
    from footfall.math.angular_velocity import quaternion_map as quaternion_map
    from footfall.math.angular_velocity import rotation_rate_map as rotation_rate_map
    from footfall.math.angular_velocity import rotation_vector_map as rotation_vector_map
    from footfall.math.angular_velocity import rotation_vector_map_inverse as rotation_vector_map_inverse
    from footfall.math.collocation import LinearEquation as LinearEquation
    from footfall.math.collocation import collocate as collocate
    from footfall.math.generalised_inverses import Singularity as Singularity
    from footfall.math.generalised_inverses import damped_inverse as damped_inverse
    from footfall.math.generalised_inverses import decompose as decompose
    from footfall.math.generalised_inverses import motion_weighted_inverse as motion_weighted_inverse
    from footfall.math.generalised_inverses import null_space_basis as null_space_basis
    from footfall.math.generalised_inverses import null_space_projector as null_space_projector
    from footfall.math.generalised_inverses import pseudo_inverse as pseudo_inverse
    from footfall.math.generalised_inverses import singularity as singularity
    from footfall.math.generalised_inverses import task_weighted_inverse as task_weighted_inverse
    from footfall.math.interpolation import constant as constant
    from footfall.math.interpolation import cubic_spline as cubic_spline
    from footfall.math.interpolation import hermite_quintic as hermite_quintic
    from footfall.math.interpolation import polyline as polyline
    from footfall.math.interpolation import quintic_spline as quintic_spline
    from footfall.math.interpolation import rest_to_rest as rest_to_rest
    from footfall.math.least_squares_splines import least_squares as least_squares
    from footfall.math.polygons import boundary_distance as boundary_distance
    from footfall.math.polygons import closest_point as closest_point
    from footfall.math.polygons import contains as contains
    from footfall.math.polygons import convex_hull as convex_hull
    from footfall.math.polygons import inset as inset
    from footfall.math.polygons import intersection as intersection
    from footfall.math.polygons import polygon_area as polygon_area
    from footfall.math.polygons import polygon_centroid as polygon_centroid
    from footfall.math.polynomials import PolynomialCurve as PolynomialCurve
    from footfall.math.polynomials import PolynomialSpline as PolynomialSpline
    from footfall.math.positions import linear_velocity_map as linear_velocity_map
    from footfall.math.positions import parameters_from_position as parameters_from_position
    from footfall.math.positions import position_from_parameters as position_from_parameters
    from footfall.math.positions import position_rate_map as position_rate_map
    from footfall.math.quaternion_curves import bezier as bezier
    from footfall.math.quaternion_curves import lerp as lerp
    from footfall.math.quaternion_curves import nlerp as nlerp
    from footfall.math.quaternion_curves import slerp as slerp
    from footfall.math.quaternion_curves import squad as squad
    from footfall.math.quaternion_splines import CubicQuaternionSpline as CubicQuaternionSpline
    from footfall.math.quaternion_splines import QuaternionBSpline as QuaternionBSpline
    from footfall.math.quaternion_splines import QuaternionSpline as QuaternionSpline
    from footfall.math.quaternion_trajectories import QuaternionTrajectory as QuaternionTrajectory
    from footfall.math.rotation_curves import RotationCurve as RotationCurve
    from footfall.math.rotation_curves import geodesic_angle as geodesic_angle
    from footfall.math.rotation_curves import interpolate_quaternions as interpolate_quaternions
    from footfall.math.rotation_curves import interpolate_rotations as interpolate_rotations
    from footfall.math.rotations import angle_axis_from_matrix as angle_axis_from_matrix
    from footfall.math.rotations import boxminus as boxminus
    from footfall.math.rotations import boxminus_local as boxminus_local
    from footfall.math.rotations import boxplus as boxplus
    from footfall.math.rotations import boxplus_local as boxplus_local
    from footfall.math.rotations import convert_rotation as convert_rotation
    from footfall.math.rotations import euler_from_matrix as euler_from_matrix
    from footfall.math.rotations import is_rotation as is_rotation
    from footfall.math.rotations import matrix_from_angle_axis as matrix_from_angle_axis
    from footfall.math.rotations import matrix_from_euler as matrix_from_euler
    from footfall.math.rotations import matrix_from_parameters as matrix_from_parameters
    from footfall.math.rotations import matrix_from_quaternion as matrix_from_quaternion
    from footfall.math.rotations import matrix_from_rotation_vector as matrix_from_rotation_vector
    from footfall.math.rotations import nearest_rotation as nearest_rotation
    from footfall.math.rotations import parameters_from_matrix as parameters_from_matrix
    from footfall.math.rotations import quaternion_from_matrix as quaternion_from_matrix
    from footfall.math.rotations import quaternion_from_roll_pitch_yaw as quaternion_from_roll_pitch_yaw
    from footfall.math.rotations import quaternion_from_rotation_vector as quaternion_from_rotation_vector
    from footfall.math.rotations import quaternion_inverse as quaternion_inverse
    from footfall.math.rotations import quaternion_product as quaternion_product
    from footfall.math.rotations import roll_pitch_yaw as roll_pitch_yaw
    from footfall.math.rotations import rotate_by_quaternion as rotate_by_quaternion
    from footfall.math.rotations import rotation_vector_from_matrix as rotation_vector_from_matrix
    from footfall.math.rotations import rotation_vector_from_quaternion as rotation_vector_from_quaternion
    from footfall.math.rotations import rotation_x as rotation_x
    from footfall.math.rotations import rotation_y as rotation_y
    from footfall.math.rotations import rotation_z as rotation_z
    from footfall.math.rotations import unskew as unskew
    from footfall.math.rotations import yaw_of as yaw_of
    from footfall.math.spatial import skew as skew
    from footfall.math.trajectories import PolynomialTrajectory as PolynomialTrajectory
    from footfall.math.transform import identity_transform as identity_transform
    from footfall.math.transform import transform_from_matrix as transform_from_matrix

open_to_users(__name__)
