"""The contracts: one folder each, from the wire to neutral requests and back."""
