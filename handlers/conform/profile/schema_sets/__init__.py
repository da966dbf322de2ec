"""Sets of JSON Schemas, a file for each: for the `whole` answers of a path, and each `event` of its streams.

They have what clients read and nothing else: other members are allowed. `why` is the reason in a report.
"""
