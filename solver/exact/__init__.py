"""What a way of playing brings, without a game played: every final score, or only its moments."""
