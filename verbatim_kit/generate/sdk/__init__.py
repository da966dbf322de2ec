"""From the effective documents to a Python package of clients: generated/clients/python.

generated/<c>/openapi.json -> generated/clients/python/verbatim_server_client/<c>
"""
