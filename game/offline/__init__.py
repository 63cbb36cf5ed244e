"""The game without a connection: the table on the device, and games handed in."""
