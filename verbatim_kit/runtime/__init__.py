"""The HTTP runtime, which serves generated operations exactly as their contract says."""
