"""What keeps the contracts true; never imported by what is served."""
