"""TGI's own generation: `/generate` and `/generate_stream`."""
