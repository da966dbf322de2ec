"""The restrictions that no rules of xgrammar express, enforced token by token while a text is generated.

`rules.py` says which parts of a grammar need it, and follows one text for all of them; `unique_items.py` and
`string_lengths.py` are the two kinds.
"""
