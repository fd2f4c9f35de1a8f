"""Pure mathematics: Plackett-Luce, exposure, lifecycle, Glicko-2, archive bytes."""
