package mego.yahtzee;

/** What a player may ask of its game. */
public interface ControllerInterface {
    ScorecardInterface getScoreCard(Player player);

    /** Everybody's scores, from low to high: no name is on one. */
    int[] getScores();
}
