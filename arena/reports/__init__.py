"""Published results: leaderboards, pages, and their verification against the stored matches."""
