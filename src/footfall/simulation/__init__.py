"""Time stepping with exact contact, rollouts and recordings."""
