"""Processors of transformers that need libraries which the tests do without."""
