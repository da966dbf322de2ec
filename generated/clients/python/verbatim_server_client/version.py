"""The name and the version of this distribution."""

NAME = "verbatim-server-client"
VERSION = "0.1.0"
