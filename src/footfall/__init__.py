"""footfall: simulate, plan and control legged robots."""
