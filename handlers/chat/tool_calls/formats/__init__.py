"""The tool-call formats of model families: classes of syntax, and one table of their data.

A new family is a `ToolFormat` in `registry`, made of one of the classes here. A class of syntax that only one
family has stands with that family's data, in a file named after it.
"""
