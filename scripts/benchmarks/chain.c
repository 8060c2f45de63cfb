/* The yardstick of forced alignment: phones between optional blanks (CTC) over full tables of logarithms, as plain C. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static double sum_of(double a, double b) {
    if (a < b) {
        const double c = a;
        a = b;
        b = c;
    }
    return b == -INFINITY ? a : a + log1p(exp(b - a));
}

static int64_t column(const int32_t *phones, int64_t blank, int64_t s) { return s % 2 ? phones[s / 2] : blank; }

static int skips(const int32_t *phones, int64_t s) { return s % 2 && s > 1 && phones[s / 2] != phones[s / 2 - 1]; }

/* Fill the states of the best path; return its logarithm, or 1 when memory ran out. The blank is the last column. */
double best_path(const double *logs, int64_t frames, int64_t columns, const int32_t *phones, int64_t tokens, int32_t *path) {
    const int64_t states = 2 * tokens + 1;
    double *scores = malloc(sizeof(double) * states * frames);
    uint8_t *steps = malloc(states * frames);
    if (!scores || !steps) return 1;
    for (int64_t t = 0; t < frames; t++) {
        double *now = scores + t * states;
        const double *before = now - states;
        for (int64_t s = 0; s < states; s++) {
            double most = t ? before[s] : s < 2 ? 0 : -INFINITY;
            uint8_t step = 0;
            if (t && s && before[s - 1] > most) most = before[s - 1], step = 1;
            if (t && skips(phones, s) && before[s - 2] > most) most = before[s - 2], step = 2;
            now[s] = most + logs[t * columns + column(phones, columns - 1, s)];
            steps[t * states + s] = step;
        }
    }
    const double *last = scores + (frames - 1) * states;
    int64_t s = last[states - 1] >= last[states - 2] ? states - 1 : states - 2;
    const double weight = last[s];
    for (int64_t t = frames - 1; t >= 0; t--) {
        path[t] = (int32_t)s;
        s -= steps[t * states + s];
    }
    free(scores);
    free(steps);
    return weight;
}

/* Fill the share of all paths in each state, [frames][states]; return the logarithm of all, or 1 without memory. */
double occupy(const double *logs, int64_t frames, int64_t columns, const int32_t *phones, int64_t tokens, double *shares) {
    const int64_t states = 2 * tokens + 1, blank = columns - 1;
    double *forward = malloc(sizeof(double) * states * frames);
    double *after = malloc(sizeof(double) * states), *now = malloc(sizeof(double) * states);
    if (!forward || !after || !now) return 1;
    for (int64_t t = 0; t < frames; t++) {
        double *here = forward + t * states;
        const double *before = here - states;
        for (int64_t s = 0; s < states; s++) {
            double sum = t ? before[s] : s < 2 ? 0 : -INFINITY;
            if (t && s) sum = sum_of(sum, before[s - 1]);
            if (t && skips(phones, s)) sum = sum_of(sum, before[s - 2]);
            here[s] = sum + logs[t * columns + column(phones, blank, s)];
        }
    }
    const double *last = forward + (frames - 1) * states, total = sum_of(last[states - 1], last[states - 2]);
    for (int64_t t = frames - 1; t >= 0; t--) {
        for (int64_t s = 0; s < states; s++) {
            double sum = s >= states - 2 ? 0 : -INFINITY;
            if (t < frames - 1) {
                sum = after[s];
                if (s + 1 < states) sum = sum_of(sum, after[s + 1]);
                if (s + 2 < states && skips(phones, s + 2)) sum = sum_of(sum, after[s + 2]);
            }
            shares[t * states + s] = exp(forward[t * states + s] + sum - total);
            now[s] = sum + logs[t * columns + column(phones, blank, s)];
        }
        double *const other = after;
        after = now;
        now = other;
    }
    free(forward);
    free(after);
    free(now);
    return total;
}
