"""How a trial is designed: its arms and phases, and who gets which. Pure; no database."""
