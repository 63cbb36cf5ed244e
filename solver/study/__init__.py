"""Reports on strategies, and the published data with which the reports compare them."""
