"""The requests of coding agents, frameworks and benchmark tools, a file for each program.

`program`: its name and version. `contract`: the API that it speaks, OpenAI's if absent. `schemas`: the sets
of its maker's schemas that answers must satisfy (`handlers/conform/profile/schema_sets`), if there are any.
`exchanges`: its requests in order, texts cut short: `what` it is, `path`, `body`, `same` (members of the body
that equal those of an earlier exchange, each with its number from 0), the `status` of the answer, and of a
refusal the `param` at fault. The profile leaves out requests that were refused, since that depends
on the model.
"""
