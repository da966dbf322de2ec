"""The checks that what is computed here is what the model's own code computes."""
