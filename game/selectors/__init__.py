"""What reads the database, a file for each matter."""
