/* Memory bandwidth: copy and triad in the manner of STREAM (McCalpin 1995), one JSON object on standard output.
 *
 * Usage: stream ELEMENTS SECONDS
 * ELEMENTS: doubles per array; there are three arrays. SECONDS: the budget; at least three rounds are run.
 * The best round counts. Exit code 2: wrong arguments; 3: no memory; 4: wrong sums.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#ifdef _OPENMP
#include <omp.h>
#endif

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fill(double *restrict a, double *restrict b, double *restrict c, long n) {
    /* Each thread first touches what it will use, so that pages lie on its own NUMA node. */
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; i++) { a[i] = 1.0; b[i] = 2.0; c[i] = 0.0; }
}

static void copy(const double *restrict a, double *restrict c, long n) {
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; i++) c[i] = a[i];
}

static void triad(double *restrict a, const double *restrict b, const double *restrict c, double s, long n) {
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; i++) a[i] = b[i] + s * c[i];
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    const long n = atol(argv[1]);
    const double budget = atof(argv[2]);
    if (n < 1) return 2;
    void *p[3];
    for (int k = 0; k < 3; k++) if (posix_memalign(&p[k], 4096, (size_t)n * sizeof(double))) return 3;
    double *a = p[0], *b = p[1], *c = p[2];
    fill(a, b, c, n);
    double best_copy = 1e30, best_triad = 1e30, expected = 1.0;
    const double begin = now(), s = 0.5;
    int rounds = 0;
    for (; rounds < 3 || now() - begin < budget; rounds++) {
        double start = now();
        copy(a, c, n);
        double middle = now();
        triad(a, b, c, s, n);
        double end = now();
        if (middle - start < best_copy) best_copy = middle - start;
        if (end - middle < best_triad) best_triad = end - middle;
        expected = 2.0 + s * expected;
    }
    if (a[0] != expected || a[n / 2] != expected || a[n - 1] != expected) return 4;
    int threads = 1, openmp = 0;
#ifdef _OPENMP
    threads = omp_get_max_threads();
    openmp = 1;
#endif
    printf("{\"openmp\": %d, \"threads\": %d, \"rounds\": %d, \"copy_seconds\": %.9g, \"triad_seconds\": %.9g}\n",
           openmp, threads, rounds, best_copy, best_triad);
    return 0;
}
