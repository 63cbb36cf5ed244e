"""Rulesets that nobody plays, small enough to be worked out by listing everything."""

from solver.rules import Category, Joker, Ruleset

ONES = Category("ones", "faces", size=1)
TWOS = Category("twos", "faces", size=2)
THREES = Category("threes", "faces", size=3)
SIXES = Category("sixes", "faces", size=6)
PAIR = Category("pair", "of_a_kind", size=2)
CHANCE = Category("chance", "any")
ALL_ALIKE = Category("yatzy", "of_a_kind", size=4, points=50)

TWO_DICE = Ruleset("two-dice", "Two dice", (SIXES, PAIR, CHANCE), 6, 5, dice=2)
THREE_DICE = Ruleset(
    "three-dice",
    "Three dice, four throws",
    (TWOS, THREES, PAIR, Category("small_straight", "run_of", size=3, points=20)),
    bonus_threshold=11,
    bonus_points=7,
    throws=4,
    dice=3,
)
FOUR_DICE = Ruleset(
    "four-dice",
    "Four dice",
    (ONES, SIXES, Category("two_pairs", "two_pairs"), ALL_ALIKE),
    bonus_threshold=19,
    bonus_points=30,
    dice=4,
)
FOUR_DICE_JOKER = Ruleset(
    "four-dice-joker",
    "Four dice, two throws, jokers",
    (
        TWOS,
        Category("yahtzee", "of_a_kind", size=4, points=50),
        Category("large_straight", "run_of", size=4, points=40, joker_points=40),
    ),
    bonus_threshold=6,
    bonus_points=10,
    throws=2,
    joker=Joker("yahtzee", "forced", 25),
    dice=4,
)
FIVE_DICE = Ruleset(
    "five-dice",
    "Five dice, two throws",
    (THREES, Category("full_house", "full_house"), CHANCE),
    bonus_threshold=9,
    bonus_points=11,
    throws=2,
)
SIX_DICE = Ruleset(
    "six-dice",
    "Six dice",
    (SIXES, Category("full_house", "full_house"), Category("large_straight", "straight_from", 2)),
    bonus_threshold=18,
    bonus_points=20,
    dice=6,
)
SIX_DICE_JOKER = Ruleset(
    "six-dice-joker",
    "Six dice, two throws, jokers",
    (
        TWOS,
        Category("yahtzee", "of_a_kind", size=6, points=100),
        Category("small_straight", "run_of", size=6, points=30, joker_points=30),
    ),
    bonus_threshold=5,
    bonus_points=10,
    throws=2,
    joker=Joker("yahtzee", "free", 60),
    dice=6,
)
MADE_UP = (TWO_DICE, THREE_DICE, FOUR_DICE, FOUR_DICE_JOKER, FIVE_DICE, SIX_DICE, SIX_DICE_JOKER)
