"""A TypeScript package of clients: generated/<c>/openapi.json -> build/sdk/typescript/src/<c>.

The types are @hey-api/openapi-ts's. Its client is not used: it asks for a refused stream again for ever, and
a stream that is left stays open.
"""
