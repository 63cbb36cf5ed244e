"""WebSockets that push changes to open pages."""
