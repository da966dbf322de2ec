"""The scheduler: which tokens a step computes, and who owns which KV block; pure Python."""
