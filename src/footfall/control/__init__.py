"""Control: inverse kinematics, joint, task-space and whole-body control, balance criteria."""
