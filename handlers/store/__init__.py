"""Records that requests leave for later ones, each seen by the key alone that made it."""
