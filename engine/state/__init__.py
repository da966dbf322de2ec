"""Recurrent state: what linear attention, short convolutions and Mamba layers keep of a sequence."""
