"""JSON of answers: pieces that are written once and filled in, and fields that may be missing."""
