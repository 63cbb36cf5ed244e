"""Studies of how people play: links, conditions, what the numbers say, and bots to rehearse."""
