"""The page on which researchers watch a running trial."""
