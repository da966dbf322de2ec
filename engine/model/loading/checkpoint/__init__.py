"""The files of a model, and the checks that they are whole and of a kind that can be served."""
