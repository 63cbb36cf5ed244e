"""Reports on strategies, and the published data with which they are compared."""
