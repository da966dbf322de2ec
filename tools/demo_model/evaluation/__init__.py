"""The evaluation of a demo model: trials, the model under test and its judge."""
