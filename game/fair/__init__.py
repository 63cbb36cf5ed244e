"""Where dice come from, and how that is proved."""
