"""Bodies that come as `multipart/form-data` (RFC 7578)."""
