"""Tools that keep the contracts true; never imported by what is served."""
