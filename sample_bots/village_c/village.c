/* Play the largest possible bribe in Please Don't Burn My Village! This bot shows the protocol in plain C.
 *
 * A bot may answer with the index of an action in the list `legal`, so it needs no JSON library: it walks over that
 * list, scores each action, and answers with the best index. With few cards it takes the free stall, or draws.
 */
#define _POSIX_C_SOURCE 200809L

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t luck = 1;

/* A random generator (xorshift64*) with the arena's seed: the same match gets the same answers. */
static uint64_t draw_luck(void)
{
    luck ^= luck >> 12;
    luck ^= luck << 25;
    luck ^= luck >> 27;
    return luck * UINT64_C(2685821657736338717);
}

/* Return the number after `"name":` before `end`, or 0. */
static uint64_t number(const char *text, const char *end, const char *name)
{
    const char *found = strstr(text, name);
    return found && found < end ? strtoull(found + strlen(name), NULL, 10) : 0;
}

/* Return the end of the JSON value at `text`: the comma or bracket after it. Brackets inside strings do not count. */
static const char *value_end(const char *text)
{
    int depth = 0, quoted = 0;
    for (; *text; text++) {
        if (quoted) {
            if (*text == '\\' && text[1])
                text++;
            else if (*text == '"')
                quoted = 0;
        } else if (*text == '"') {
            quoted = 1;
        } else if (*text == '{' || *text == '[') {
            depth++;
        } else if (*text == '}' || *text == ']') {
            if (depth-- == 0)
                return text;
        } else if (*text == ',' && depth == 0) {
            return text;
        }
    }
    return text;
}

/* Return the score of an action: a bribe of two or more cards, then the free stall, then a draw, then a purchase. */
static uint64_t mark(const char *action, const char *end)
{
    const char *type = strstr(action, "\"type\":\"");
    if (!type || type >= end)
        return 0;
    type += strlen("\"type\":\"");
    if (*type == 'd')
        return 20;
    if (strncmp(type, "buy", 3) == 0)
        return number(action, end, "\"stall\":") == 0 ? 30 : 10;
    uint64_t cards = number(action, end, "\"cards\":"), wilds = number(action, end, "\"wilds\":");
    return cards + wilds >= 2 ? 40 + cards + wilds : 15;
}

static unsigned choose(const char *legal)
{
    unsigned place = 0, best_place = 0;
    uint64_t best = 0, equals = 0;
    while (*legal && *legal != ']') {
        const char *end = value_end(legal);
        uint64_t value = mark(legal, end);
        if (value > best)
            equals = 0;
        /* Each of several equally good actions is kept with the same probability. */
        if (value >= best && draw_luck() % ++equals == 0)
            best_place = place;
        if (value > best)
            best = value;
        place++;
        legal = *end == ',' ? end + 1 : end;
    }
    return best_place;
}

int main(void)
{
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        if (strncmp(line, "{\"type\":\"hello\"", 15) == 0) {
            /* The bot keeps nothing from one match to the next, so this process may be used again. */
            int ours = strstr(line, "\"game\":\"burn_my_village\"") != NULL;
            puts(ours ? "{\"type\":\"ready\",\"reuse\":true}" : "{\"type\":\"decline\"}");
        } else if (strncmp(line, "{\"type\":\"start\"", 15) == 0) {
            luck = number(line, line + strlen(line), "\"seed\":") | UINT64_C(1) << 60; /* the generator never leaves zero */
        } else if (strncmp(line, "{\"type\":\"turn\"", 14) == 0) {
            const char *legal = strstr(line, "\"legal\":[");
            printf("{\"action\":%u}\n", legal ? choose(legal + strlen("\"legal\":[")) : 0);
        }
        fflush(stdout);
    }
    free(line);
    return 0;
}
