//! Writes user messages from the contents of a turn.

use std::borrow::{Borrow, Cow};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock};

use super::InstructionChange;
use super::state::Active;
use ifs_model::table::{Change, Constraint, DecidedBy, Dialogue, Move, RelationKind, Speaker};
use ifs_parts::template::{
    ANSWER_TEMPLATE, DemandForm, OWN_DEMANDS, OWN_PHRASES, OWN_VOICES, PHRASE_BANKS, PhraseBank,
    TEMPLATES, Template, TemplateFault, TemplateFields, Templates, VOICES,
};
use ifs_plan::Plan;
use ifs_predicate::record::Record;
use ifs_predicate::shared::SharedText;
use ifs_predicate::value::Value;
use ifs_value::stable_hash::{mix, name_number};

/// The fields of a change in templates, sorted by name.
static CHANGE_FIELDS: LazyLock<Arc<[String]>> = LazyLock::new(|| {
    ["before", "change", "do", "modify", "note", "redo", "say", "undo", "withdraw"]
        .map(str::to_owned)
        .into()
});

/// The contents of a turn's user message.
pub struct MessageInput<'a> {
    pub transition: Move,
    /// The written turn; `None` in a flow of topics.
    pub written: Option<WrittenTurn<'a>>,
    pub turn: u32,
    pub topic: &'a Value,
    /// Turns on this topic so far, with this one.
    pub topic_turns: u32,
    /// The style's record, or an absent value.
    pub style: &'a Value,
    pub changes: &'a [InstructionChange],
    pub active_constraints: &'a [Arc<Active>],
    /// The constraints that the user repeats, since the dialogue has returned to their topic.
    pub again: &'a [Arc<Active>],
    /// Chooses between equally good phrases.
    pub dice: u64,
    /// The same on every turn of a dialogue: it determines the rotation of phrases.
    pub dialogue_dice: u64,
}

/// A written turn, as far as its message depends on it.
pub struct WrittenTurn<'a> {
    /// The value of its `ask`, if it has one.
    pub ask: Option<&'a str>,
    pub relations: Vec<(RelationKind, Vec<EarlierMessage<'a>>)>,
    /// The constraint that defines each relation, if there is one.
    pub meanings: Vec<Option<Active>>,
    /// Whether it is a move of a flow of topics.
    pub moves: bool,
    /// The wording of its requirements, which are the only message of a turn without `ask`.
    pub required: Vec<&'a str>,
}

/// An earlier turn that a turn relates to.
#[derive(Clone, Debug)]
pub struct EarlierMessage<'a> {
    pub turn: u32,
    pub name: &'a str,
    /// Its subject, as the user refers to it.
    pub about: String,
}

/// Writes the user message of a turn: with templates here, or with a language model.
pub trait MessageWriter {
    type Fault;

    fn word(&self, words: &MessageInput<'_>) -> Result<String, Self::Fault>;
}

/// The wordings that splits hold out.
#[derive(Clone, Copy, Debug, Default)]
pub struct HeldWords<'t> {
    /// Not used.
    pub without: &'t [String],
    /// Used alone in a list that has one of them.
    pub only: &'t [String],
}

impl HeldWords<'_> {
    fn choose(self, texts: &mut Vec<String>) {
        if texts.iter().any(|text| self.only.contains(text)) {
            texts.retain(|text| self.only.contains(text));
        }
        if !self.without.is_empty() {
            texts.retain(|text| !self.without.contains(text));
        }
    }
}

/// User messages from templates.
pub struct MessageTemplates {
    templates: Templates,
    /// The constraints' own sentences, by name. Only looked up and never iterated, so the order of
    /// hashes has no effect.
    sentences: HashMap<String, Sentences>,
    voices: Value,
    /// The scenario's own phrases, for its templates.
    phrases: Value,
    /// Whether the scenario has its own template for a return to a topic.
    own_return: bool,
    /// Whether a template of the scenario writes the golden answers.
    answers: bool,
}

/// The maximum number of fields of user message templates.
const MAX_FIELDS: usize = 14;

/// The purpose of a constraint's sentence.
#[derive(Clone, Copy)]
enum SentencePurpose {
    Judge,
    Say,
    Change,
    Withdraw,
    /// In a form that the scenario defines.
    Own(DemandForm),
}

/// The alternatives for each of a constraint's sentences.
struct Sentences {
    /// The question to a judge, if there is one and the constraint defines a relation.
    judge: Vec<Template>,
    say: Vec<Template>,
    change: Vec<Template>,
    withdraw: Vec<Template>,
    /// The scenario's own sentences, by form.
    own: [Vec<Template>; 4],
}

impl MessageTemplates {
    /// The templates of a dialogue.
    pub fn compile(
        plan: &Plan,
        table: &Dialogue,
    ) -> Result<MessageTemplates, (String, TemplateFault)> {
        let held = HeldWords { without: &table.without_words, only: &table.only_words };
        MessageTemplates::new(plan, &table.words, held)
    }

    /// Compiles all templates once. `own` overrides built-in ones.
    pub fn new(
        plan: &Plan,
        own: &BTreeMap<String, String>,
        held: HeldWords<'_>,
    ) -> Result<MessageTemplates, (String, TemplateFault)> {
        let mut sources: BTreeMap<String, String> = BTreeMap::new();
        for (name, text) in TEMPLATES {
            sources.insert((*name).to_owned(), (*text).to_owned());
        }
        let is_template = |name: &&String| !PHRASE_BANKS.contains(&name.as_str());
        let own_templates = own.iter().filter(|(name, _)| is_template(name));
        sources.extend(own_templates.map(|(name, text)| (name.clone(), text.clone())));
        let mut templates = Templates::new(sources)?;
        let bank = |name: &str| -> PhraseBank {
            let text = own.get(name);
            let mut bank: PhraseBank =
                text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
            bank.values_mut().flat_map(BTreeMap::values_mut).for_each(|list| held.choose(list));
            bank
        };
        let demands = bank(OWN_DEMANDS);
        let mut sentences = HashMap::new();
        for constraint in plan.model.groups.iter().flat_map(|group| &group.constraints) {
            let own = demands.get(&constraint.name);
            sentences.insert(constraint.name.clone(), read(constraint, own, held, &mut templates)?);
        }
        let mut voices: PhraseBank = serde_json::from_str(VOICES).unwrap_or_default();
        voices.values_mut().flat_map(BTreeMap::values_mut).for_each(|list| held.choose(list));
        voices.extend(bank(OWN_VOICES));
        Ok(MessageTemplates {
            templates,
            sentences,
            voices: value_of(&voices),
            phrases: value_of(&bank(OWN_PHRASES)),
            own_return: own.contains_key("return.j2"),
            answers: own.contains_key(ANSWER_TEMPLATE),
        })
    }

    /// One of a constraint's sentences of a kind; `None` if it has none.
    fn sentence(
        &self,
        kind: SentencePurpose,
        active: &Active,
        old: Option<&Active>,
        words: &MessageInput<'_>,
    ) -> Result<Option<String>, (String, TemplateFault)> {
        let Some(have) = self.sentences.get(&active.constraint) else { return Ok(None) };
        let alternatives = match kind {
            SentencePurpose::Say => &have.say,
            SentencePurpose::Change => &have.change,
            SentencePurpose::Judge => &have.judge,
            SentencePurpose::Withdraw => &have.withdraw,
            SentencePurpose::Own(form) => &have.own[form as usize],
        };
        if alternatives.is_empty() {
            return Ok(None);
        }
        let dice = mix(words.dice ^ name_number(&active.constraint));
        let template = &alternatives[(dice % alternatives.len() as u64) as usize];
        let text = match template.plain() {
            Some(text) => Cow::Borrowed(text),
            None => Cow::Owned(self.filled_in(template, active, old, words)?),
        };
        let said = text.trim();
        if !said.is_empty() {
            return Ok(Some(said.to_owned()));
        }
        match kind {
            // Another sentence states it.
            SentencePurpose::Change | SentencePurpose::Withdraw | SentencePurpose::Own(_) => {
                Ok(None)
            }
            SentencePurpose::Say | SentencePurpose::Judge => {
                let message = "it says nothing with these values".to_owned();
                let fault = TemplateFault { message, line: 1, range: None };
                Err((template.name().to_owned(), fault))
            }
        }
    }

    /// Renders a sentence of a constraint with its arguments.
    fn filled_in(
        &self,
        template: &Template,
        active: &Active,
        old: Option<&Active>,
        words: &MessageInput<'_>,
    ) -> Result<String, (String, TemplateFault)> {
        let turn = Value::Int(i64::from(words.turn));
        let age = Value::Int(0);
        let old = old.map(|old| Value::record(old.args.clone()));
        let mut fields: Vec<(&str, &Value)> = Vec::with_capacity(active.args.len() + 6);
        fields.extend(active.args.iter().map(|(name, value)| (name.as_str(), value)));
        fields.extend([("topic", words.topic), ("style", words.style)]);
        fields.extend([("reply", &turn), ("turn", &turn), ("age", &age)]);
        fields.extend(old.as_ref().map(|old| ("old", old)));
        self.templates
            .render_template(template, fields)
            .map_err(|fault| (template.name().to_owned(), fault))
    }

    /// The changes for the templates.
    pub fn changes(&self, words: &MessageInput<'_>) -> Result<Vec<Value>, (String, TemplateFault)> {
        words.changes.iter().map(|changed| self.changed(changed, words)).collect()
    }

    /// The sentences of changes, as the system message and the text of a tool have them.
    pub fn stated(&self, words: &MessageInput<'_>) -> Result<String, (String, TemplateFault)> {
        let mut said = Vec::new();
        for changed in words.changes {
            let (after, before) = (changed.after.as_deref(), changed.before.as_deref());
            let modified = match (after, before) {
                (Some(after), Some(before)) if after.constraint == before.constraint => {
                    self.sentence(SentencePurpose::Change, after, Some(before), words)?
                }
                _ => None,
            };
            let sentence = match (modified, after, before) {
                (Some(said), ..) => Some(said),
                (None, Some(after), _) => {
                    self.sentence(SentencePurpose::Say, after, None, words)?
                }
                (None, None, Some(before)) => {
                    self.sentence(SentencePurpose::Withdraw, before, None, words)?
                }
                (None, None, None) => None,
            };
            said.extend(sentence.map(ended));
        }
        Ok(said.join(" "))
    }

    /// A change for the templates: `change`, and its sentences.
    fn changed(
        &self,
        changed: &InstructionChange,
        words: &MessageInput<'_>,
    ) -> Result<Value, (String, TemplateFault)> {
        let (after, before) = (changed.after.as_deref(), changed.before.as_deref());
        let said = |kind: SentencePurpose, active: Option<&Active>, old: Option<&Active>| {
            let Some(active) = active else { return Ok(Value::Nothing) };
            let said = self.sentence(kind, active, old, words)?;
            // The scenario's own forms are parts of sentences, which its phrases complete.
            let own = matches!(kind, SentencePurpose::Own(_));
            let said = if own { said } else { said.map(ended) };
            Ok(said.map_or(Value::Nothing, |said| Value::text(&said)))
        };
        let modified = match (changed.change, after, before) {
            (Change::Modify, Some(after), Some(before)) => after.constraint == before.constraint,
            _ => false,
        };
        let nothing = |value: &Value| matches!(value, Value::Nothing);
        // The withdrawal of the old constraint is rendered only if no other sentence states it:
        // sentences are the most expensive part of drawing.
        let modify =
            if modified { said(SentencePurpose::Change, after, before)? } else { Value::Nothing };
        let withdraw = if nothing(&modify) {
            said(SentencePurpose::Withdraw, before, None)?
        } else {
            Value::Nothing
        };
        let before = match nothing(&modify) && nothing(&withdraw) {
            true => said(SentencePurpose::Say, before, None)?,
            false => Value::Nothing,
        };
        let say = said(SentencePurpose::Say, after, None)?;
        let [r#do, note] = [DemandForm::Do, DemandForm::Note]
            .map(|form| said(SentencePurpose::Own(form), after, None));
        let redo = match modified {
            true => said(SentencePurpose::Own(DemandForm::Redo), after, changed.before.as_deref())?,
            false => Value::Nothing,
        };
        let undo = match modified {
            true => Value::Nothing,
            false => said(SentencePurpose::Own(DemandForm::Undo), changed.before.as_deref(), None)?,
        };
        let word = Value::Text(SharedText::fixed(changed.change.word()));
        let values = [before, word, r#do?, modify, note?, redo, say, undo, withdraw];
        Ok(Value::Record(Arc::new(Record::from_parts(Arc::clone(&CHANGE_FIELDS), values.into()))))
    }
}

impl MessageTemplates {
    /// The fields of all user message templates.
    fn fields<'w>(
        &'w self,
        words: &'w MessageInput<'_>,
        changes: Vec<Value>,
    ) -> Vec<(&'static str, Cow<'w, Value>)> {
        let voice = words.style.field("voice").and_then(Value::as_str).unwrap_or("plain");
        let voice = self.voices.field(voice).or(self.voices.field("plain"));
        let int = |number: i64| Cow::Owned(Value::Int(number));
        let mut fields = Vec::with_capacity(MAX_FIELDS);
        fields.extend([
            ("turn", int(i64::from(words.turn))),
            ("topic", Cow::Borrowed(words.topic)),
            ("topic_turns", int(i64::from(words.topic_turns))),
            ("style", Cow::Borrowed(words.style)),
            ("voice", voice.map_or(Cow::Owned(Value::Nothing), Cow::Borrowed)),
            ("phrases", Cow::Borrowed(&self.phrases)),
            ("changes", Cow::Owned(Value::list(changes))),
            ("kept", int(unmentioned(words) as i64)),
            ("dice", int((words.dice >> 16) as i64)),
            ("dialogue_dice", int((words.dialogue_dice >> 16) as i64)),
        ]);
        let alone = words.written.as_ref().is_some_and(|written| !written.moves);
        let side = angle(words.topic, words.topic_turns, alone);
        fields.extend(side.map(|angle| ("angle", Cow::Borrowed(angle))));
        fields
    }

    fn filled<V: Borrow<Value>>(
        &self,
        name: &str,
        fields: Vec<(&str, V)>,
    ) -> Result<String, (String, TemplateFault)> {
        self.templates.render(name, fields).map_err(|fault| (name.to_owned(), fault))
    }

    /// Renders one of the templates.
    pub fn render(
        &self,
        name: &str,
        fields: TemplateFields<'_>,
    ) -> Result<String, (String, TemplateFault)> {
        Ok(self.filled(name, fields)?.trim().to_owned())
    }

    /// The instruction of an active constraint, as a sentence.
    pub fn instruction(
        &self,
        active: &Active,
        words: &MessageInput<'_>,
    ) -> Result<String, (String, TemplateFault)> {
        self.owned(SentencePurpose::Say, active, words)
    }

    /// The judge's question about a constraint.
    pub fn question(
        &self,
        active: &Active,
        words: &MessageInput<'_>,
    ) -> Result<String, (String, TemplateFault)> {
        self.owned(SentencePurpose::Judge, active, words)
    }

    fn owned(
        &self,
        kind: SentencePurpose,
        active: &Active,
        words: &MessageInput<'_>,
    ) -> Result<String, (String, TemplateFault)> {
        Ok(self.sentence(kind, active, None, words)?.unwrap_or_default())
    }

    /// The constraints that apply again when the dialogue returns to a topic, as sentences.
    fn returning_constraints(
        &self,
        words: &MessageInput<'_>,
    ) -> Result<String, (String, TemplateFault)> {
        let unsaid = words.again.iter().filter(|active| !is_said(active, words));
        let said: Result<Vec<String>, _> =
            unsaid.map(|active| self.instruction(active, words)).collect();
        Ok(said?.join(" "))
    }

    /// The same for the scenario's own templates: like changes, one for each.
    pub fn restored(
        &self,
        words: &MessageInput<'_>,
    ) -> Result<Vec<Value>, (String, TemplateFault)> {
        let unsaid = words.again.iter().filter(|active| !is_said(active, words));
        unsaid
            .map(|active| {
                let after = Some(Arc::clone(active));
                self.changed(&InstructionChange { change: Change::Add, after, before: None }, words)
            })
            .collect()
    }

    /// A right answer to a turn that has none, if a template of the scenario writes it.
    pub fn answer(
        &self,
        words: &MessageInput<'_>,
        ask: &str,
        about: &str,
    ) -> Result<Option<String>, (String, TemplateFault)> {
        if !self.answers {
            return Ok(None);
        }
        let relations = words.written.iter().flat_map(|written| &written.relations);
        let relations = relations.map(|(kind, to)| related(*kind, Value::Nothing, to));
        let followed = words.active_constraints.iter().filter(|active| active.overruled.is_none());
        let active = followed.map(|active| {
            Value::record([
                ("args", Value::record(active.args.clone())),
                ("group", Value::text(active.group())),
                ("name", Value::text(&active.constraint)),
            ])
        });
        let mut fields = self.fields(words, self.changes(words)?);
        fields.push(("ask", Cow::Owned(Value::text(ask))));
        fields.push(("about", Cow::Owned(Value::text(about))));
        fields.push(("relations", Cow::Owned(Value::list(relations))));
        fields.push(("active", Cow::Owned(Value::list(active))));
        let said = normalize_lines(self.filled(ANSWER_TEMPLATE, fields)?);
        Ok((!said.is_empty()).then_some(said))
    }

    /// The active constraints, repeated word for word: each with the random number of the turn on
    /// which it was stated.
    pub fn reminder(
        &self,
        words: &MessageInput<'_>,
        active_constraints: &[(&Arc<Active>, u64)],
    ) -> Result<String, (String, TemplateFault)> {
        let again = active_constraints.iter().map(|(active, dice)| {
            let again = InstructionChange {
                change: Change::Add,
                after: Some(Arc::clone(active)),
                before: None,
            };
            let then = MessageInput { written: None, turn: active.since, dice: *dice, ..*words };
            self.changed(&again, &then)
        });
        let fields = self.fields(words, again.collect::<Result<_, _>>()?);
        Ok(normalize_lines(self.filled("repeated.j2", fields)?))
    }

    /// The judge's question whether a response relates to earlier turns as it should.
    pub fn relation_question(
        &self,
        turn: u32,
        kind: RelationKind,
        to: &[EarlierMessage<'_>],
    ) -> Result<String, (String, TemplateFault)> {
        let fields: TemplateFields<'_> = vec![
            ("turn", Value::Int(i64::from(turn))),
            ("kind", Value::text(kind.word())),
            ("to", earlier(to)),
        ];
        Ok(normalize_lines(self.filled("relation.j2", fields)?))
    }
}

impl MessageWriter for MessageTemplates {
    type Fault = (String, TemplateFault);

    fn word(&self, words: &MessageInput<'_>) -> Result<String, (String, TemplateFault)> {
        let mut changes = self.changes(words)?;
        let again = self.returning_constraints(words)?;
        if let Some(WrittenTurn { ask: Some(ask), .. }) = &words.written {
            // Exactly as written, including blanks.
            if changes.is_empty() && again.is_empty() {
                return Ok((*ask).to_owned());
            }
            let mut fields = self.fields(words, changes);
            fields.push(("ask", Cow::Owned(Value::text(ask))));
            fields.push(("again", Cow::Owned(Value::text(&again))));
            return Ok(self.filled("asked.j2", fields)?.trim().to_owned());
        }
        let required = words.written.iter().flat_map(|written| &written.required);
        changes.extend(required.map(|says| requirement(&ended((*says).to_owned()))));
        let mut fields = self.fields(words, changes);
        fields.push(("again", Cow::Owned(Value::text(&again))));
        let name = match (&words.written, words.transition) {
            (Some(written), _) if !written.relations.is_empty() => {
                let mut relations = Vec::new();
                for ((kind, to), meaning) in written.relations.iter().zip(&written.meanings) {
                    let said = meaning.as_ref().map(|meaning| self.instruction(meaning, words));
                    let said = said.transpose()?.map_or(Value::Nothing, |said| Value::text(&said));
                    relations.push(related(*kind, said, to));
                }
                fields.push(("relations", Cow::Owned(Value::list(relations))));
                "related.j2"
            }
            (_, Move::New) => "open.j2",
            (_, Move::Backtrack) => {
                if self.own_return {
                    fields.push(("restored", Cow::Owned(Value::list(self.restored(words)?))));
                }
                "return.j2"
            }
            _ => "continue.j2",
        };
        Ok(normalize_lines(self.filled(name, fields)?))
    }
}

/// The wording of a turn's requirement, as the templates see an additional demand.
fn requirement(says: &str) -> Value {
    let word = Value::Text(SharedText::fixed(Change::Add.word()));
    let none = Value::Nothing;
    let [before, r#do, modify, note, redo, undo, withdraw] = std::array::from_fn(|_| none.clone());
    let values = [before, word, r#do, modify, note, redo, Value::text(says), undo, withdraw];
    Value::Record(Arc::new(Record::from_parts(Arc::clone(&CHANGE_FIELDS), values.into())))
}

/// A relation for the templates.
fn related(kind: RelationKind, said: Value, to: &[EarlierMessage<'_>]) -> Value {
    let kind = Value::text(kind.word());
    Value::record([("kind", kind), ("said", said), ("to", earlier(to))])
}

/// Earlier turns for the templates: `turn`, `name` and `about`.
fn earlier(turns: &[EarlierMessage<'_>]) -> Value {
    Value::list(turns.iter().map(|earlier| {
        Value::record([
            ("about", Value::text(&earlier.about)),
            ("name", Value::text(earlier.name)),
            ("turn", Value::Int(i64::from(earlier.turn))),
        ])
    }))
}

/// The number of the user's active constraints that this turn does not mention.
fn unmentioned(words: &MessageInput<'_>) -> usize {
    let own = words.active_constraints.iter().filter(|active| active.speaker == Speaker::User);
    own.filter(|active| !is_said(active, words)).count()
}

/// Whether the turn states it as a change.
fn is_said(active: &Active, words: &MessageInput<'_>) -> bool {
    let mut after = words.changes.iter().filter_map(|changed| changed.after.as_ref());
    after.any(|after| after.constraint == active.constraint && after.speaker == active.speaker)
}

/// The next aspect of the topic; each once, in the topic's order.
pub(super) fn angle(topic: &Value, topic_turns: u32, written: bool) -> Option<&Value> {
    let angles = topic.field("angles")?.as_list()?;
    let at = usize::try_from(topic_turns).ok()?.checked_sub(2)?;
    if written {
        // Written turns themselves say which of them work on an earlier response.
        return angles.get(at % angles.len().max(1));
    }
    // Every other turn works on the same response instead of asking for a new one.
    (at % 2 == 0).then(|| angles.get(at / 2)).flatten()
}

/// A bank of phrases for the templates.
/// Ends a text like a sentence, so that another one can follow.
pub(super) fn ended(mut words: String) -> String {
    let han = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c);
    if !words.contains(han)
        && !words.ends_with(['.', '!', '?', ':', '…'])
        && !ends_in_a_quoted_sentence(&words)
        && !words.is_empty()
    {
        words.push('.');
    }
    words
}

/// `End with "That is all."`, but not `Leave out every "."`.
fn ends_in_a_quoted_sentence(words: &str) -> bool {
    let quoted = words.strip_suffix(['"', '”', '’']);
    let inside = quoted.and_then(|quoted| quoted.strip_suffix(['.', '!', '?', '…']));
    inside.is_some_and(|inside| inside.ends_with(char::is_alphanumeric))
}

fn value_of(bank: &PhraseBank) -> Value {
    let list = |texts: &Vec<String>| Value::list(texts.iter().map(|text| Value::text(text)));
    Value::record(bank.iter().map(|(name, lists)| {
        let lists = lists.iter().map(|(name, texts)| (name.clone(), list(texts)));
        (name.clone(), Value::record(lists))
    }))
}

fn read(
    constraint: &Constraint,
    own: Option<&BTreeMap<String, Vec<String>>>,
    held: HeldWords<'_>,
    templates: &mut Templates,
) -> Result<Sentences, (String, TemplateFault)> {
    let mut read = |kind: &str, texts: &[String]| -> Result<Vec<Template>, _> {
        let mut texts = texts.to_vec();
        held.choose(&mut texts);
        let names = (0..).map(|at| format!("{}/{kind}/{at}", constraint.name));
        names.zip(&texts).map(|(name, text)| templates.read(name, text)).collect()
    };
    let mut forms: [Vec<Template>; 4] = std::array::from_fn(|_| Vec::new());
    for form in DemandForm::ALL {
        if let Some(texts) = own.and_then(|own| own.get(form.word())) {
            forms[form as usize] = read(form.word(), texts)?;
        }
    }
    Ok(Sentences {
        own: forms,
        say: read("say", &constraint.say)?,
        change: read("change", &constraint.change)?,
        withdraw: read("withdraw", &constraint.withdraw)?,
        judge: match (&constraint.by, constraint.relation) {
            (DecidedBy::Judge(question), Some(_)) => {
                read("judge", std::slice::from_ref(&question.text))?
            }
            _ => Vec::new(),
        },
    })
}

/// Removes blanks that templates leave: none at line ends, one between words, at most one empty
/// line.
fn normalize_lines(text: String) -> String {
    let inner = text.trim();
    if !inner.contains('\n') {
        return if inner.len() == text.len() { text } else { inner.to_owned() };
    }
    let mut tidied = String::with_capacity(inner.len());
    let mut empty = 0;
    for line in inner.lines() {
        let line = line.trim();
        if line.is_empty() {
            empty += 1;
            continue;
        }
        if !tidied.is_empty() {
            tidied.push_str(if empty > 0 { "\n\n" } else { "\n" });
        }
        empty = 0;
        tidied.push_str(line);
    }
    tidied
}

#[cfg(test)]
mod tests;
