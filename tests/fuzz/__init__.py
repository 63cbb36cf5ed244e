"""What nobody would send on purpose, sent to every address, form and socket, and to the API.

Derandomised: one commit is always sent the same.
"""
