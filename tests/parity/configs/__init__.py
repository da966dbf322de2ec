"""Configurations with a wrong number or word in them: served as transformers computes them, or refused."""
