/* The yardstick: exact global alignment in an Ukkonen band, with path and counts, as plain C.
 *
 * A cell holds (cost * 2^bits - identical) * 4 + direction (0 pair, 1 insertion, 2 deletion), so that one minimum
 * applies the whole tie rule. The band is widened until no path outside it can be as cheap.
 */
#include <stdint.h>
#include <stdlib.h>

#define FAR (INT32_C(1) << 29)

static inline int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }
static inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

typedef struct {
    uint8_t *steps;
    int32_t *row, *into;
    int64_t room, width;
} space;

static int make_room(space *s, int64_t cells, int64_t columns) {
    if (cells > s->room) {
        free(s->steps);
        s->steps = malloc(s->room = 2 * cells);
    }
    if (columns > s->width) {
        free(s->row);
        free(s->into);
        s->width = 2 * columns;
        s->row = malloc(s->width * sizeof *s->row);
        s->into = malloc(s->width * sizeof *s->into);
    }
    return s->steps && s->row && s->into;
}

/* Fill the band low <= j - i <= high of one pair; a row of the table has high - low + 1 cells. */
static int32_t fill(space *s, const int32_t *gold, int64_t n, const int32_t *heard, int64_t m, int64_t low, int64_t high,
                    const int32_t *pairs, const int32_t *out, int phones) {
    int32_t *restrict row = s->row, *restrict into = s->into;
    const int64_t reach = smaller(m, high), step = high - low;
    row[0] = 0;
    for (int64_t j = 0; j < reach; j++) {
        row[j + 1] = (row[j] + into[j]) & ~3;
        s->steps[j + 1 - low] = 1;
    }
    if (reach < m) row[reach + 1] = FAR;
    for (int64_t i = 1; i <= n; i++) {
        const int32_t *restrict line = pairs + (int64_t)gold[i - 1] * phones;
        const int32_t lost = out[gold[i - 1]];
        uint8_t *restrict steps = s->steps - low + i * step;
        int64_t first = i + low, last = smaller(m, i + high);
        int32_t diagonal, left;
        if (first <= 0) {
            diagonal = row[0];
            row[0] = left = (diagonal + lost) & ~3;
            steps[0] = 2;
            first = 1;
        } else {
            diagonal = row[first - 1];
            left = FAR;
        }
        for (int64_t j = first; j <= last; j++) {
            const int32_t up = row[j];
            int32_t best = least(diagonal + line[heard[j - 1]], up + lost);
            best = least(best, left + into[j - 1]);
            diagonal = up;
            steps[j] = (uint8_t)(best & 3);
            row[j] = left = best & ~3;
        }
        if (last < m) row[last + 1] = FAR;
    }
    return row[m];
}

/* Align every pair. Returns 0, or 1 when memory ran out. `counts` is [phones + 1][phones + 1], no phone last. */
int align_all(int64_t utterances, const int32_t *gold, const int64_t *gold_at, const int32_t *heard,
              const int64_t *heard_at, int phones, int bits, const int32_t *pairs, const int32_t *out,
              const int32_t *in, int64_t least_gap, int64_t *cost, int64_t *length, int32_t *path_gold,
              int32_t *path_heard, int64_t *counts) {
    space s = {0};
    int short_of_memory = 0;
    for (int64_t u = 0; u < utterances && !short_of_memory; u++) {
        const int32_t *a = gold + gold_at[u], *b = heard + heard_at[u];
        const int64_t n = gold_at[u + 1] - gold_at[u], m = heard_at[u + 1] - heard_at[u], apart = llabs(m - n);
        int64_t width = larger(4, (n + m) / 16), low, high, total;
        for (;;) {
            low = larger(smaller(0, m - n) - width, -n);
            high = smaller(larger(0, m - n) + width, m);
            if (!make_room(&s, (n + 1) * (high - low + 1), m + 2)) {
                short_of_memory = 1;
                break;
            }
            for (int64_t j = 0; j < m; j++) s.into[j] = in[b[j]];
            const int32_t packed = fill(&s, a, n, b, m, low, high, pairs, out, phones);
            total = -((-(int64_t)(packed >> 2)) >> bits);
            if ((low <= -n && high >= m) || total < least_gap * (2 * (width + 1) + apart)) break;
            width = least_gap ? larger(2 * width, (total / least_gap - apart) / 2) : n + m;
        }
        if (short_of_memory) break;
        cost[u] = total;
        const int64_t base = gold_at[u] + heard_at[u], step = high - low;
        int64_t i = n, j = m, place = base + n + m;
        const uint8_t *at = s.steps - low + n * step + m;
        while (i || j) {
            const uint8_t direction = *at;
            int32_t g = phones, p = phones;
            if (direction != 1) {
                g = a[--i];
                at -= step;
            }
            if (direction != 2) {
                p = b[--j];
                at -= 1;
            }
            place--;
            path_gold[place] = g;
            path_heard[place] = p;
            counts[(int64_t)g * (phones + 1) + p]++;
        }
        length[u] = base + n + m - place;
    }
    free(s.steps);
    free(s.row);
    free(s.into);
    return short_of_memory;
}

/* Read every number of an array once: what memory alone allows. */
double read_all(const float *values, int64_t number) {
    double total = 0;
    for (int64_t start = 0; start < number; start += 4096) {
        const int64_t stop = smaller(number, start + 4096);
        float part = 0;
        for (int64_t i = start; i < stop; i++) part += values[i];
        total += part;
    }
    return total;
}
