"""The design of a trial: its arms and phases, and who gets which. Pure; no database."""
