"""What text generation servers of TGI's kin have in common, before a contract gives it a form."""
