"""The value of decisions: solver tables, severity, skill, peers. No database."""
