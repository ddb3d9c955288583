/* The fastest possible bot: it answers every turn with the first legal action, without parsing the message. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char line[1 << 20];

int main(void) {
    size_t length = 0;
    for (;;) {
        ssize_t got = read(0, line + length, sizeof line - length);
        if (got <= 0) return 0;
        length += (size_t)got;
        while (length > 0) {
            char *end = memchr(line, '\n', length);
            if (end == NULL) break;
            const char *answer = "";
            if (strncmp(line, "{\"type\":\"hello\"", 15) == 0) answer = "{\"type\":\"ready\",\"reuse\":true}\n";
            if (strncmp(line, "{\"type\":\"turn\"", 14) == 0) answer = "{\"action\":0}\n";
            if (*answer && write(1, answer, strlen(answer)) < 0) return 1;
            length -= (size_t)(end + 1 - line);
            memmove(line, end + 1, length);
        }
    }
}
