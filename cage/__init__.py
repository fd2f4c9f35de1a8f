"""The prompt-injection duel: queue, referee, verdict, ratings."""
