"""The parts that text generation servers of TGI's kin have in common, before a contract gives them a form."""
