package mego.yahtzee;

import java.util.Arrays;
import java.util.stream.IntStream;

/** A question of docs/bots.md, as a player sees its game; keys come in the order of that page. */
final class Question implements ControllerInterface, ScorecardInterface {
    final int[] dice;
    final int stage;
    private final Category[] free;
    private final int score;
    private final int upper;
    private final int yahtzeeBonus;
    private final int[] others;

    Question(String line) {
        dice = numbers(between(line, "\"dice\":[", "]"));
        stage = 2 - number(line, "\"rolls_left\":");
        upper = number(line, "\"upper\":");
        others = numbers(between(line, "\"others\":[", "]"));
        String card = between(line, "\"card\":{", "}");
        score = number(line.substring(line.indexOf("\"card\":")), "\"score\":");
        int inBoxes = IntStream.of(numbers(card.replaceAll("\"\\w+\":", ""))).sum();
        yahtzeeBonus = score - inBoxes - getUpperBonus();
        free = Arrays.stream(Category.values())
            .filter(one -> !card.contains("\"" + one.id() + "\":"))
            .toArray(Category[]::new);
    }

    @Override
    public ScorecardInterface getScoreCard(Player player) {
        return this;
    }

    @Override
    public int[] getScores() {
        return IntStream.concat(IntStream.of(others), IntStream.of(score)).sorted().toArray();
    }

    @Override
    public Category[] getFreeCategories() {
        return free.clone();
    }

    @Override
    public int getScore() {
        return score;
    }

    @Override
    public int getYahtzeeBonus() {
        return yahtzeeBonus;
    }

    @Override
    public int getUpperBonus() {
        return upper >= 63 ? 35 : 0;
    }

    @Override
    public int getUpperScore() {
        return upper;
    }

    static String between(String text, String start, String end) {
        int from = text.indexOf(start) + start.length();
        if (from < start.length() || text.indexOf(end, from) < 0) {
            throw new IllegalArgumentException("no " + start);
        }
        return text.substring(from, text.indexOf(end, from));
    }

    private static int number(String text, String key) {
        return Integer.parseInt(between(text + ",", key, ",").replace("}", ""));
    }

    private static int[] numbers(String list) {
        return list.isEmpty() ? new int[0]
            : Arrays.stream(list.split(",")).mapToInt(Integer::parseInt).toArray();
    }
}
