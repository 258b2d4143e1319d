//! `ifs draw --variety`: how often users repeat themselves.

use super::exit::CommandError;
use ifs_base::parallel::{in_order, workers};
use ifs_draw::preview::{OverDialogues, Variety, VarietyMeasure};
use ifs_draw::{DrawError, Drawer, Seed};

pub(super) fn measured(
    drawer: &Drawer<'_>,
    (seed, turns): (Seed, u32),
    mut dialogues: impl Iterator<Item = u64> + Send,
) -> Result<Variety, CommandError> {
    let mut measure = VarietyMeasure::default();
    in_order(
        workers(),
        || Ok::<_, CommandError>(dialogues.next()),
        |index| {
            let script = drawer.script(seed, index).take(turns as usize);
            let said: Result<Vec<String>, DrawError> =
                script.map(|turn| turn.map(|turn| turn.ask)).collect();
            (index, said)
        },
        |(index, said)| {
            measure.add(index, &said?);
            Ok(())
        },
    )?;
    Ok(measure.finish())
}

pub(super) fn variety_text(found: &Variety) -> String {
    let Variety { dialogues, messages, tokens, distinct: [one, two, three], .. } = found;
    let mut text = format!(
        "dialogues: {dialogues}   user messages: {messages}   tokens (words and marks): {tokens}\n\n\
         distinct n-grams per token: 1: {one:.4}   2: {two:.4}   3: {three:.4}\n"
    );
    let mut row = |what: &str, over: &OverDialogues, digits: usize| {
        let OverDialogues { mean, most, dialogue, example } = over;
        text.push_str(&format!("\n{what}: mean {mean:.digits$}, most {most:.digits$}"));
        if !example.is_empty() {
            text.push_str(&format!(", in dialogue number {dialogue}:\n  {}", one_line(example)));
        }
        text.push('\n');
    };
    row("longest span that two messages of a dialogue share, in tokens", &found.longest_span, 1);
    row("two most alike messages of a dialogue (Jaccard of 3-grams)", &found.nearest_pair, 2);
    row(
        "most frequent sentence of a dialogue (numbers and quoted words aside), times",
        &found.repeated_sentence,
        1,
    );
    text
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
