"""Records this server's answers for the kit to corrupt, and excuses mutants that no judge can find."""
