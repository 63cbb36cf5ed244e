"""The stored game and its player: services that change them, queries that read them."""
