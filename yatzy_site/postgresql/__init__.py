"""A PostgreSQL backend in which every wait has an end."""
