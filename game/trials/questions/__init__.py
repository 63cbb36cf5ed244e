"""A trial's questions as a researcher writes them, without a database."""
