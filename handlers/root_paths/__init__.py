"""The paths at the root that belong to no contract: probes, the merged document, `/invocations`."""
