"""The compiled code: its sources, compiler and libraries, and the instructions that it uses."""
