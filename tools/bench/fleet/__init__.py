"""Measurements of the choice among several servers, over simulated fleets."""
