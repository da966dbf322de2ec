"""Checks of a server: requests from a contract's document or of programs, and what is wrong with the answers.

It is packaged with the server as `verbatim conform`, and asks any server, whoever wrote it.
"""
