"""SQLite as a server with many threads needs it: whoever writes waits in a queue."""
