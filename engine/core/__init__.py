"""The core of the own engine: the stages of a step, and the jobs that it works on."""
