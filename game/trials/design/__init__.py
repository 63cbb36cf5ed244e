"""The design of a trial: its arms, phases and texts, and who is assigned which arm."""
