/* Keeps the face that most dice show; at the end takes the box that brings the most.
 *
 * Without a JSON library: keys come in the order of docs/bots.md and nothing stands between them. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DICE 5
#define UNREADABLE "{\"error\":\"cannot be read\"}\n"

/* What follows a text, the first time it occurs; NULL where it does not. */
static const char *after(const char *text, const char *start) {
    const char *found = text ? strstr(text, start) : NULL;
    return found ? found + strlen(start) : NULL;
}

static int most_of_a_face(const char *dice, int *count) {
    int counts[7] = {0}, face = 6;
    for (int n = 0; n < DICE; n++) {
        int die = dice[2 * n] - '0';
        if (die < 1 || die > 6) return 0;
        counts[die]++;
    }
    for (int other = 5; other > 0; other--)
        if (counts[other] > counts[face]) face = other;
    *count = counts[face];
    return face;
}

static void print_best_box(const char *options) {
    const char *best = options;
    long most = -1;
    for (const char *name = options; name && *name == '"';) {
        char *end;
        long points = strtol(after(name, "\":"), &end, 10);
        if (points > most) best = name, most = points;
        name = *end == ',' ? end + 1 : NULL;
    }
    int length = (int)(after(best, "\":") - best) - 1;
    printf("{\"action\":\"score\",\"category\":%.*s}", length, best);
}

/* Whether the question could be read; nothing is printed where not. */
static int choose(const char *question) {
    const char *dice = after(question, "\"dice\":["), *options = after(question, "\"options\":{");
    const char *last = after(question, "\"rolls_left\":0");
    if (!dice || !options || strlen(dice) < 2 * DICE || !after(options, "\":")) return 0;
    int count, face = most_of_a_face(dice, &count);
    if (!face) return 0;
    if ((last && last < options) || count == DICE) {
        print_best_box(options);
        return 1;
    }
    printf("{\"action\":\"hold\",\"dice\":[%d", face);
    while (--count) printf(",%d", face);
    printf("]}");
    return 1;
}

static void answer_many(const char *line) {
    const char *question = after(line, "\"position\":"), *comma = "";
    printf("{\"answers\":[");
    for (; question; question = after(question, "\"position\":"), comma = ",") {
        printf("%s", comma);
        choose(question);
    }
    printf("]}\n");
}

static int is(const char *line, const char *type) {
    const char *found = after(line, "{\"type\":\"");
    return found && !strncmp(found, type, strlen(type)) && found[strlen(type)] == '"';
}

int main(void) {
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) >= 0) {
        if (is(line, "error")) return fprintf(stderr, "%s", line), 1;
        if (is(line, "hello")) puts("{\"name\":\"Most of a face\",\"batch\":true}");
        else if (is(line, "new") || is(line, "end")) puts("{\"ok\":true}");
        else if (is(line, "act") && strstr(line, "\"questions\":[")) answer_many(line);
        else if (is(line, "act") && choose(line)) puts("");
        else printf(UNREADABLE);
        fflush(stdout);
    }
    free(line);
    return 0;
}
