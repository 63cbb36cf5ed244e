"""The page on which a researcher watches a running trial."""
