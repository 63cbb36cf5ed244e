package mego.yahtzee;

/** The dice to keep, by their indexes from 0, or a category for the dice as they lie. */
public final class TurnChoice {
    final int[] kept;
    final Category category;

    public TurnChoice(int[] diceIndexes) {
        kept = diceIndexes.clone();
        category = null;
    }

    public TurnChoice(Category categoryChosen) {
        kept = null;
        category = categoryChosen;
    }
}
