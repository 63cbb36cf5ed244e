"""A trial's team: its owners give and end the roles of staff users."""
