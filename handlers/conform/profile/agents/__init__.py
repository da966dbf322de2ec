"""The requests of coding agents, frameworks and benchmark tools, a file for each program.

`program`: its name and version. `contract`: the API that it speaks, OpenAI's if absent. `schemas`: the sets
of its maker's schemas that answers must satisfy (`handlers/conform/profile/schema_sets`), if there are any.
`exchanges`: its requests in order, texts cut short: `what` it is, `path`, `body`, the `status` of the answer,
and of a refusal the `param` at fault. The profile leaves out requests that were refused, since that depends
on the model.
"""
