"""Inverse kinematics at the levels of position, velocity and acceleration; `footfall.ik` has its names."""
