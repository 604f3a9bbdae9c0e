"""Reduced models of the robots whose makers published one: `reduced_model(robot)` finds them by the robot's name."""
