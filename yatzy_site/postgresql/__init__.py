"""PostgreSQL as a server needs it that must not wait for ever."""
