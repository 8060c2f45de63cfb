/* The yardstick: exact global alignment in an Ukkonen band, with path and counts, as fast as we can make C do it.
 *
 * Costs are reduced: a pair costs its substitution less both gaps, and gaps cost nothing. A cell holds
 * (cost * 2^bits - identical) * 4 + direction (0 pair, 1 insertion, 2 deletion), so that one minimum applies the whole
 * tie rule. The band is widened until no path outside it can be as cheap.
 *
 * With AVX-512, a row of a narrow band is a vector of eight cells, and the insertions in it are a minimum over all
 * cells before; three pairs go side by side, since each row waits for the one before. Other pairs, and other
 * processors, fill two rows at once, cell by cell.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __AVX512BW__
#include <immintrin.h>
#endif

#define FAR ((INT32_C(1) << 29) | 1)
#define LANES 8
#define TOGETHER 3
#define SYMBOLS 64

typedef struct {
    const int32_t *gold, *heard, *pairs, *out, *in;
    const int64_t *gold_at, *heard_at;
    int phones, bits;
    int64_t *cost, *length, *counts;
    int16_t *path_gold, *path_heard;
    uint8_t *steps;
    int32_t *row;
    int64_t room, width;
    double share;
} work;

typedef struct {
    int64_t u, n, m, gaps, plain, turn, place;
    const int32_t *a, *b;
} pair;

static inline int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }
static inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

static pair pair_of(const work *w, int64_t u) {
    pair p = {.u = u, .a = w->gold + w->gold_at[u], .b = w->heard + w->heard_at[u]};
    p.n = w->gold_at[u + 1] - w->gold_at[u];
    p.m = w->heard_at[u + 1] - w->heard_at[u];
    p.place = w->gold_at[u + 1] + w->heard_at[u + 1];
    int64_t out = INT32_MAX, in = INT32_MAX;
    for (int64_t i = 0; i < p.n; i++) p.gaps += w->out[p.a[i]], out = smaller(out, w->out[p.a[i]]);
    for (int64_t j = 0; j < p.m; j++) p.gaps += w->in[p.b[j]], in = smaller(in, w->in[p.b[j]]);
    p.turn = out + in;
    p.plain = p.n && p.m ? out * larger(0, p.n - p.m) + in * larger(0, p.m - p.n) : 0;
    return p;
}

static int64_t cost_of(const work *w, const pair *p, int32_t packed) {
    return p->gaps - (-(int64_t)(packed >> 2) >> w->bits);
}

/* Fill the band low <= j - i <= high, two rows at once. The step of cell (i, j) stands at i * stride + j. */
static int32_t fill(work *w, const pair *p, int64_t low, int64_t high, int64_t stride) {
    int32_t *restrict row = w->row, left = 1, below = 1;
    const int32_t *restrict heard = p->b - 1;
    const int64_t n = p->n, m = p->m, reach = smaller(m, high);
    for (int64_t j = 0; j <= reach; j++) row[j] = w->steps[j] = 1;
    row[reach + 1] = row[reach + 2] = FAR;
    for (int64_t i = 1; i <= n; i += 2) {
        const int32_t *restrict line = w->pairs + (int64_t)p->a[i - 1] * w->phones;
        const int32_t *restrict line_below = w->pairs + (int64_t)p->a[smaller(i, n - 1)] * w->phones;
        uint8_t *restrict steps = w->steps + i * stride, *restrict steps_below = steps + stride;
        int64_t first = i + low, last = smaller(m, i + 1 + high);
        int32_t diagonal;
        if (first <= 0) {
            first = 1;
            diagonal = left = below = row[0];
            steps[0] = steps_below[0] = 2;
        } else {
            diagonal = row[first - 1];
            left = below = FAR;
        }
        for (int64_t j = first; j <= last; j++) {
            const int32_t up = row[j], before = left;
            int32_t best = least(diagonal + line[heard[j]], up + 1);
            diagonal = up;
            steps[j] = (uint8_t)least(best, left);
            left = least(left, (best & ~3) | 1);
            best = least(before + line_below[heard[j]], left + 1);
            steps_below[j] = (uint8_t)least(best, below);
            row[j] = below = least(below, (best & ~3) | 1);
        }
        row[last + 1] = row[last + 2] = FAR;
    }
    return n % 2 ? left : below;
}

/* Write the path backwards, and count its pairs; no phone is the code after the last. */
static void trace(const work *w, const pair *p, const uint8_t *at, int64_t stride) {
    const int none = w->phones;
    int64_t i = p->n, j = p->m, place = p->place;
    at += i * stride + j;
    while (i || j) {
        const int step = *at & 3;
        place--;
        if (step == 0) {
            at -= stride + 1;
            w->path_gold[place] = p->a[--i], w->path_heard[place] = p->b[--j];
        } else if (step == 1) {
            at -= 1;
            w->path_gold[place] = none, w->path_heard[place] = p->b[--j];
        } else {
            at -= stride;
            w->path_gold[place] = p->a[--i], w->path_heard[place] = none;
        }
    }
    for (int64_t k = place; k < p->place; k++) w->counts[w->path_gold[k] * (none + 1) + w->path_heard[k]]++;
    w->length[p->u] = p->place - place;
}

/* Align one pair, cell by cell. Returns 1 when memory ran out. */
static int align_one(work *w, const pair *p) {
    const int64_t n = p->n, m = p->m;
    int64_t width = smaller((int64_t)(w->share * (n + m)) + 1, n + m), total;
    int tried = 0;
    for (;;) {
        const int64_t low = larger(smaller(0, m - n) - width, -n), high = smaller(larger(0, m - n) + width, m);
        const int64_t stride = smaller(high - low + 1, m) + 1, cells = (n + 1) * stride + m + 1;
        if (cells > w->room) {
            free(w->steps);
            w->steps = malloc(w->room = 2 * cells);
        }
        if (m + 3 > w->width) {
            free(w->row);
            w->row = malloc((w->width = 2 * m + 3) * sizeof *w->row);
        }
        if (!w->steps || !w->row) return 1;
        total = cost_of(w, p, fill(w, p, low, high, stride));
        tried++;
        if ((low <= -n && high >= m) || total < p->plain + p->turn * (width + 1)) {
            w->cost[p->u] = total;
            w->share = (w->share > 1e-4 ? w->share : 1e-4) * (tried == 1 ? 0.98 : 1.2);
            trace(w, p, w->steps, stride);
            return 0;
        }
        width = p->turn ? smaller((total - p->plain) / p->turn, n + m) : n + m;
    }
}

#ifdef __AVX512BW__
typedef int32_t cells __attribute__((vector_size(4 * LANES), aligned(4)));
typedef uint8_t bytes __attribute__((vector_size(LANES), aligned(1)));

typedef struct {
    int16_t table[SYMBOLS * SYMBOLS] __attribute__((aligned(64))); /* twice a pair's cost, and whether it is identical */
    int16_t *heard[TOGETHER];                                       /* with LANES codes more on both sides */
    cells *rows[TOGETHER];
    uint8_t *steps[TOGETHER];
} side_by_side;

static inline cells smallest(cells a, cells b) { return (cells)_mm256_min_epi32((__m256i)a, (__m256i)b); }

static inline cells costs_of(const int16_t *line, const int16_t *heard, int bits) {
    const __m512i codes = _mm512_castsi128_si512(_mm_loadu_si128((const void *)heard));
    const __m512i all = _mm512_permutex2var_epi16(_mm512_load_si512(line), codes, _mm512_load_si512(line + 32));
    const cells twice = (cells)_mm256_cvtepi16_epi32(_mm512_castsi512_si128(all));
    return ((twice >> 1) << (bits + 2)) - ((twice & 1) << 2) - 1;
}

/* Fill the bands of three pairs, cell j - i - low of a row in that lane, so that the diagonal keeps its lane. */
static void fill_together(const work *w, side_by_side *s, const pair *p, const int64_t *low, int64_t rows) {
    const cells far = (cells){0} + FAR;
    cells row[TOGETHER];
    for (int q = 0; q < TOGETHER; q++) row[q] = s->rows[q][0];
    for (int64_t i = 1; i <= rows; i++) {
#pragma GCC unroll 3
        for (int q = 0; q < TOGETHER; q++) {
            const int16_t *line = s->table + SYMBOLS * p[q].a[smaller(i, p[q].n) - 1];
            const cells pairs = row[q] + costs_of(line, s->heard[q] + LANES + i + low[q] - 1, w->bits);
            const cells best = smallest(pairs, __builtin_shuffle(row[q], far, (cells){1, 2, 3, 4, 5, 6, 7, 8}) + 1);
            cells open = (best & ~3) | 1;
            open = smallest(open, __builtin_shuffle(far, open, (cells){0, 8, 9, 10, 11, 12, 13, 14}));
            open = smallest(open, __builtin_shuffle(far, open, (cells){0, 0, 8, 9, 10, 11, 12, 13}));
            open = smallest(open, __builtin_shuffle(far, open, (cells){0, 0, 0, 0, 8, 9, 10, 11}));
            const cells left = __builtin_shuffle(far, open, (cells){0, 8, 9, 10, 11, 12, 13, 14});
            *(bytes *)(s->steps[q] + i * LANES) = __builtin_convertvector(smallest(best, left), bytes);
            s->rows[q][i] = row[q] = open;
        }
    }
}

static int make_side_by_side(side_by_side *s, const work *w, int64_t longest) {
    for (int a = 0; a < w->phones; a++)
        for (int b = 0; b < w->phones; b++) {
            const int32_t packed = (w->pairs[a * w->phones + b] + 1) >> 2, identical = -packed & ((1 << w->bits) - 1);
            s->table[a * SYMBOLS + b] = (int16_t)(((packed + identical) >> w->bits) * 2 + identical);
        }
    for (int q = 0; q < TOGETHER; q++) {
        s->heard[q] = calloc(2 * longest + 4 * LANES, sizeof(int16_t));
        s->rows[q] = malloc((longest + 1) * sizeof(cells));
        s->steps[q] = malloc((longest + 1) * LANES);
        if (!s->heard[q] || !s->rows[q] || !s->steps[q]) return 1;
    }
    return 0;
}

static int align_together(work *w, side_by_side *s, int64_t first, int number) {
    pair p[TOGETHER];
    int64_t low[TOGETHER], width[TOGETHER], rows = 0;
    for (int q = 0; q < TOGETHER; q++) {
        p[q] = pair_of(w, first + smaller(q, number - 1));
        const int64_t apart = llabs(p[q].m - p[q].n);
        width[q] = p[q].n && apart < LANES ? (LANES - 1 - apart) / 2 : -1;
        low[q] = width[q] < 0 ? 0 : smaller(0, p[q].m - p[q].n) - width[q];
        rows = larger(rows, p[q].n);
        for (int64_t j = 0; j < p[q].m; j++) s->heard[q][LANES + j] = (int16_t)p[q].b[j];
        for (int k = 0; k < LANES; k++) s->rows[q][0][k] = k + low[q] < 0 ? FAR : 1;
        memset(s->steps[q], 1, LANES);
    }
    if (p[0].n && p[1].n && p[2].n) fill_together(w, s, p, low, rows);
    else width[0] = width[1] = width[2] = -1;
    for (int q = 0; q < number; q++) {
        const int64_t lane = p[q].m - p[q].n - low[q];
        const int64_t total = width[q] < 0 ? INT64_MAX : cost_of(w, p + q, s->rows[q][p[q].n][lane]);
        if (total < p[q].plain + p[q].turn * (width[q] + 1)) {
            w->cost[p[q].u] = total;
            trace(w, p + q, s->steps[q] - low[q], LANES - 1);
        } else if (align_one(w, p + q)) return 1;
    }
    return 0;
}
#endif

int has_vectors(void) {
#ifdef __AVX512BW__
    return 1;
#else
    return 0;
#endif
}

/* Align every pair. Returns 0, or 1 when memory ran out. `counts` is [phones + 1][phones + 1], no phone last; `longest`
 * is the most phones of a side. `vectors` asks for those of AVX-512, for at most 64 phones, of whose costs twice the
 * largest takes less than 16 bits. */
int align_all(int64_t utterances, const int32_t *gold, const int64_t *gold_at, const int32_t *heard,
              const int64_t *heard_at, int phones, int bits, const int32_t *pairs, const int32_t *out,
              const int32_t *in, int64_t longest, int vectors, int64_t *cost, int64_t *length, int16_t *path_gold,
              int16_t *path_heard, int64_t *counts) {
    work w = {gold, heard, pairs, out, in, gold_at, heard_at, phones, bits, cost, length, counts, path_gold, path_heard};
    w.share = 0.03;
    int failed = 0;
#ifdef __AVX512BW__
    if (vectors) {
        side_by_side *s = aligned_alloc(64, (sizeof *s + 63) / 64 * 64);
        if (s) memset(s, 0, sizeof *s);
        failed = !s || make_side_by_side(s, &w, longest);
        for (int64_t u = 0; u < utterances && !failed; u += TOGETHER)
            failed = align_together(&w, s, u, (int)smaller(TOGETHER, utterances - u));
        for (int q = 0; s && q < TOGETHER; q++) free(s->heard[q]), free(s->rows[q]), free(s->steps[q]);
        free(s);
        utterances = 0;
    }
#endif
    for (int64_t u = 0; u < utterances && !failed; u++) {
        const pair p = pair_of(&w, u);
        failed = align_one(&w, &p);
    }
    free(w.steps);
    free(w.row);
    return failed;
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
