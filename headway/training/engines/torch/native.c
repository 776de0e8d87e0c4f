/* Operations of the model that are bound by memory, each in one pass over its arrays.
 *
 * Compiled twice from this file, once for each type of array: ELEMENT is float or uint16_t (bfloat16), LOAD and STORE
 * convert it, and NAME adds the type to a function's name. Sums are in float. Rows are dealt to threads in equal
 * shares, so that the result depends on the number of threads and on nothing else.
 *
 * N rows, E channels, F MLP channels, V vocabulary, B sequences, T positions, H heads, D head channels.
 */
#ifndef ELEMENT

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __AVX512F__
#include <immintrin.h>
#endif

static inline float bits_to_float(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t float_to_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float load_bf16(uint16_t value) { return bits_to_float((uint32_t)value << 16); }

/* Round to nearest, ties to even; what is not a number stays not a number. */
static inline uint16_t store_bf16(float value) {
    uint32_t bits = float_to_bits(value);
    uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    return (uint16_t)(value != value ? 0x7fc0u : rounded);
}

/* exp(x) to two units in the last place, in arithmetic that a compiler turns into vector instructions; 0 below the
 * normal range, infinity above it, and not a number stays not a number. Coefficients: Cephes library, expf.c (Moshier). */
static inline float exponential(float x) {
    const float turns = rintf(x * 1.44269504088896341f);
    const float r = x - turns * 0.693359375f + turns * 2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    /* Scaled in two steps, since 2^128 is no float though exp(88.7) is one. */
    const float inside = x < -87.3f ? -126.0f : x > 88.8f ? 128.0f : x != x ? 0.0f : turns;
    const int32_t half = (int32_t)inside / 2, rest = (int32_t)inside - half;
    const float scaled = p * bits_to_float((uint32_t)(half + 127) << 23) * bits_to_float((uint32_t)(rest + 127) << 23);
    return x != x ? x : x < -87.3f ? 0.0f : x > 88.72284f ? INFINITY : scaled;
}

/* The levels of NF4: Dettmers et al. 2023, appendix E; as in nf4.py. */
static const float nf4_levels[16] = {
    -1.0f, -0.6961928009986877f, -0.5250730514526367f, -0.39491748809814453f,
    -0.28444138169288635f, -0.18477343022823334f, -0.09105003625154495f, 0.0f,
    0.07958029955625534f, 0.16093020141124725f, 0.24611230194568634f, 0.33791524171829224f,
    0.44070982933044434f, 0.5626170039176941f, 0.7229568362236023f, 1.0f,
};

#ifdef __AVX512F__
/* Write the table's numbers of 16 indices of 4 bits, of 2 or 4 bytes each. */
static inline void look_up_16(__m512i table, const uint8_t *codes, void *out, size_t size_bytes) {
    const __m128i wide = _mm_cvtepu8_epi16(_mm_loadl_epi64((const __m128i *)codes));
    const __m128i upper = _mm_slli_epi16(_mm_srli_epi16(wide, 4), 8);
    const __m128i index = _mm_or_si128(_mm_and_si128(wide, _mm_set1_epi16(15)), upper);
    const __m512i found = _mm512_permutexvar_epi32(_mm512_cvtepu8_epi32(index), table);
    if (size_bytes == 4)
        _mm512_storeu_si512(out, found);
    else
        _mm256_storeu_si256((__m256i *)out, _mm512_cvtepi32_epi16(found));
}
#endif

/* AdamW whose moments are kept in 16 or 8 bits, in one pass; to the last bit what compact.py and moments.py put together
 * from PyTorch's operations, so that products and sums are joined here only where they are there. */
typedef struct {
    float rest1, beta2, rest2, keep, correction2, epsilon, rate;
} adamw_numbers;

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#else
#pragma GCC push_options
#pragma GCC optimize("fp-contract=off")
#endif

static inline void adamw(float *weight, float gradient, float *first, float *second, adamw_numbers n) {
    *first = __builtin_fmaf(n.rest1, gradient - *first, *first);
    *second = __builtin_fmaf(n.rest2 * gradient, gradient, *second * n.beta2);
    const float root = sqrtf(*second / n.correction2) + n.epsilon;
    *weight = *weight * n.keep + n.rate * *first / root;
}

/* 16 bits for each place and step; see moments.py. */
static inline uint32_t mixed_bits(uint32_t place, uint32_t shift) {
    uint32_t mixed = (place * 40503u % 65536u + shift) & 0xffffu;
    mixed = mixed * (2u * mixed + 1u) & 0xffffu;
    mixed = ((mixed << 8) | (mixed >> 8)) & 0xffffu;
    return mixed * (2u * mixed + 1u) & 0xffffu;
}

void adamw_16bit(float *weight, const float *gradient, uint16_t *first, uint16_t *second, const float *numbers,
                          int64_t count, int64_t piece, int64_t step, int threads) {
    adamw_numbers n;
    memcpy(&n, numbers, sizeof n);
    const uint32_t shift = (uint32_t)(step * 27145 % 65536);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t start = 0; start < count; start += piece) {
        const int64_t length = count - start < piece ? count - start : piece;
        float *w = weight + start;
        const float *g = gradient + start;
        uint16_t *m = first + start, *v = second + start;
#pragma omp simd
        for (int64_t i = 0; i < length; i++) {
            float one = load_bf16(m[i]), two = load_bf16(v[i]);
            adamw(w + i, g[i], &one, &two, n);
            const uint32_t more = mixed_bits((uint32_t)i, shift);
            m[i] = (uint16_t)((float_to_bits(one) + more) >> 16);
            v[i] = (uint16_t)((float_to_bits(two) + more) >> 16);
        }
    }
}

/* Codes of a block by the upper 16 bits of its numbers over the largest; returns that one, and changes the numbers. */
static inline float pack_block(float *values, uint8_t *codes, const uint8_t *table, int64_t length) {
    /* Sizes have the order of their bits, and what is no number is above all. */
    uint32_t most = 0;
#pragma omp simd reduction(max : most)
    for (int64_t i = 0; i < length; i++) {
        const uint32_t size = float_to_bits(values[i]) & 0x7fffffffu;
        most = size > most ? size : most;
    }
    const float largest = bits_to_float(most), divisor = largest < 1.17549435e-38f ? 1.17549435e-38f : largest;
#pragma omp simd
    for (int64_t i = 0; i < length; i++) values[i] /= divisor;
    for (int64_t i = 0; i < length; i++) codes[i] = table[float_to_bits(values[i]) >> 16];
    return largest;
}

void adamw_8bit(float *weight, const float *gradient, uint8_t *first, float *first_scales, uint8_t *second,
                         float *second_scales, const float *maps, const uint8_t *tables, const float *numbers,
                         int64_t blocks, int64_t length, int threads) {
    adamw_numbers n;
    memcpy(&n, numbers, sizeof n);
#pragma omp parallel num_threads(threads)
    {
        float *room = malloc(2 * (size_t)length * sizeof *room);
#pragma omp for schedule(static)
        for (int64_t block = 0; block < blocks; block++) {
            const int64_t start = block * length;
            float *ones = room, *twos = room + length;
            for (int64_t i = 0; i < length; i++) {
                ones[i] = maps[first[start + i]] * first_scales[block];
                twos[i] = maps[256 + second[start + i]] * second_scales[block];
            }
#pragma omp simd
            for (int64_t i = 0; i < length; i++) adamw(weight + start + i, gradient[start + i], ones + i, twos + i, n);
            first_scales[block] = pack_block(ones, first + start, tables, length);
            second_scales[block] = pack_block(twos, second + start, tables + 65536, length);
        }
        free(room);
    }
}

#ifndef __clang__
#pragma GCC pop_options
#endif

static inline float same(float value) { return value; }

#define ELEMENT float
#define LOAD same
#define STORE same
#define NAME(function) function##_fp32
#include "native.c"
#undef ELEMENT
#undef LOAD
#undef STORE
#undef NAME

#define ELEMENT uint16_t
#define LOAD load_bf16
#define STORE store_bf16
#define NAME(function) function##_bf16
#include "native.c"

#else

/* y = round(x / rms(x)) * round(weight), as Hugging Face rounds it; keeps 1 / rms of each row. */
void NAME(rms_norm_forward)(const ELEMENT *x, const float *weight, ELEMENT *y, float *inverse, int64_t rows,
                            int64_t channels, float epsilon, int threads) {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t row = 0; row < rows; row++) {
        const ELEMENT *in = x + row * channels;
        ELEMENT *out = y + row * channels;
        float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
        for (int64_t i = 0; i < channels; i++) sum += LOAD(in[i]) * LOAD(in[i]);
        const float scale = 1.0f / sqrtf(sum / (float)channels + epsilon);
        inverse[row] = scale;
#pragma omp simd
        for (int64_t i = 0; i < channels; i++)
            out[i] = STORE(LOAD(STORE(LOAD(in[i]) * scale)) * LOAD(STORE(weight[i])));
    }
}

/* `partial` holds the threads' shares of the weight's gradient, [threads, channels], and comes in as zeros. */
void NAME(rms_norm_backward)(const ELEMENT *grad, const ELEMENT *x, const float *weight, const float *inverse,
                             ELEMENT *grad_x, float *partial, int64_t rows, int64_t channels, int threads) {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t share = 0; share < threads; share++) {
        float *sums = partial + share * channels;
        const int64_t first = rows * share / threads, last = rows * (share + 1) / threads;
        for (int64_t row = first; row < last; row++) {
            const ELEMENT *g = grad + row * channels, *in = x + row * channels;
            ELEMENT *out = grad_x + row * channels;
            const float scale = inverse[row];
            float along = 0.0f;
#pragma omp simd reduction(+ : along)
            for (int64_t i = 0; i < channels; i++) along += LOAD(g[i]) * weight[i] * LOAD(in[i]);
            along *= scale * scale / (float)channels;
#pragma omp simd
            for (int64_t i = 0; i < channels; i++) {
                const float value = LOAD(in[i]), given = LOAD(g[i]);
                sums[i] += given * value * scale;
                out[i] = STORE((given * weight[i] - value * along) * scale);
            }
        }
    }
}

void NAME(swiglu_forward)(const ELEMENT *gate, const ELEMENT *up, ELEMENT *y, int64_t count, int threads) {
#pragma omp parallel for simd schedule(static) num_threads(threads)
    for (int64_t i = 0; i < count; i++) {
        const float value = LOAD(gate[i]);
        y[i] = STORE(LOAD(STORE(value / (1.0f + exponential(-value)))) * LOAD(up[i]));
    }
}

void NAME(swiglu_backward)(const ELEMENT *grad, const ELEMENT *gate, const ELEMENT *up, ELEMENT *grad_gate,
                           ELEMENT *grad_up, int64_t count, int threads) {
#pragma omp parallel for simd schedule(static) num_threads(threads)
    for (int64_t i = 0; i < count; i++) {
        const float value = LOAD(gate[i]), given = LOAD(grad[i]);
        const float sigmoid = 1.0f / (1.0f + exponential(-value));
        grad_up[i] = STORE(given * value * sigmoid);
        grad_gate[i] = STORE(given * LOAD(up[i]) * sigmoid * (1.0f + value * (1.0f - sigmoid)));
    }
}

/* Turn channel i against channel i + half by the angle of (position, i); sign -1 turns back. x is [B, T, H, D]. */
void NAME(rotate)(const ELEMENT *x, const float *cosines, const float *sines, ELEMENT *y, int64_t sequences,
                  int64_t positions, int64_t heads, int64_t half, float sign, int threads) {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t token = 0; token < sequences * positions; token++) {
        const float *cosine = cosines + token % positions * half, *sine = sines + token % positions * half;
        for (int64_t head = 0; head < heads; head++) {
            const ELEMENT *in = x + (token * heads + head) * 2 * half;
            ELEMENT *out = y + (token * heads + head) * 2 * half;
#pragma omp simd
            for (int64_t i = 0; i < half; i++) {
                const float first = LOAD(in[i]), second = LOAD(in[half + i]), turn = sign * sine[i];
                out[i] = STORE(first * cosine[i] - second * turn);
                out[half + i] = STORE(second * cosine[i] + first * turn);
            }
        }
    }
}

/* Turn logits [N, V] in place into softmax - onehot, rows of `ignored` targets into zeros; losses in nats per row. */
void NAME(cross_entropy)(ELEMENT *logits, const int64_t *targets, float *losses, int64_t rows, int64_t vocabulary,
                         int64_t ignored, int threads) {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t row = 0; row < rows; row++) {
        ELEMENT *line = logits + row * vocabulary;
        const int64_t target = targets[row];
        if (target == ignored || target < 0 || target >= vocabulary) {
            memset(line, 0, (size_t)vocabulary * sizeof *line);
            losses[row] = target == ignored ? 0.0f : NAN;
            continue;
        }
        const float wanted = LOAD(line[target]);
        float largest = -INFINITY, sum = 0.0f;
#pragma omp simd reduction(max : largest)
        for (int64_t i = 0; i < vocabulary; i++) {
            const float value = LOAD(line[i]);
            largest = value > largest ? value : largest;
        }
#pragma omp simd reduction(+ : sum)
        for (int64_t i = 0; i < vocabulary; i++) sum += exponential(LOAD(line[i]) - largest);
        const float level = largest + logf(sum);
        losses[row] = level - wanted;
#pragma omp simd
        for (int64_t i = 0; i < vocabulary; i++) line[i] = STORE(exponential(LOAD(line[i]) - level));
        line[target] = STORE(exponential(wanted - level) - 1.0f);
    }
}

/* A matrix from codes of 4 bits, the even column in the lower half of a byte; constants of blocks are in parts of 255 of
 * their row's scale. */
void NAME(nf4_expand)(const uint8_t *codes, const uint8_t *constants, const float *scales, ELEMENT *weight, int64_t rows,
                      int64_t columns, int64_t blocks, int threads) {
    const int64_t width = (columns + 1) / 2, block = columns / blocks;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t row = 0; row < rows; row++) {
        const uint8_t *in = codes + row * width;
        ELEMENT *out = weight + row * columns;
        const float unit = scales[row] / 255.0f;
        for (int64_t number = 0; number < blocks; number++) {
            const float held = (float)constants[row * blocks + number] * unit;
            ELEMENT values[16];
            for (int level = 0; level < 16; level++) values[level] = STORE(nf4_levels[level] * held);
            int64_t i = number * block;
#ifdef __AVX512F__
            /* Sixteen at a time: compilers make gathers from memory of what is a permutation of one register. */
            int32_t table[16] = {0};
            for (int level = 0; level < 16; level++) memcpy(&table[level], &values[level], sizeof(ELEMENT));
            for (; block % 16 == 0 && i < (number + 1) * block; i += 16)
                look_up_16(_mm512_loadu_si512(table), in + i / 2, out + i, sizeof(ELEMENT));
#endif
            for (; i < (number + 1) * block; i++) out[i] = values[in[i / 2] >> (i % 2 * 4) & 15];
        }
    }
}

#endif
