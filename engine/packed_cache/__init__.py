"""The weights that an earlier start packed, in files that several processes can map at once."""
