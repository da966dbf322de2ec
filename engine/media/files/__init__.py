"""Decoders of files that strangers send, each within bounds."""
