"""The tool-call formats of model families: small classes of syntax, and one file of data a family.

A new family is a `ToolFormat` made of one of the classes here, in a file of its own in `families`, and a line
in `registry`.
"""
