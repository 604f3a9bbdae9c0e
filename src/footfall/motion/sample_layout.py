"""Where things stand in a sample of a motion: columns of its values, rows of its rotations."""

from __future__ import annotations

# Columns of values (3 derivatives, WIDTH).
ZMP = 0
FEET = 3  # RF, LF
HANDS = 9  # RH, LH
TOES = 15  # right, left
SELECTION = 17  # RH, LH
LOAD = 19  # RF, LF, RH, LH
WRENCHES = 23  # force and torque on RH, then on LH
TORSO = 35
CENTER_OF_MASS = 38
WIDTH = 41

# Rows of rotations (4, 10): quaternion, angular velocity, angular acceleration.
UPPER_BODY = 0
HEAD = 1
FOOT_ROTATIONS = 2  # RF, LF
ROTATION_COUNT = 4
