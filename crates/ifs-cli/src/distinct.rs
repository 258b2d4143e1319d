//! Distinct dialogues: messages and errors about repeats.

use std::collections::BTreeMap;

use super::exit::CommandError;
use super::load::counted;
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_draw::Drawer;
use ifs_run::{Limit, Selection, SkipReason};

/// `-n`: at least one.
pub(crate) fn count(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(0) => Err("0 would do nothing; write 1 or more".to_owned()),
        Ok(count) => Ok(count),
        Err(_) => Err("expected an integer, as in `-n 20`".to_owned()),
    }
}

/// The maximum number of dialogues that are selected before the first one runs.
pub(crate) const MAX_SELECTED_DIALOGUES: u64 = 1_000_000;

/// `-n` for a selection among drawn dialogues.
pub(crate) fn chosen(text: &str) -> Result<u64, String> {
    match count(text)? {
        count @ ..=MAX_SELECTED_DIALOGUES => Ok(count),
        _ => Err(format!(
            "at most {MAX_SELECTED_DIALOGUES} dialogues are chosen at once; for more, use several `--seed`s"
        )),
    }
}

/// Refuses a selection that quotas, or a limit of likeness, leave too small.
pub(crate) fn selected(wanted: u64, selection: &Selection) -> Result<(), CommandError> {
    let found = selection.dialogues.len() as u64;
    let declared =
        |reason: &SkipReason| matches!(reason, SkipReason::Alike { .. } | SkipReason::Quota(_));
    if found >= wanted || !selection.passed.iter().any(|passed| declared(&passed.reason)) {
        return Ok(());
    }
    Err(CommandError::input(format!(
        "expected {}, found {found} among {} that were drawn ({})",
        counted(usize::try_from(wanted).unwrap_or(usize::MAX), "dialogue"),
        found + selection.passed.len() as u64,
        reasons(selection)
    ))
    .help(format!("relax the release's `quota` or `alike`, or write `-n {found}`")))
}

/// Why dialogues were skipped: "12 over the quota of style `plain`, 3 repeats".
pub(crate) fn reasons(selection: &Selection) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for passed in &selection.passed {
        let words = match &passed.reason {
            SkipReason::Keep => "rejected by `keep`".to_owned(),
            SkipReason::Repeats(_) => "repeats".to_owned(),
            SkipReason::Alike { .. } => "nearly alike".to_owned(),
            SkipReason::Quota(of) => format!("over the quota of {of}"),
            SkipReason::NotNeeded => "without anything that a `cover` lacked".to_owned(),
        };
        *counts.entry(words).or_default() += 1;
    }
    let counts: Vec<String> =
        counts.into_iter().map(|(words, count)| format!("{count} {words}")).collect();
    counts.join(", ")
}

/// Refuses more dialogues than there are distinct ones.
pub(crate) fn require_distinct(
    drawer: &Drawer<'_>,
    wanted: u64,
    limit: Option<Limit>,
) -> Result<(), CommandError> {
    let Some(limit) = limit.filter(|limit| limit.distinct() < wanted) else { return Ok(()) };
    let distinct = limit.distinct();
    let repeats = wanted.div_ceil(distinct.max(1));
    let table = drawer.dialogue().table;
    let why = format!(
        "{wanted} dialogues are requested, but {}: more of them would repeat the same messages",
        distinct_count_text(&table.name, limit)
    );
    let help = format!(
        "leave out `-n` to run each once, or write `-n {distinct}`; for several responses to each \
         turn write `--samples {repeats}`, or `sample {repeats}` in the dialogue"
    );
    let diagnostic = Diagnostic::error(Code::NOTHING_TO_DRAW, &why)
        .label(table.span, "has no more dialogues to draw")
        .help(&help);
    Err(CommandError::input(why).help(help).with_diagnostic(diagnostic, &drawer.plan().sources))
}

/// "the dialogue `a` has 2 distinct texts"
pub(crate) fn distinct_count_text(dialogue: &str, limit: Limit) -> String {
    let texts = |distinct: u64| match distinct {
        1 => "1 distinct text".to_owned(),
        distinct => format!("{distinct} distinct texts"),
    };
    match limit {
        Limit::Exactly(distinct) => format!("the dialogue `{dialogue}` has {}", texts(distinct)),
        Limit::Found { distinct, drawn } => format!(
            "only {} of the dialogue `{dialogue}` {} found among {drawn} that were drawn",
            texts(distinct),
            if distinct == 1 { "was" } else { "were" }
        ),
    }
}

/// What a selection skipped, or what limited it; `None` if every candidate was distinct.
pub(crate) fn selection_note(dialogue: &str, selection: &Selection) -> Option<String> {
    if let Some(limit) = selection.limit {
        return Some(format!("{}; each is run once", distinct_count_text(dialogue, limit)));
    }
    (selection.repeats > 0).then(|| {
        let repeats = counted(usize::try_from(selection.repeats).unwrap_or(usize::MAX), "dialogue");
        format!(
            "{repeats} of `{dialogue}` skipped: they repeat the text of another, so what repeats is \
             rarer here than its share"
        )
    })
}
