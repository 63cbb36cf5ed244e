"""What decisions were worth. Pure but for reading the solver's tables: no database."""
