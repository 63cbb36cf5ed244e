/* The backward sweep and the turn, for a browser: the equations of solver/dp/kernels.py.

   All that it is told of a ruleset are the words that solver/pocket/facts.py writes. It allocates
   nothing and imports nothing: who runs it puts the words where the heap begins, calls prepare(),
   and grows the memory to as many bytes as that answers. Built with float (-DSINGLE) or double. */

#ifdef SINGLE
#define REAL float
#define larger __builtin_wasm_pmax_f32x4
#else
#define REAL double
#define larger __builtin_wasm_pmax_f64x2
#endif

#define EXPORT __attribute__((visibility("default")))
#define VECTORS 4                                 /* per tile, 16 bytes each */
#define LANES (VECTORS * 16 / (int)sizeof(REAL))  /* upper totals that are calculated at once */
#define NEVER (-__builtin_inf())

typedef REAL Vector __attribute__((vector_size(16)));
typedef REAL Anywhere __attribute__((vector_size(16), aligned(sizeof(REAL))));
typedef struct { Vector v[VECTORS]; } Tile;

enum { MOST_BOXES = 31, FACES = 6 };

static int boxes, throws, threshold, bonus, holds, first_roll, slot_count, joker_box, chip, forced;
static const int *most_upper, *mean, *best, *ways, *slot_start, *entries, *rolls, *alike, *own;
static const int *joker_points, *joker_alone;
static int ends_of_best, ends_of_rolls, stride, width;
static REAL all_orders;
static REAL *values, *children;
static const REAL *after[MOST_BOXES + 1]; /* V of the card with this box; the last entry has chips */
static Tile *work, *slots;
static double *answered;

#define EACH(k) _Pragma("unroll") for (int k = 0; k < VECTORS; k++)

static inline void raise(Tile *tile, const REAL *from, REAL points) {
    const Anywhere *source = (const Anywhere *)from;
    EACH(k) tile->v[k] = larger(tile->v[k], source[k] + points);
}

static inline void set(Tile *tile, REAL value) {
    EACH(k) tile->v[k] = (Vector){0} + value;
}

/* ---- Input ---- */

static const int *section(const int **at, int *length) {
    const int *start = *at + 1;
    *length = **at;
    *at = start + *length;
    return start;
}

static char *room(char **at, int bytes) {
    char *start = (char *)(((unsigned long)*at + 63) & ~63ul);
    *at = start + bytes;
    return start;
}

/* Return the bytes of memory that the kernel needs; values_at() is the address of the values. */
EXPORT int prepare(const int *words) {
    int length;
    const int *at = words, *told = section(&at, &length);
    boxes = told[0], throws = told[1], threshold = told[2], bonus = told[3], holds = told[4];
    first_roll = told[5], slot_count = told[6], joker_box = told[7], chip = told[8];
    forced = told[9];
    most_upper = section(&at, &length);
    mean = section(&at, &length);
    best = section(&at, &ends_of_best);
    ways = section(&at, &length);
    slot_start = section(&at, &length);
    entries = section(&at, &length);
    rolls = section(&at, &ends_of_rolls);
    alike = section(&at, &length);
    own = section(&at, &length);
    joker_points = section(&at, &length);
    joker_alone = section(&at, &length);

    int orders = 0, most = 0;
    for (int roll = 0; roll < holds - first_roll; roll++) orders += ways[roll];
    for (int box = 0; box < boxes; box++)
        if (most_upper[box] > most) most = most_upper[box];
    all_orders = orders;
    stride = (threshold + LANES) / LANES * LANES;
    width = stride + (most + LANES) / LANES * LANES;

    char *end = (char *)at;
    int rows = 1 << (boxes + (joker_box >= 0));
    work = (Tile *)room(&end, holds * sizeof(Tile));
    slots = (Tile *)room(&end, (slot_count + 1) * sizeof(Tile));
    children = (REAL *)room(&end, (boxes + 1) * width * sizeof(REAL));
    answered = (double *)room(&end, (holds + 2 * boxes) * sizeof(double));
    values = (REAL *)room(&end, (rows * stride + LANES) * sizeof(REAL));
    return (int)end;
}

EXPORT REAL *values_at(void) { return values; }

EXPORT int values_bytes(void) {
    return (stride << (boxes + (joker_box >= 0))) * (int)sizeof(REAL);
}

EXPORT double value(int row, int column) { return values[row * stride + column]; }

/* ---- The cards that follow a card ---- */

/* Totals above the threshold have the threshold's value: an upper box may lead there. */
static const REAL *padded(int place, int row) {
    const REAL *from = values + row * stride;
    REAL *to = children + place * width;
    for (int column = 0; column < width; column++)
        to[column] = from[column < threshold ? column : threshold];
    return to;
}

static void look_ahead(int row) {
    for (int box = 0; box < boxes; box++) {
        int next = row | 1 << box;
        if (next == row) continue;
        after[box] = most_upper[box] ? padded(box, next) : values + next * stride;
        if (box == joker_box) {
            next |= 1 << boxes;
            after[boxes] = most_upper[box] ? padded(boxes, next) : values + next * stride;
        }
    }
}

static inline const REAL *with_points(int box, int points) {
    const REAL *to = after[box == joker_box && points ? boxes : box];
    return most_upper[box] ? to + points : to;
}

/* Return the boxes that a joker of this face may fill. */
static int joker_boxes(int row, int face) {
    int open = ~row & ((1 << boxes) - 1), lower = 0;
    if (!forced) return open;
    if (own[face] >= 0 && open >> own[face] & 1) return 1 << own[face];
    for (int box = 0; box < boxes; box++) lower |= !most_upper[box] << box;
    return open & lower ? open & lower : open;
}

static int joker_gain(int row, int box, int face) {
    int own_open = own[face] >= 0 && !(row >> own[face] & 1);
    return (own_open ? joker_points : joker_alone)[box * FACES + face];
}

static inline int chip_of(int row) { return row >> boxes & 1 ? chip : 0; }

static inline int has_jokers(int row) { return joker_box >= 0 && row >> joker_box & 1; }

/* ---- The passes over a tile of upper totals that begins at this column ---- */

/* w_0: score every roll in its best open box. Points are never worse than no points: the best box
   without points is a lower bound for every slot, and so for every roll. */
static void score(int row, int column) {
    Tile *none = slots + slot_count;
    set(none, NEVER);
    for (int box = 0; box < boxes; box++)
        if (!(row >> box & 1)) raise(none, after[box] + column, 0);
    Tile bound = *none;
    for (int slot = 0; slot < slot_count; slot++) slots[slot] = bound;
    for (int box = 0; box < boxes; box++) {
        if (row >> box & 1) continue;
        for (int entry = slot_start[box]; entry < slot_start[box + 1]; entry++) {
            int points = entries[2 * entry + 1];
            raise(slots + entries[2 * entry], with_points(box, points) + column, points);
        }
    }
    for (const int *line = rolls, *end = rolls + ends_of_rolls; line < end; line += line[0] + 2) {
        Tile found = slots[line[2]];
        for (int n = 1; n < line[0]; n++) {
            const Tile *slot = slots + line[2 + n];
            EACH(k) found.v[k] = larger(found.v[k], slot->v[k]);
        }
        work[line[1]] = found;
    }
}

/* Replace the result of score() for the rolls that are jokers on this card. */
static void score_jokers(int row, int column) {
    if (!has_jokers(row)) return;
    for (int face = 0; face < FACES; face++) {
        int allowed = joker_boxes(row, face);
        Tile *roll = work + alike[face];
        set(roll, NEVER);
        for (int box = 0; box < boxes; box++) {
            if (!(allowed >> box & 1)) continue;
            int points = joker_gain(row, box, face);
            raise(roll, with_points(box, points) + column, points + chip_of(row));
        }
    }
}

/* Calculate e(hold) from e(hold + face), for holds of all dice but one, down to no dice. */
static void all_means(void) {
    const REAL sixth = (REAL)1 / FACES;
    for (const int *line = mean, *end = mean + 7 * first_roll; line < end; line += 7) {
        Tile sum = work[line[1]];
        _Pragma("unroll") for (int face = 2; face <= FACES; face++) {
            const Tile *more = work + line[face];
            EACH(k) sum.v[k] += more->v[k];
        }
        EACH(k) sum.v[k] *= sixth;
        work[line[0]] = sum;
    }
}

/* Replace e(hold) by the best e of all holds within the hold, from one die up to all dice. */
static void all_bests(void) {
    for (const int *line = best, *end = best + ends_of_best; line < end; line += line[0] + 2) {
        Tile found = work[line[1]];
        for (int n = 0; n < line[0]; n++) {
            const Tile *smaller = work + line[2 + n];
            EACH(k) found.v[k] = larger(found.v[k], smaller->v[k]);
        }
        work[line[1]] = found;
    }
}

static void first_throw(REAL *to) {
    Tile sum;
    set(&sum, 0);
    for (int roll = 0; roll < holds - first_roll; roll++) {
        REAL chance = ways[roll];
        const Tile *from = work + first_roll + roll;
        EACH(k) sum.v[k] += from->v[k] * chance;
    }
    EACH(k) ((Anywhere *)to)[k] = sum.v[k] / all_orders;
}

/* ---- Questions and answers ---- */

/* Up to this column, the bonus is lost and all cards have the same value. */
static int alike_until(int row, int last) {
    int lost = threshold - 1;
    for (int box = 0; box < boxes; box++)
        if (!(row >> box & 1)) lost -= most_upper[box];
    return lost < 0 ? 0 : lost > last ? last : lost;
}

static void solve_row(int row) {
    int last = 0;
    for (int box = 0; box < boxes; box++)
        if (row >> box & 1) last += most_upper[box];
    if (last > threshold) last = threshold;
    int same = alike_until(row, last);
    int first = last + 1 - ((last - same) / LANES + 1) * LANES;
    REAL *own_values = values + row * stride;
    look_ahead(row);
    for (int column = first < 0 ? 0 : first; column <= last; column += LANES) {
        score(row, column);
        score_jokers(row, column);
        for (int left = 1; left < throws; left++) all_means(), all_bests();
        first_throw(own_values + column);
    }
    for (int column = 0; column < same; column++) own_values[column] = own_values[same];
}

/* Calculate V of a card, with and without chips; cards with one more filled box are solved. */
EXPORT void solve(int filled) {
    int flagged = filled | 1 << boxes, full = (1 << boxes) - 1;
    if (filled == full) {
        values[full * stride + threshold] = bonus;
        if (joker_box >= 0) values[flagged * stride + threshold] = bonus;
        return;
    }
    solve_row(filled);
    if (has_jokers(filled)) solve_row(flagged);
}

/* Return the points of a roll in a box: the best of the roll's slots that the box raises. */
static int natural_points(int box, const int *line) {
    int found = 0;
    for (int entry = slot_start[box]; entry < slot_start[box + 1]; entry++)
        for (int n = 0; n < line[0]; n++)
            if (line[2 + n] == entries[2 * entry] && entries[2 * entry + 1] > found)
                found = entries[2 * entry + 1];
    return found;
}

static const int *line_of(int roll) {
    const int *line = rolls;
    while (line[1] != roll) line += line[0] + 2;
    return line;
}

/* Return the value of every hold, the value of every box, and the points of every box; minus
   infinity if a box is filled or forbidden for a joker. ``roll`` is the hold of all dice. */
EXPORT double *answer(int row, int column, int roll, int left) {
    const int *line = line_of(roll);
    double *box_worth = answered + holds, *box_points = box_worth + boxes;
    int open = ~row & ((1 << boxes) - 1), joker = -1;
    for (int face = 0; face < FACES && has_jokers(row); face++)
        if (alike[face] == roll) joker = face;
    if (joker >= 0) open = joker_boxes(row, joker);
    look_ahead(row);
    for (int box = 0; box < boxes; box++) {
        int allowed = open >> box & 1;
        int points = joker < 0 ? natural_points(box, line) : joker_gain(row, box, joker);
        int gain = points + (joker < 0 ? 0 : chip_of(row));
        box_worth[box] = allowed ? with_points(box, points)[column] + (REAL)gain : NEVER;
        box_points[box] = allowed ? gain : NEVER;
    }
    score(row, column);
    score_jokers(row, column);
    for (int passed = 1; passed <= left; passed++) {
        all_means();
        if (passed < left) all_bests();
    }
    for (int hold = 0; hold < holds; hold++) answered[hold] = work[hold].v[0][0];
    return answered;
}
