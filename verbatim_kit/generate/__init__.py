"""From a contract's document and overlay to what the server is written against.

specs/<c>/openapi.* + overlay.yaml -> generated/<c>/{openapi.json, openapi-3.2.json, models.py, operations.py}
"""
