"""The name and the version of this distribution."""

NAME = "pets-client"
VERSION = "0.1.0"
