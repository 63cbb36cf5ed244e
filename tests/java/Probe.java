package mego.yahtzee;

import java.util.Arrays;
import java.util.stream.Collectors;

/** Writes down what it sees; keeps the sixes, and then takes the first category it may. */
public class Probe extends Player {
    public Probe(ControllerInterface game) {
        super(game);
    }

    public TurnChoice turn(int[] dice, int stage) {
        ScorecardInterface card = game.getScoreCard(this);
        Category[] free = card.getFreeCategories();
        System.err.println("{\"stage\":" + stage + ",\"score\":" + card.getScore()
            + ",\"bonuses\":[" + card.getYahtzeeBonus() + "," + card.getUpperBonus()
            + "],\"upper\":" + card.getUpperScore() + ",\"scores\":" + Arrays.toString(game.getScores())
            + ",\"free\":" + names(free) + ",\"fit\":" + names(Category.getMatchingCategories(dice))
            + ",\"points\":" + Arrays.toString(
                Arrays.stream(Category.values()).mapToInt(one -> one.getScore(dice)).toArray()) + "}");
        if (stage < 2 && free.length % 2 == 0) {
            int[] sixes = java.util.stream.IntStream.range(0, 5).filter(n -> dice[n] == 6).toArray();
            return new TurnChoice(sixes);
        }
        Category own = Util.intToUpperCategory(dice[0]);
        boolean alike = Util.count(Util.boxIntArray(dice), dice[0]) == 5;
        boolean joker = alike && !Arrays.asList(free).contains(Category.YAHTZEE);
        if (joker && Arrays.asList(free).contains(own)) return new TurnChoice(own);
        Category[] lower = Arrays.stream(free).filter(Category::isLower).toArray(Category[]::new);
        return new TurnChoice(joker && lower.length > 0 ? lower[0] : free[0]);
    }

    private static String names(Category[] of) {
        return Arrays.stream(of).map(one -> "\"" + one + "\"").collect(Collectors.joining(",", "[", "]"));
    }
}
