"""The build of wheels that carry compiled code."""
