/* BOT_NAME: plays any game of the arena with random actions. Improve `choose`.
 *
 * The arena starts this program and exchanges lines of JSON with it: one message a line on standard input, one answer a
 * line on standard output. Print nothing else to standard output. Standard error is stored and shown after a failure.
 * The JSON functions below are enough to find a value in a message; you can use a library instead. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first character after the JSON value that begins at `at`. The arena sends no spaces between values. */
static const char *after_value(const char *at) {
    int depth = 0;
    do {
        if (*at == '"') {
            for (at++; *at != '"'; at++)
                if (*at == '\\') at++;
            at++;
        } else if (*at == '{' || *at == '[') {
            depth++;
            at++;
        } else if (*at == '}' || *at == ']') {
            depth--;
            at++;
        } else if (depth > 0 && strchr(",:", *at)) {
            at++;
        } else {
            at += strcspn(at, ",:]}\n");
        }
    } while (depth > 0 && *at && *at != '\n');
    return at;
}

/* The value of a key of the object that begins at `object`, or NULL. */
static const char *member(const char *object, const char *key) {
    size_t length = strlen(key);
    const char *at = object + 1;
    while (*at == '"') {
        const char *value = after_value(at) + 1; /* past the colon */
        if (strncmp(at + 1, key, length) == 0 && at[1 + length] == '"') return value;
        at = after_value(value);
        if (*at == ',') at++;
    }
    return NULL;
}

/* The number of entries of the array that begins at `array`. */
static int entries(const char *array) {
    int count = 0;
    for (const char *at = array + 1; *at != ']'; count++) {
        at = after_value(at);
        if (*at == ',') at++;
    }
    return count;
}

/* Random numbers from the seed of the match make it repeatable (the generator is splitmix64). */
static uint64_t luck;

static uint64_t draw(void) {
    uint64_t mixed = (luck += 0x9e3779b97f4a7c15u);
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
}

/* Return the index of the action to play. `observation` is all that your seat may know, `legal` the array of allowed
   actions. For the fields of an observation see `arena game show GAME --rules`, section Observation. */
static int choose(const char *observation, const char *legal) {
    (void)observation;
    return (int)(draw() % (uint64_t)entries(legal));
}

int main(void) {
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        const char *type = member(line, "type");
        if (type == NULL) continue;
        if (strncmp(type, "\"hello\"", 7) == 0) {
            /* "reuse" means that this process may play further matches, because it carries nothing over from one match
             * to the next. If you do not play the game, answer {"type":"decline"}. */
            puts("{\"type\":\"ready\",\"reuse\":true}");
        } else if (strncmp(type, "\"start\"", 7) == 0) {
            luck = strtoull(member(line, "seed"), NULL, 10); /* a new match */
        } else if (strncmp(type, "\"turn\"", 6) == 0) {
            printf("{\"action\":%d}\n", choose(member(line, "observation"), member(line, "legal")));
        } /* "end" reports the result and needs no answer */
        fflush(stdout);
    }
    free(line);
    return 0;
}
