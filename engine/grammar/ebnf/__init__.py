"""Grammars that xgrammar reads: EBNF, and structural tags with parts that it alone knows.

It works out the tokens of all places beforehand, so that its compilations need a process with limits.
"""
