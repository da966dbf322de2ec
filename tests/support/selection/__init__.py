"""The choice of tests that a run makes: random trials, combinations, and what the machine can compute."""
