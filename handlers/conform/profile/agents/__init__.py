"""The requests of coding agents, frameworks and benchmark tools, a file for each program.

`program`: its name and version. `contract`: the API that it speaks, OpenAI's if absent. `exchanges`: its
requests in order, texts cut short: `what` it is, `path`, `body`, the `status` of the answer, and of a refusal
the `param` at fault.
"""
