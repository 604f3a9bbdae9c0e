"""The browser viewer: robots, scenes and recordings, and pictures of them."""
