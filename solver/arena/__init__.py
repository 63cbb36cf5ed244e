"""Players against each other and on the same dice."""
