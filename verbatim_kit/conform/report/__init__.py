"""Reports of a run's findings: HTML, JSON, JUnit XML and a summary for the terminal."""
