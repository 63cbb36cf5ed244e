"""The tables of an export as files: columns and formats."""
