"""The documents that a contract serves about itself, and the pages to read them."""
