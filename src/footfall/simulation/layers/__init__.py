"""A robot on soft layers below its soles: states of their own between it and the ground."""
