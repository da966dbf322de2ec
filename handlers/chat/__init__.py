"""The neutral chat core: what every contract that speaks chat has in common, and nothing of any contract.

A contract translates its body into `params.ChatParams`, calls `core.ChatCore.prepare`, submits the prepared
request to the engine, and translates the `delta.ChatDelta`s of `output.ChatOutputs`, or the
`result.ChatResult` of `result.collect_chat`, back to its wire.
"""
