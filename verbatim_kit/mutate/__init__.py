"""Mutation testing of the judge: recorded answers are corrupted in every way that their documents exclude."""
