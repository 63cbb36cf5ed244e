"""The quality of decisions: solver tables, severity, skill, peers. No module uses the database."""
