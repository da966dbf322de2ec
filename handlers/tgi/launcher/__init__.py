"""The arguments of TGI's command `text-generation-launcher`, and the effect that each has here."""
