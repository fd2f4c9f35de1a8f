"""The words of the report; figures come in where braces stand."""

from __future__ import annotations

from typing import Final

__all__ = [
    "FLEETS",
    "HONEST",
    "INTRODUCTION",
    "LIMITS_TEXT",
    "MEASURES_TEXT",
    "PREFIXES_TEXT",
    "READING",
    "SIEGES_TEXT",
    "SIGHTINGS_TEXT",
    "SIX_TEXT",
    "SUPPLIERS_TEXT",
    "WEIGHTS",
]

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
weights, admission, quotas, influence cap and bound, fit and lifecycle are the arena's own
functions; a test holds this simulation against the application on the same ballots, to the last
digit of a weight.
A fleet comes when the honest ballots are cast, with 600 votes in a month of 2,000 and 1,200 in
one of 10,000: far more than a rank costs. Its ids have a network each and 50 votes each, unless
said otherwise, and name models rightly in 95 %. The target stands tenth.

**Struck** means: a finding of a single voter or a campaign passes its stricter threshold, and a
moderator who follows the rule strikes all votes of those it names; campaigns first. No detector
strikes by itself: the ruleset lists none, and this page is the measure by which one could be
listed. **Reported** means that people are asked to look, and might strike these votes too."""

FLEETS: Final = """\
"Votes struck" are those of the fleet, beside them those that showed its target: an id that never
saw the target has done nothing that could be found. "After" is how many votes an id had cast when
it was struck. "Points left" are those of the target on the board computed anew without the struck
votes. "Honest struck" counts voters out of all honest ones with votes enough for the first look at
a single voter, over all months, and their votes, which are lost with them; for campaigns everybody
is looked at.

What places cost is read from boards: the first board on which the target had gained so many. Those
come every 20 votes of a fleet after 2,000 honest ballots, and every 40 after 10,000. An impression
is a ballot shown, voted on or skipped; the other bots vote on every one, so that only the booster
that skips what does not show its model sees more than it votes on. An account-day is a day on
which an id is shown a ballot. A day ends with {votes} votes, {ballots} ballots or {skips} skips,
and ids that are joined share one."""

SUPPLIERS_TEXT: Final = """\
What is one voter, one network or one device to the arena, against models of every place. Halves
are those of the model's interval before the attack, so that at 1 the attack moves a model by half
its interval; nobody is struck here, influence cap and bound alone are at work. "Any model" looks
at all twenty, of which the fleet's other votes move some."""

PREFIXES_TEXT: Final = """\
The fleets above by where their ids come from. To the arena a network is an IPv4 /24 or an IPv6
/64: the ids of a home /16 with a /24 each, and of a /48 with a /64 each, have a network each, and
weigh as ids that share nothing. "Weigh on the board" is before any strike."""

MEASURES_TEXT: Final = """\
The bots that are no fleet in the tables above, by the measures of those tables. Cost is votes /
impressions / account-days, medians. In B5 nobody has a target: places and points are those of the
model that moved most, and points left are those of the model that is furthest from its score
before. In B15 and B16 the comparison is the same board without the bots' votes; B16 is measured on
the target that stood highest at the start, with ids that come back every day. B14 is what all bots
claim: see Weights."""

SIEGES_TEXT: Final = """\
After 2,000 honest ballots {ids} ids a day use up their votes for ten days, beside 100 honest
ballots a day; fifteen days without bots follow. They never pick a middling newcomer best that
enters then, or any Observing model ("killer"), or always pick one of the Observing models best
("maker"). States are looked at once a day. A change is wrong that brings a target to a lower state
(a higher one for the maker) which it keeps out of in the same days without bots; it still stands
where the target's state at the end is another than without bots."""

WEIGHTS: Final = """\
All bots claim the dwell and scrolling of a perfect reader (B14), at a human pace, and honest
voters do not, so as cast a bot's vote weighs more: no rule about values from the browser can
change that, and the weight can only be lowered. What the board counts is the weight after
influence cap, bound and strikes."""

HONEST: Final = """\
Nobody attacks. How many honest voters each detector reports, and how many pass its stricter
threshold, at the fixed looks of 20, 50, 100 and 200 votes (real judges also at 10 and at their
last vote). Subjects of bursts are those who picked the model in that window. "Struck" counts the
voters whom the moderator's rule above would strike. Runs of one label are not judged on the real
votes, whose file has two labels in one order only."""

SIGHTINGS_TEXT: Final = """\
The same bots among 20 models, looked at once, when they have seen their target so many times: what
a test can know of an id is what that id was shown. "Votes it took" says how many votes that is
under the arena's own draw, which shows a model less that is held down; an id stops at 400. Its own
votes are never in the fit it is judged by, and no search for campaigns helps. "`model_agenda`" is
the level at which people are asked to look, one honest voter in a thousand; the stricter level is
one in a million."""

SIX_TEXT: Final = """\
The setting of published comparisons: the six models of the real votes with the strengths that the
judges give them, 2,000 ballots of simulated judges, and every set of four as likely, so that two
votes in three show the target. Looked at after 10, 25 and 50 votes; a row counts what is found at
its look or before. Of bots the shares are given, of honest voters how many."""

LIMITS_TEXT: Final = """\
- All fleets are run in Speed with 2,000 honest ballots. The large month of Speed has the four main
  ones, the booster that skips, one device, one /24 and the slow drip; the small month of Expert the
  four main ones; the large one of Expert B2 and B3. B5, B9 and B15 to B17 are run in the small
  month of Speed. Sieges, pools of B9, the slow drip of 200 ids and single suppliers of the large
  month are run with every second seed.
- A fleet comes after the honest ballots of its month, so honest voters never answer it within the
  month, save in B15 and B16. B15 compares the first day with the last ones, not with mid-month.
- Request limits by address and by /24 or /48 are not simulated, since a bot at a human pace stays
  below them; B13 tries them over HTTP. Nor are captchas: the arena has none, so an outage (B21) is
  one of the store of limits.
- Ids on one device are joined by people, from the start or never. How many a fingerprint would
  join is not simulated: bots decline it, as they may. Over HTTP the sweep names ids by address.
- B10 over HTTP, B13, B18, B20 and B21 are run once, without seeds.
- No account costs anything here but its day: what age, proof of work or money would change is not
  measured."""

READING: Final = """\
- **A fleet is cheap where its ids look unrelated.** Twelve ids from twelve networks take a
  middling model to the top of a board of 2,000 ballots. One id, one device and one /24 are held
  by the influence cap and bound whether anybody finds them or not: by the cap in small months, and
  in large ones, where five per cent of a model's votes outweigh its interval, by the bound. Ids on
  one device that come through several networks are one supplier once people have joined them.
- **A fleet is found as a whole.** Tests of single voters fade as the fleet moves the fit they
  compare with; `campaign` fits fleet and strength together and names almost all of it.
- **Campaigns must be looked for first.** In a fit that a fleet has moved, honest voters look
  careless: in months of B1 and B2 two to seven of seventy honest voters passed a level of one in
  a thousand, and none or one once the campaign's votes were out. So the sweep judges single
  voters by a fit without them, and the stricter threshold of `careless` is one in ten thousand.
  It is still the detector with the most false alarms, and should stay one that only reports.
- **One id alone is found by what it saw, not by its votes.** Where two votes in three show the
  target, as among the six real models, fifty votes are enough for boosters and suppressors of
  every place tried: that aim is met, and no honest voter passes the stricter level of
  `model_agenda`. Among twenty models fifty votes show a middling one some ten times, less often
  while it is Observing, and that aim is missed. It is missed by what can be known, not by the
  test: the level is shared among forty tests, and of a model that is picked best once in six
  showings, five picks of five have chance 3e-4 where 2.5e-5 is asked for a report, and ten of ten
  3e-8 where 2.5e-8 is asked for striking. Ten sightings report nearly all, fifteen to twenty
  strike them, and those take one to two hundred votes: two days at the least. Lower levels would
  strike honest voters whose tastes differ; until then one id is held by the influence cap.
- **A booster moves its model long before that, a suppressor hardly.** Worst picks do not enter
  the fit, so a suppressor only withholds best picks, and moves a tenth to a fifth of what a
  booster does. Alone it is struck a few sightings later, for on four models it may be worst by
  chance as often as best. A fleet of them pushes its target to Observing and sees it less often,
  so that half of it stays below the threshold: that aim is missed for fleets of suppressors. Three
  quarters of their votes are reported, and little is left once those are struck.
- **A short wave by a few is not a burst.** Twelve accounts that each cast four votes for one model
  within six hours raised none: p = 4.7e-4 where 3e-6 is asked, since the level of one in a thousand
  is shared among all windows, models and both picks, and of each account only the first showing in
  a window counts. With four votes they are below the first look of the tests of single voters as
  well; the search for campaigns, shared devices and addresses, and the influence cap are left.
- **Many ids of few votes are seen as one campaign,** though no test of a voter could see them: half
  of 200 ids of three votes are known for members, most others suspected and left to people. Without
  the known ones the target keeps half of its gain, without the suspected ones a tenth; for of an id
  that saw it once nobody is sure, and only a cost of ids (age, proof of work, an account) helps
  further. Where a third of all votes are bots', about one honest voter a month is struck with them.
  A home /16 or an IPv6 /48 gives each id a network of its own, so they do as the fleets above do.
- **Crowds who push a model every second time are reported, not struck,** as are classifiers that
  are right in three cases of five: circles of friends come near them where tastes differ much. Who
  pushes once in four is not caught, and moves a model by a hundred points where nearly a quarter
  of all votes are such.
- **The first day is open.** Below ten voters of a model nobody is capped, below twenty no
  campaign is looked for; scores are provisional then. With the campaign still in the fit, tests of
  single voters name honest voters of that day as well, so nobody should be struck by them before
  the board has its voters. Joining ids can bring a model below ten voters too.
- **Who skips what does not show its model saves votes, not days.** Several places cost fewer votes
  than without skipping, in large months a quarter, but half as many impressions again or twice as
  many, and at least as many account-days: the allowance of skips ends the day of an id long before
  that of votes. Without a cap on skips it would be the cheapest bot. It is found as surely.
- **An answer look-up needs a small pool.** The first-300 rule does not bite at these volumes.
  With 300 questions a look-up works after a thousand votes, with 1,000 it hardly does; a
  stricter number would take the weight of honest votes first."""
