"""Comparisons of Verbatim with other engines and servers, which are measured by turns on one machine."""
