"""Computes what `ifs report` and `ifs compare` print again, from the rows of their CSV.

`compare_statistics.py NAME…` reads NAME.json (a comparison) and NAME-1.csv, NAME-1.json, … of its runs.
"""

import csv
import json
import sys
from collections import defaultdict
from fractions import Fraction

import numpy as np
from lifelines import KaplanMeierFitter, NelsonAalenFitter
from lifelines.statistics import logrank_test
from scipy import stats
from statsmodels.api import OLS
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

RUNS = (1, 2, 3)
EXACT = 1e-9
checked = defaultdict(int)


def near(what, found, wanted, within=EXACT):
    if found is None or not abs(found - wanted) <= within * max(1.0, abs(wanted)):
        sys.exit(f"{what}: ifs has {found}, {wanted} is expected")
    checked[what.split(":")[0]] += 1


class Run:
    """The shares of instructions that were followed, by dialogue and turn."""

    def __init__(self, name):
        self.report = json.load(open(f"{name}.json"))
        outcomes = defaultdict(list)
        self.endings = {}
        for row in csv.DictReader(open(f"{name}.csv")):
            assert row["outcome"] in ("held", "missed"), row
            at = (int(row["index"]), int(row["turn"]))
            outcomes[at].append(row["outcome"] == "held")
            self.endings[at[0]] = row["ending"]
        self.shares = {at: Fraction(sum(held), len(held)) for at, held in sorted(outcomes.items())}
        self.dialogues = sorted({index for index, _ in self.shares})

    def turns(self, index):
        return [share for (at, _), share in self.shares.items() if at == index]

    def lives(self):
        last = [max(turn for at, turn in self.shares if at == index) for index in self.dialogues]
        return last, [self.endings[index] == "patience" for index in self.dialogues]

    def sums(self, metric):
        """What each dialogue adds to the two sums of a metric."""
        found = []
        for index in self.dialogues:
            turns = self.turns(index)
            held = sum(share == 1 for share in turns)
            found.append({
                "CSR": (float(sum(turns)), len(turns)),
                "ISR": (held, len(turns)),
                "ROB": (held / len(turns), 1),
                "EDR_len": (len(turns), 1),
                "EDR_acc": (float(sum(turns)), 1),
            }[metric])
        return np.array(found, dtype=float)


def scores(run):
    metrics = {metric["name"]: metric for metric in run.report["metrics"]}
    groups = [index for index, _ in run.shares]
    for name, values in (
        ("CSR", [float(share) for share in run.shares.values()]),
        ("ISR", [float(share == 1) for share in run.shares.values()]),
    ):
        # A mean of turns with errors clustered by dialogue is a regression on a constant.
        fit = OLS(values, np.ones(len(values))).fit(cov_type="cluster", cov_kwds={"groups": groups})
        near(f"clustered error: {name}", metrics[name]["value"], fit.params[0])
        near(f"clustered error: {name}", metrics[name]["standard_error"], fit.bse[0])
    for name in ("ROB", "EDR_len", "EDR_acc"):
        terms = run.sums(name)[:, 0]
        near(f"mean over dialogues: {name}", metrics[name]["value"], terms.mean())
        near(f"mean over dialogues: {name}", metrics[name]["standard_error"], stats.sem(terms))
    for name, metric in metrics.items():
        if name not in ("CSR", "ISR", "ROB", "EDR_len", "EDR_acc"):
            continue
        value, error, freedom = metric["value"], metric["standard_error"], metric["distinct"] - 1
        student = stats.t.ppf(0.975, freedom)
        lower, upper = value - student * error, value + student * error
        if not name.startswith("EDR"):
            # Korn and Graubard: the exact interval for the number of observations with this error.
            widened = error * student / stats.norm.ppf(0.975)
            of = value * (1 - value) / widened**2 if error > 0 else freedom + 1
            held = value * of
            lower = stats.beta.ppf(0.025, held, of - held + 1) if value > 0 else 0.0
            upper = stats.beta.ppf(0.975, held + 1, of - held) if value < 1 else 1.0
        near(f"interval: {name}", metric["interval"]["lower"], lower)
        near(f"interval: {name}", metric["interval"]["upper"], upper)


def survival(run):
    turns, lost = run.lives()
    fit = KaplanMeierFitter().fit(turns, lost)
    for point in run.report["survival"]:
        near("Kaplan-Meier", point["patient"], fit.predict(point["turn"]))
        if point.get("interval"):
            row = fit.confidence_interval_.loc[: point["turn"]].iloc[-1]
            near("Greenwood's interval", point["interval"]["lower"], row.iloc[0])
            near("Greenwood's interval", point["interval"]["upper"], row.iloc[1])


def pair(found, one, other):
    both = [at for at in one.shares if at in other.shares]
    by_dialogue = defaultdict(list)
    for at in both:
        by_dialogue[at[0]].append((one.shares[at], other.shares[at]))
    differences = {
        index: sum(a for a, _ in turns) / len(turns) - sum(b for _, b in turns) / len(turns)
        for index, turns in by_dialogue.items()
    }
    signs = [(one.shares[at] == 1, other.shares[at] == 1) for at in both]
    first, second = signs.count((True, False)), signs.count((False, True))
    assert (found["mcnemar"]["first_only"], found["mcnemar"]["second_only"]) == (first, second)
    if all(len(turns) == 1 for turns in by_dialogue.values()):
        table = [[signs.count((True, True)), first], [second, signs.count((False, False))]]
        near("McNemar, exact", found["mcnemar"]["p"], mcnemar(table, exact=True).pvalue)
    elif first + second:
        excess = [
            sum((a == 1) - (b == 1) for a, b in turns) / len(turns) for turns in by_dialogue.values()
        ]
        statistic = sum(excess) ** 2 / sum(it * it for it in excess)
        near("McNemar, clustered", found["mcnemar"]["p"], stats.chi2.sf(statistic, 1))
    wilcoxon(found["wilcoxon"], [it for it in differences.values() if it])
    if found["log_rank"]:
        (turns, lost), (others, others_lost) = one.lives(), other.lives()
        wanted = logrank_test(turns, others, lost, others_lost)
        near("log-rank", found["log_rank"]["statistic"], wanted.test_statistic)
        near("log-rank", found["log_rank"]["p"], wanted.p_value)
        # The excess of each dialogue is its martingale residual under the hazard of both runs.
        both = NelsonAalenFitter(nelson_aalen_smoothing=False).fit([*turns, *others], [*lost, *others_lost])
        hazard = both.cumulative_hazard_.iloc[:, 0]
        excess = lambda turns, lost: np.array(lost) - hazard.loc[turns].to_numpy()
        pairs = excess(turns, lost) - excess(others, others_lost)
        near("log-rank, paired", found["log_rank"]["paired_statistic"], pairs.sum() ** 2 / (pairs**2).sum())
        near("log-rank, paired", found["log_rank"]["paired_p"], stats.chi2.sf(pairs.sum() ** 2 / (pairs**2).sum(), 1))


def wilcoxon(found, differences):
    if not differences:
        return
    # Fractions, so that equal differences are ties.
    order = {size: at for at, size in enumerate(sorted({abs(it) for it in differences}))}
    whole = np.array([(order[abs(it)] + 1) * (1 if it > 0 else -1) for it in differences], dtype=float)
    ranks = stats.rankdata(abs(whole))
    near("Wilcoxon: sum", found["plus"], ranks[whole > 0].sum())
    if len(whole) <= 13:
        positive = lambda signed: ranks[np.asarray(signed) > 0].sum()
        wanted = stats.permutation_test((whole,), positive, permutation_type="samples", n_resamples=np.inf)
        near("Wilcoxon, exact with ties", found["two_sided"], wanted.pvalue)
    elif found["method"] == "normal":
        wanted = stats.wilcoxon(whole, correction=True, method="asymptotic")
        near("Wilcoxon, normal", found["two_sided"], wanted.pvalue)
    elif len(order) == len(whole):
        near("Wilcoxon, exact", found["two_sided"], stats.wilcoxon(whole, method="exact").pvalue)


def metric(standing, runs):
    name = standing["metric"]
    if name not in ("CSR", "ISR", "ROB", "EDR_len", "EDR_acc"):
        return
    for found in standing["pairs"]:
        sides = [next(at for at in RUNS if standing["values"][at - 1]["run"] == found[side]) for side in ("one", "other")]
        one, other = (runs[at].sums(name) for at in sides)

        def difference(a, b, c, d, axis=-1):
            return np.sum(a, axis) / np.sum(b, axis) - np.sum(c, axis) / np.sum(d, axis)

        columns = (one[:, 0], one[:, 1], other[:, 0], other[:, 1])
        near(f"difference: {name}", found["difference"], difference(*columns))
        if len(one) <= 12:
            near(f"randomization, exact: {name}", found["p"], exchanged(one, other))
        texts = len(one)
        outside = stats.norm.sf(np.sqrt(texts / (texts - 1)) * stats.t.ppf(0.975, texts - 1))
        wanted = stats.bootstrap(
            columns, difference, paired=True, method="percentile", n_resamples=20_000,
            confidence_level=1 - 2 * outside, vectorized=True, rng=np.random.default_rng(1),
        )
        interval = wanted.confidence_interval
        if found["interval"] is None:
            assert wanted.standard_error < 1e-12, found
            continue
        for end in ("lower", "upper"):
            # An end of 1,999 resamples has an error of about a tenth of the standard error.
            within = 0.4 * max(wanted.standard_error, 1e-9)
            near(f"paired bootstrap: {name}", found["interval"][end], getattr(interval, {"lower": "low", "upper": "high"}[end]), within)
    adjusted = multipletests([it["p"] for it in standing["pairs"]], method="holm")[1]
    for found, wanted in zip(standing["pairs"], adjusted):
        near("Holm", found["adjusted_p"], wanted)


def exchanged(one, other):
    """The share of all exchanges of texts with at least as large a difference."""
    texts = len(one)
    signs = (np.arange(2**texts)[:, None] >> np.arange(texts)) & 1 == 1
    sums = lambda mine, theirs: np.where(signs[:, :, None], theirs, mine).sum(axis=1)
    (a, b), (c, d) = sums(one, other).T, sums(other, one).T
    differences = abs(a / b - c / d)
    return np.mean(differences >= differences[0] - 1e-12)


def correlations(table):
    rows = [[np.nan if cell is None else cell for cell in row["cells"]] for row in table["rows"]]
    columns = np.array(rows, dtype=float).T
    for column, found in zip(columns, table["columns"]):
        if found.get("pearson") is not None:
            near("Pearson", found["pearson"], stats.pearsonr(column, columns[-1]).statistic)
            near("Spearman", found["spearman"], stats.spearmanr(column, columns[-1]).statistic)


for name in sys.argv[1:]:
    runs = {at: Run(f"{name}-{at}") for at in RUNS}
    comparison = json.load(open(f"{name}.json"))
    for run in runs.values():
        scores(run)
        survival(run)
    pairs = [(1, 2), (1, 3), (2, 3)]
    for found, (one, other) in zip(comparison["pairs"], pairs, strict=True):
        pair(found, runs[one], runs[other])
    for standing in comparison["metrics"]:
        metric(standing, runs)
    for table in comparison.get("parts", []):
        correlations(table)
for what, count in sorted(checked.items()):
    print(f"ok: {what}: {count} numbers")
