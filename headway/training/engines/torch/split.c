/* Products of fp32 matrices on a processor whose fast multiplier takes bfloat16 (Intel AMX).
 *
 * A float is the exact sum of three bfloat16 numbers, x = x1 + x2 + x3 (3 x 8 bits of mantissa). Of the nine products of
 * parts the six largest are summed, in float; what is left out is below 2^-24 of |a||b|, as is the rounding of a float.
 * Source: Henry, Tang and Heinecke, "Leveraging the bfloat16 Artificial Intelligence Datatype For Higher-Precision
 * Computations", 2019 (arXiv:1904.06376), section 2.
 *
 * Each element of the result is summed by one thread in the order of k, so that the number of threads changes no bit.
 */
#include <stdint.h>

#if defined(__AMX_BF16__) && defined(__AVX512BF16__) && defined(__AVX512BW__) && defined(__linux__)

#include <immintrin.h>
#include <omp.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A tile holds 16 rows of 64 bytes: 16 x 32 bfloat16, or 16 x 16 floats. Two by two tiles of the result are made at a
 * time, which leaves four of the eight tiles to the factors. */
enum { TILE = 16, DEPTH = 32, SIDE = 2 * TILE, PARTS = 3, HALF = TILE * DEPTH, UNIT = PARTS * 2 * HALF };
/* So much of k and of the columns of b is split at a time, for all threads; and so many panels of a, by each thread for
 * itself, that they stay in its core's own cache while the panels of b go by. Chosen by measurement on a Xeon with 2 MiB
 * of second cache. */
enum { BLOCK_K = 512, BLOCK_N = 2048, GROUP = 8 };

typedef struct {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
} Tiles;

static int64_t at_most(int64_t value, int64_t limit) { return value < limit ? value : limit; }
static int64_t blocks_of(int64_t count, int64_t size) { return (count + size - 1) / size; }

/* The first part of 32 floats, as bfloat16; `low` and `high` keep what it leaves. */
static inline __m512i take_part(__m512 *low, __m512 *high) {
    const __m512i part = (__m512i)_mm512_cvtne2ps_pbh(*high, *low);
    const __m512i first = _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm512_castsi512_si256(part)), 16);
    const __m512i second = _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(part, 1)), 16);
    *low = _mm512_sub_ps(*low, _mm512_castsi512_ps(first));
    *high = _mm512_sub_ps(*high, _mm512_castsi512_ps(second));
    return part;
}

static inline __mmask16 first_lanes(int64_t count) {
    return (__mmask16)(count >= 16 ? 0xffffu : count <= 0 ? 0u : (1u << count) - 1u);
}

/* Swap rows and columns of 16 x 16 words of 32 bits. */
static inline void transpose(__m512i r[16]) {
    __m512i t[16];
    for (int i = 0; i < 8; i++) {
        t[2 * i] = _mm512_unpacklo_epi32(r[2 * i], r[2 * i + 1]);
        t[2 * i + 1] = _mm512_unpackhi_epi32(r[2 * i], r[2 * i + 1]);
    }
    for (int i = 0; i < 4; i++) {
        r[4 * i] = _mm512_unpacklo_epi64(t[4 * i], t[4 * i + 2]);
        r[4 * i + 1] = _mm512_unpackhi_epi64(t[4 * i], t[4 * i + 2]);
        r[4 * i + 2] = _mm512_unpacklo_epi64(t[4 * i + 1], t[4 * i + 3]);
        r[4 * i + 3] = _mm512_unpackhi_epi64(t[4 * i + 1], t[4 * i + 3]);
    }
    for (int i = 0; i < 4; i++) {
        t[i] = _mm512_shuffle_i32x4(r[i], r[i + 4], 0x88);
        t[i + 4] = _mm512_shuffle_i32x4(r[i], r[i + 4], 0xdd);
        t[i + 8] = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], 0x88);
        t[i + 12] = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], 0xdd);
    }
    for (int i = 0; i < 4; i++) {
        r[i] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0x88);
        r[i + 8] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0xdd);
        r[i + 4] = _mm512_shuffle_i32x4(t[i + 4], t[i + 12], 0x88);
        r[i + 12] = _mm512_shuffle_i32x4(t[i + 4], t[i + 12], 0xdd);
    }
}

/* Split 16 lines of 32 in k into three tiles. In memory either k is next to k (`line_stride` apart are the lines), or
 * the lines are next to each other. A tile of a holds lines of k; a tile of b holds pairs of k, each of 16 lines. */
static void split_tile(const float *from, int64_t line_stride, int64_t k_stride, int64_t lines, int64_t depth,
                       int is_pairs, uint16_t *tile) {
    static const uint16_t pairs[32] __attribute__((aligned(64))) = {0,  16, 1,  17, 2,  18, 3,  19, 4,  20, 5,
                                                                    21, 6,  22, 7,  23, 8,  24, 9,  25, 10, 26,
                                                                    11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
    __m512i low[TILE], high[TILE], parts[PARTS][TILE];
    const int k_is_next = k_stride == 1, is_even = !k_is_next && is_pairs;
    for (int64_t i = 0; i < TILE; i++) {
        /* Of 16 floats each: a line's first and second half, an even and an odd k, or k of the first and second half. */
        const int64_t first = k_is_next ? 0 : is_even ? 2 * i : i, second = k_is_next ? 16 : is_even ? first + 1 : i + 16;
        const float *at = k_is_next ? from + i * line_stride : from;
        const int64_t width = i < lines ? depth : 0;
        low[i] = _mm512_castps_si512(_mm512_maskz_loadu_ps(
            first_lanes(k_is_next ? width : first < depth ? lines : 0), at + first * k_stride));
        high[i] = _mm512_castps_si512(_mm512_maskz_loadu_ps(
            first_lanes(k_is_next ? width - 16 : second < depth ? lines : 0), at + second * k_stride));
    }
    if (!k_is_next && !is_pairs) transpose(low), transpose(high);
    for (int i = 0; i < TILE; i++) {
        __m512 one = _mm512_castsi512_ps(low[i]), other = _mm512_castsi512_ps(high[i]);
        for (int part = 0; part < PARTS; part++) parts[part][i] = take_part(&one, &other);
    }
    for (int part = 0; part < PARTS; part++) {
        if (is_even)
            for (int i = 0; i < TILE; i++)
                parts[part][i] = _mm512_permutexvar_epi16(_mm512_load_si512(pairs), parts[part][i]);
        else if (is_pairs)
            transpose(parts[part]);
        for (int i = 0; i < TILE; i++) _mm512_store_si512(tile + part * 2 * HALF + i * DEPTH, parts[part][i]);
    }
}

/* Split 32 lines (rows of a, columns of b) over `depth` of k: for each 32 of k, part by part, two tiles. */
static void split_panel(const float *from, int64_t line_stride, int64_t k_stride, int64_t lines, int64_t depth,
                        int is_pairs, uint16_t *panel) {
    for (int64_t k = 0; k < depth; k += DEPTH, panel += UNIT)
        for (int half = 0; half < 2; half++)
            split_tile(from + half * TILE * line_stride + k * k_stride, line_stride, k_stride, lines - half * TILE,
                       depth - k, is_pairs, panel + half * HALF);
}

/* Compilers know neither what the instructions on tiles read nor how much. */
static inline void memory_is_read(void) { __asm__ volatile("" ::: "memory"); }

static inline void load_a(const uint16_t *unit, int part) {
    _tile_loadd(4, unit + part * 2 * HALF, 64);
    _tile_loadd(5, unit + part * 2 * HALF + HALF, 64);
}

static inline void load_b(const uint16_t *unit, int part) {
    _tile_loadd(6, unit + part * 2 * HALF, 64);
    _tile_loadd(7, unit + part * 2 * HALF + HALF, 64);
}

static inline void multiply(void) {
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
}

/* Set 32 x 32 of c to a product, or add the product to them. Each BLOCK_K of k is summed by itself, which rounds less
 * than one long sum. */
static void multiply_panels(const uint16_t *a, const uint16_t *b, int64_t units, float *c, int64_t c_stride,
                            int64_t rows, int64_t columns, int is_first) {
    float aside[SIDE * SIDE] __attribute__((aligned(64)));
    const int is_direct = is_first && rows >= SIDE && columns >= SIDE;
    float *const to = is_direct ? c : aside;
    const int64_t stride = is_direct ? c_stride : SIDE, bytes = stride * (int64_t)sizeof(float);
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    /* Between two products of parts one factor changes; the small ones come first. */
    for (int64_t unit = 0; unit < units; unit++, a += UNIT, b += UNIT) {
        load_a(a, 2), load_b(b, 0), multiply();
        load_a(a, 1), multiply();
        load_b(b, 1), multiply();
        load_a(a, 0), multiply();
        load_b(b, 2), multiply();
        load_b(b, 0), multiply();
    }
    _tile_stored(0, to, bytes);
    _tile_stored(1, to + TILE, bytes);
    _tile_stored(2, to + TILE * stride, bytes);
    _tile_stored(3, to + TILE * stride + TILE, bytes);
    if (is_direct) return;
    for (int64_t i = 0; i < rows && i < SIDE; i++)
        for (int64_t j = 0; j < columns && j < SIDE; j += TILE) {
            const __mmask16 lanes = first_lanes(columns - j);
            const __m512 sum = _mm512_load_ps(aside + i * SIDE + j);
            const __m512 before = is_first ? _mm512_setzero_ps() : _mm512_maskz_loadu_ps(lanes, c + i * c_stride + j);
            _mm512_mask_storeu_ps(c + i * c_stride + j, lanes, _mm512_add_ps(before, sum));
        }
}

static void configure(Tiles *before) {
    Tiles tiles = {.palette = 1};
    for (int i = 0; i < 8; i++) tiles.row_bytes[i] = 64, tiles.rows[i] = TILE;
    memory_is_read();
    _tile_storeconfig(before);
    _tile_loadconfig(&tiles);
}

/* Ask the system once for the tiles' registers; 0 where it refuses, or this processor has none. */
int split_is_available(void) {
    const long ask_permission = 0x1023, tile_data = 18;
    return syscall(SYS_arch_prctl, ask_permission, tile_data) == 0;
}

static int64_t panel_of(int64_t k) { return blocks_of(at_most(k, BLOCK_K), DEPTH) * UNIT; }

/* How many bfloat16 numbers of room `split_product` needs. */
int64_t split_room(int64_t n, int64_t k, int64_t threads) {
    return (threads * GROUP + blocks_of(at_most(n, BLOCK_N), SIDE)) * panel_of(k);
}

/* c [m, n] = a [m, k] b [k, n]. Of the strides of each factor one is 1; the room begins at 64 bytes. */
void split_product(const float *a, const float *b, float *c, uint16_t *room, int64_t m, int64_t n, int64_t k,
                   int64_t a_m, int64_t a_k, int64_t b_k, int64_t b_n, int threads) {
    uint16_t *const split_b = room + threads * GROUP * panel_of(k);
    /* Where there are fewer groups of rows than threads, several threads split the same rows for other columns. */
    const int64_t down = blocks_of(m, SIDE), group = at_most(GROUP, blocks_of(down, threads));
    const int64_t groups = blocks_of(down, group), parts = blocks_of(threads, groups);
#pragma omp parallel num_threads(threads)
    {
        uint16_t *const split_a = room + omp_get_thread_num() * GROUP * panel_of(k);
        Tiles before __attribute__((aligned(64)));
        configure(&before);
        for (int64_t k0 = 0; k0 < k; k0 += BLOCK_K)
            for (int64_t n0 = 0; n0 < n; n0 += BLOCK_N) {
                const int64_t depth = at_most(k - k0, BLOCK_K), units = blocks_of(depth, DEPTH), size = units * UNIT;
                const int64_t columns = at_most(n - n0, BLOCK_N), across = blocks_of(columns, SIDE);
#pragma omp for schedule(static)
                for (int64_t j = 0; j < across; j++)
                    split_panel(b + k0 * b_k + (n0 + j * SIDE) * b_n, b_n, b_k, columns - j * SIDE, depth, 1,
                                split_b + j * size);
#pragma omp for schedule(static)
                for (int64_t task = 0; task < groups * parts; task++) {
                    const int64_t first = task / parts * group, after = at_most(first + group, down);
                    const int64_t share = blocks_of(across, parts), part = task % parts;
                    for (int64_t i = first; i < after; i++)
                        split_panel(a + i * SIDE * a_m + k0 * a_k, a_m, a_k, m - i * SIDE, depth, 0,
                                    split_a + (i - first) * size);
                    for (int64_t j = part * share; j < at_most((part + 1) * share, across); j++)
                        for (int64_t i = first; i < after; i++)
                            multiply_panels(split_a + (i - first) * size, split_b + j * size, units,
                                            c + i * SIDE * n + n0 + j * SIDE, n, m - i * SIDE, columns - j * SIDE,
                                            k0 == 0);
                }
            }
        _tile_loadconfig(&before);
    }
}

#else

int split_is_available(void) { return 0; }

#endif
