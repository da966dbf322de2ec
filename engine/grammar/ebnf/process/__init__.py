"""The trial of grammars in processes of their own, which can be stopped, before the server accepts them.

`__main__.py` is a program of `engine.bounded_process` that has loaded xgrammar and forks a child for each
grammar. `child.py` is the child's part, `client.py` the main process's, and `messages.py` has the messages
between them. Nothing here may import torch: the program starts in a second and takes 60 MB.
"""
