"""The evaluation of a vision model: trials about drawings, the model under test and its scores."""
