package mego.yahtzee;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Lets a player of this interface answer the questions of docs/bots.md: its class is the argument. */
public final class Play {
    private static final String NOTHING = "{\"position\":{\"filled\":[],\"upper\":0,\"dice\":[1,1,1,1,1],"
        + "\"rolls_left\":2,\"chips_won\":false},\"card\":{},\"score\":0,\"others\":[]}";

    private Play() {}

    public static void main(String[] arguments) throws Exception {
        Class<?> type = Class.forName(arguments[0]);
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            System.out.println(answer(line, type));
            System.out.flush();
        }
    }

    private static String answer(String line, Class<?> type) throws Exception {
        String kind = line.startsWith("{\"type\":\"") ? line.substring(9).split("\"", 2)[0] : "";
        switch (kind) {
            case "hello":
                return "{\"name\":\"" + player(type, new Question(NOTHING)).getName() + "\"}";
            case "new":
            case "end":
                return "{\"ok\":true}";
            case "act":
                return unlessUnreadable(line, type);
            case "error":
                throw new IllegalStateException(line);
            default:
                return "{\"error\":\"unknown type\"}";
        }
    }

    private static String unlessUnreadable(String line, Class<?> type) throws Exception {
        Question question;
        try {
            question = new Question(line);
        } catch (IllegalArgumentException | IndexOutOfBoundsException problem) {
            return "{\"error\":\"cannot be read\"}";
        }
        int[] dice = question.dice.clone();
        return told(player(type, question).turn(dice, question.stage), question.dice);
    }

    private static Player player(Class<?> type, Question question) throws Exception {
        return (Player) type.getConstructor(ControllerInterface.class).newInstance(question);
    }

    private static String told(TurnChoice choice, int[] dice) {
        if (choice.category != null) {
            return "{\"action\":\"score\",\"category\":\"" + choice.category.id() + "\"}";
        }
        String faces = Arrays.stream(choice.kept)
            .mapToObj(index -> "" + dice[index])
            .collect(Collectors.joining(","));
        return "{\"action\":\"hold\",\"dice\":[" + faces + "]}";
    }
}
