"""The words of the report; figures come in where braces stand."""

from __future__ import annotations

from typing import Final

__all__ = ["FLEETS", "HONEST", "INTRODUCTION", "READING", "WEIGHTS"]

INTRODUCTION: Final = """\
# Attacks: what bots gain, who finds them, what is left

Bots against simulated voters who are fitted to real votes, under the arena's own rules. All of
this page is written by

```
python -m bench.attacks --write
```

which is seeded: it writes the same figures everywhere. Figures are medians, with the quartiles
behind, over {seeds} seeds, unless said otherwise.

**Honest voters.** The 1,751 pairwise votes of {judges} real judges on six models (MT-bench, Zheng
et al. 2023) are fitted by the arena's own engine for strengths and ties, and by the judges'
marginal likelihood on a grid for the rest: a judge's log-strength of a model is s θ + u with u
normal of standard deviation {taste:.1f} (95 % interval {low:.1f} to {high:.1f}), a decided vote
is blind with chance {lapse}, s = {scale:.1f}, and "About the same" has δ = {tie:.2f} (Davidson
1970). A simulated voter has tastes drawn so, and as many votes as a real judge. Picks of four
follow Plackett-Luce with these strengths, worst picks the inverse weights. What the real votes do
not tell is assumed: "Both bad" {bad}, skips {skip}, a worst pick with {worst} of the best ones,
log-normal reading times around 40 s (Speed) and 90 s (Expert), {skims} skimmers, and one voter in
ten behind a shared network.

**The month.** 20 models 14 points apart, a pool of 300 questions (Speed) or 120 (Expert). Draw,
weights, admission, quotas, influence cap, fit and lifecycle are the arena's own functions; a test
holds this simulation against the application on the same ballots, to the last digit of a weight.
A fleet comes when the honest ballots are cast, with 600 votes in a month of 2,000 and 1,200 in
one of 10,000: far more than a rank costs. Its ids have a network each and 50 votes each, unless
said otherwise, and name models rightly in 95 %. The target stands tenth.

**Struck** means: a finding of a single voter or a campaign passes its stricter threshold, and a
moderator who follows the rule strikes all votes of those it names; campaigns first. No detector
strikes by itself: the ruleset lists none, and this page is the measure by which one could be
listed. **Reported** means that people are asked to look, and might strike these votes too."""

FLEETS: Final = """\
"After" is how many votes an id had cast when it was struck. "Points left" are those of the target
on the board computed anew without the struck votes. In each attacked month {looked_at} honest
voters are looked at one by one, and all of them for campaigns; "honest struck"
counts those lost."""

WEIGHTS: Final = """\
All bots claim the dwell and scrolling of a perfect reader (B14), at a human pace, and honest
voters do not, so as cast a bot's vote weighs more: no rule about values from the browser can
change that, and the weight can only be lowered. What the board counts is the weight after
influence cap and strikes."""

HONEST: Final = """\
Nobody attacks. How many honest voters each detector reports, and how many pass its stricter
threshold, at the fixed looks of 20, 50, 100 and 200 votes (real judges also at 10 and at their
last vote). Subjects of bursts are those who picked the model in that window. "Struck" counts the
voters whom the moderator's rule above would strike. Runs of one label are not judged on the real
votes, whose file has two labels in one order only."""

READING: Final = """\
- **A fleet is cheap where its ids look unrelated.** One id is held by the influence cap: alone,
  whatever it does, it moves a model by less than half its interval. Twelve ids from twelve
  networks take a middling model to the top. The cap by cluster and network, not the tests, is
  what makes one device or one /24 harmless.
- **Campaigns must be looked for first.** In a fit that a fleet has moved, honest voters look
  careless: with chances from that fit, three to seven of seventy honest voters passed the
  stricter threshold of `careless` in months of B1 and B2; with the campaign's votes taken out
  first, none or one. `careless` is the detector with the most false alarms in quiet months as
  well, and should stay one that only reports.
- **Fifty votes are often too few.** With 20 models and four places a middling model is seen in
  some ten of fifty ballots, and in two or three while it is Observing; MT-bench shows it in
  seventeen. The exact chance of ten picks in ten is about one in a million, before twenty models
  and two picks share the level. What is missed at 50 votes is caught at 100 or 200, and what one
  id can do until then is bounded by the cap.
- **Suppressing is hard to see and does little.** Worst picks do not enter the fit; a suppressor
  only withholds best picks, so it moves a tenth of what a booster does.
- **A slow drip of many ids is not caught.** Two hundred ids of three votes each show nothing that
  a test of voters could see. Only a cost of ids (age, proof of work, an account) would help.
- **An answer look-up is held off by the size of the pool.** The first-300 rule does not bite in
  pools of hundreds of questions; a stricter number takes the weight of honest votes."""
