"""What can go wrong with a server, done to real ones while people play: ``make faults``."""
