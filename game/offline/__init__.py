"""The game without a connection: the board on the device, and the games that it sends later."""
