"""Questions about one input, answered with the model's probabilities of labels."""
