"""The rules of automata for restrictions that xgrammar does not enforce."""
