"""The entry point of the program that decodes files."""

from engine.bounded_process.fork_server import serve_children
from engine.media.process.tasks import import_all, serve

import_all()
serve_children(serve, learn=bytes)
