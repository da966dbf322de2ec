"""The machinery of API contracts: from an OpenAPI document to a server that cannot drift from it.

Nothing here knows a contract by its name, nor an engine or a model.
"""
