"""The Python interface: a model in the process of the caller, asked by the OpenAI contract, without HTTP."""
