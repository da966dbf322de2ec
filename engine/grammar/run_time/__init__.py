"""The restrictions that no rules of a grammar express, enforced token by token while a text is generated."""
