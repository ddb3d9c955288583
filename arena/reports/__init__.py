"""What is published: leaderboards, pages, and the proof that they come from the stored matches."""
