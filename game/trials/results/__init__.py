"""What a trial found, and what was said beforehand about how it would be read."""
