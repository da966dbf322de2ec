"""The model: its loading, the run of a batch, and the checks of paged attention against its own."""
