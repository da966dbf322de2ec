"""Token servers, emulated over an engine of ours or real, and fronts over them."""
