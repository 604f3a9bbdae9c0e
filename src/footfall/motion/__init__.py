"""From a contact sequence to a motion in task space: the stages of the generator, one a file, and the pipeline."""
