"""The decoding of images, audio and videos in processes of their own, which may crash, hang or grow.

`__main__.py` is a program of `engine.bounded_process` that has loaded FFmpeg and Pillow, and forks a child
for each task. `tasks.py` is the child's part, `client.py` the main process's, and `messages.py` what goes
between them.
Nothing here may import torch or transformers, and the client imports no decoder.
"""
