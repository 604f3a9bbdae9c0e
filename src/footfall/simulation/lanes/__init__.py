"""Feet in lanes: steps in native code that is made for a robot and a list of places that may touch."""
