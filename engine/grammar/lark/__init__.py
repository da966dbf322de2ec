"""Grammars in the Lark dialect of llguidance, which says token by token what a text may go on with."""
