"""Requests of TGI's kin in neutral terms, within the limits of the server."""
