"""The import of torch and transformers without the parts that a server never runs."""
