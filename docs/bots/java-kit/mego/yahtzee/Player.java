package mego.yahtzee;

/** To be extended. A new one answers every question, so it remembers nothing in its fields. */
public abstract class Player {
    protected ControllerInterface game;

    public Player(ControllerInterface game) {
        this.game = game;
    }

    public String getName() {
        return getClass().getSimpleName();
    }

    /** The dice as they lie, and the stage of the turn: 0, 1, and 2 after the last throw. */
    public abstract TurnChoice turn(int[] dice, int stage);
}
