"""Engines that the bench measures beside Verbatim: a script each, run by the Python that has the engine."""
