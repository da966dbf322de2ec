"""Grammars are tried in processes of their own, which can be stopped, before the server takes them in.

`server.py` is the program of one small process that has loaded xgrammar and forks a child for each grammar.
`child.py` is what a child does, `client.py` is the side of the process that serves, and `messages.py` is what
they send each other. Nothing here may import torch: the program starts in a second and takes 60 MB.
"""
