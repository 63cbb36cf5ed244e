package mego.yahtzee;

import java.util.Arrays;

/** The boxes in the order of the card; points and fits are of the dice alone, jokers left aside. */
public enum Category {
    ACES, TWOS, THREES, FOURS, FIVES, SIXES,
    THREE_OF_A_KIND, FOUR_OF_A_KIND, FULL_HOUSE, SMALL_STRAIGHT, LARGE_STRAIGHT, YAHTZEE, CHANCE;

    public boolean isUpper() {
        return compareTo(SIXES) <= 0;
    }

    public boolean isLower() {
        return !isUpper();
    }

    public boolean matches(int[] dice) {
        return getScore(dice) > 0;
    }

    public int getScore(int[] dice) {
        int face = ordinal() + 1;
        int sum = Arrays.stream(dice).sum();
        switch (this) {
            case THREE_OF_A_KIND: return mostAlike(dice) >= 3 ? sum : 0;
            case FOUR_OF_A_KIND: return mostAlike(dice) >= 4 ? sum : 0;
            case FULL_HOUSE: return mostAlike(dice) == 3 && faces(dice) == 2 ? 25 : 0;
            case SMALL_STRAIGHT: return inARow(dice) >= 4 ? 30 : 0;
            case LARGE_STRAIGHT: return inARow(dice) == 5 ? 40 : 0;
            case YAHTZEE: return mostAlike(dice) == 5 ? 50 : 0;
            case CHANCE: return sum;
            default: return Arrays.stream(dice).filter(die -> die == face).sum();
        }
    }

    public static Category[] getMatchingCategories(int[] dice) {
        return Arrays.stream(values()).filter(one -> one.matches(dice)).toArray(Category[]::new);
    }

    private static long faces(int[] dice) {
        return Arrays.stream(dice).distinct().count();
    }

    private static int mostAlike(int[] dice) {
        Integer[] boxed = Util.boxIntArray(dice);
        return Arrays.stream(dice).map(die -> Util.count(boxed, die)).max().getAsInt();
    }

    private static int inARow(int[] dice) {
        Integer[] boxed = Util.boxIntArray(dice);
        int row = 0;
        int longest = 0;
        for (int face = 1; face <= 6; face++) {
            row = Util.count(boxed, face) > 0 ? row + 1 : 0;
            longest = Math.max(longest, row);
        }
        return longest;
    }

    /** What docs/bots.md calls it. */
    String id() {
        return this == ACES ? "ones" : name().toLowerCase(java.util.Locale.ROOT);
    }
}
