"""Proves the judge of answers: corrupts recorded answers in every way that their documents rule out."""
