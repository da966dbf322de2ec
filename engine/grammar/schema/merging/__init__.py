"""The rewriting of a JSON Schema into one in which every schema restricts its values in one way.

`merger.py` walks the document and decides what is merged; `pairs.py` makes one schema of two, `values.py`
evaluates keywords beside enum and const, and `normal_form.py` writes out what a merged schema implies.
"""
