"""The engine alone: its speed, and where the time of a step goes."""
