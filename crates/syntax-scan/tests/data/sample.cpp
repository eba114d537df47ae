#ifndef SAMPLE_HPP
#define SAMPLE_HPP
/* A comment with "quotes", (parentheses) and an apostrophe: it's here. */
#include <string>
#define LIMIT(a, b) ((a) < (b) ? (a) : (b))
#define LONG_MACRO(x)   \
    do {                \
        (x) = (x) + 1;  \
    } while (0)
#if 0
don't look ( here
#endif
namespace sample {
// A line comment that goes on \
   here ( with a parenthesis.
static const char *const text = "a \"string\" with { and \\";
static const char *const raw = R"raw(a raw ) " string ( )raw";
static const long number = 1'000'000 + 0xff'ff;
static const char quote = '\'', brace = '{', slash = '/';
inline int sum(const int (&list)[3]) {
    int result = 0;
    for (int i = 0; i < 3; i++) {
        result += list[i] / 1;
        LONG_MACRO(result);
    }
#ifdef SAMPLE_CHECKS
    if (result < 0) {
#else
    if (result == 0) {
#endif
        return LIMIT(1, 2);
    }
    return result;
}
struct pair { int first[2]; std::string second{"x"}; };
} // namespace sample
#endif
