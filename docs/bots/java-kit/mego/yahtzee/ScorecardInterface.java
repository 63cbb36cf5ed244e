package mego.yahtzee;

/** A copy of the card of the player that asks. */
public interface ScorecardInterface {
    /** The categories that are not used yet, in the order of the card. */
    Category[] getFreeCategories();

    /** All points so far. */
    int getScore();

    int getYahtzeeBonus();

    int getUpperBonus();

    /** Points of the upper section, without its bonus. */
    int getUpperScore();
}
