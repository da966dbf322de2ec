"""An engine over servers that compute tokens: vLLM, SGLang, or other Verbatim servers; no torch."""
