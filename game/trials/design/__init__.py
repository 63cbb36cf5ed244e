"""The design of a trial: its arms, phases and texts, and the assignment of participants to arms."""
