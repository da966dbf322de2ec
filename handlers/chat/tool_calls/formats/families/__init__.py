"""The formats of model families, as data for the classes of syntax."""
