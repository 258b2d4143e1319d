//! Blocks of reasoning before an answer, as servers that do not separate it send them.

use ifs_text::Aspects;

use super::{ALL, Apply, BaseText, Form, FormGroup};

const fn block(
    name: &'static str,
    doc: &'static str,
    example: (&'static str, &'static str),
    apply: fn(&BaseText<'_>) -> Option<String>,
) -> Form {
    Form {
        name,
        group: FormGroup::Reasoning,
        doc,
        example,
        touches: Aspects::NONE,
        subjects: ALL,
        apply: Apply::Text(apply),
    }
}

pub(crate) const FORMS: &[Form] = &[
    block(
        "reasoning_think",
        "Reasoning in the tags that most models use.",
        ("30", "<think>\nLet me see what is needed here. Fine.\n</think>\n\n30"),
        |base| Some(before(base, "<think>\n", "\n</think>\n\n")),
    ),
    block(
        "reasoning_tag",
        "Reasoning in other tags that name it.",
        ("30", "<reasoning>\nLet me see what is needed here. Fine.\n</reasoning>\n\n30"),
        |base| Some(before(base, "<reasoning>\n", "\n</reasoning>\n\n")),
    ),
    block(
        "reasoning_bracket",
        "Reasoning in square brackets.",
        ("30", "[THINK]Let me see what is needed here. Fine.[/THINK]30"),
        |base| Some(before(base, "[THINK]", "[/THINK]")),
    ),
    block(
        "reasoning_channel",
        "Reasoning in a channel of its own.",
        (
            "30",
            "<|channel|>analysis<|message|>Let me see what is needed here. Fine.<|end|>\
             <|start|>assistant<|channel|>final<|message|>30",
        ),
        |base| {
            let after = "<|end|><|start|>assistant<|channel|>final<|message|>";
            Some(before(base, "<|channel|>analysis<|message|>", after))
        },
    ),
];

fn before(base: &BaseText<'_>, opening: &str, closing: &str) -> String {
    format!("{opening}Let me see what is needed here. Fine.{closing}{}", base.text)
}
