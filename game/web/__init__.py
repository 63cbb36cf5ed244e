"""Who asks, what they sent, and whom to tell that something changed."""
