"""Parts of a step alone: one kernel, one product, one stage."""
