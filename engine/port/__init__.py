"""The port: what every engine follows, and all that contracts know of one. It loads no torch."""
