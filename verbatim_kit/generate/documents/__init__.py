"""The documents of contracts: read, corrected, upgraded, and how their schemas are walked."""
