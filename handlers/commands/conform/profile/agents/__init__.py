"""Recorded requests of coding agents, frameworks and benchmark tools, one JSON file for each program.

`program`: name and version. `contract`: the API that it uses; OpenAI's by default. `schemas`: names of the
sets of schemas (`handlers/commands/conform/profile/schema_sets`) that answers must satisfy; none by default.
`exchanges`: its requests in order, with shortened texts. Each has `what` (a description), `path`, `body`,
`same` (members of the body that equal those of an earlier exchange, with the index of that exchange from 0),
`status` (of the recorded answer) and `param` (the field that a recorded error names). Requests that were
refused are not replayed, since that depends on the model.
"""
