"""Verbatim beside other engines and servers, which take turns on one machine."""
