"""Transcription of speech for every contract that serves it: windows, segments and times of words."""
