package mego.yahtzee;

import java.util.Arrays;

/** What players count with. */
public final class Util {
    private Util() {}

    public static int count(Integer[] numbers, int number) {
        return (int) Arrays.stream(numbers).filter(one -> one == number).count();
    }

    public static Integer[] boxIntArray(int[] numbers) {
        return Arrays.stream(numbers).boxed().toArray(Integer[]::new);
    }

    /** 1 is ACES, and so on to 6, SIXES. */
    public static Category intToUpperCategory(int face) {
        return Category.values()[face - 1];
    }
}
