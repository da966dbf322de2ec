"""Checks of a server against a contract: requests made from its document, and what is wrong with the answers.

It is packaged with the server as `verbatim conform`, and asks any server, whoever wrote it.
"""
