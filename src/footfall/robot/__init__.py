"""What a robot is: bodies, joints, frames; readers, writers and the robots we ship."""
