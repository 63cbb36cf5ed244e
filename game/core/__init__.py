"""The stored game and its player: services that change them, and queries that read them."""
