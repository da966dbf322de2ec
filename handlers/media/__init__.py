"""Images, audio, videos and files of requests, from the URL that a client sends to their bytes.

What a client names is read only if it may be: data URLs always, other URLs from the hosts and the directory
that the operator allows. `preparation.py` is the way in.
"""
