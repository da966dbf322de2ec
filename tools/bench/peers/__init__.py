"""Drivers of the engines that Verbatim is compared with: scripts that run in the engine's environment."""
