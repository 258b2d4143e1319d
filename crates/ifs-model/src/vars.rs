//! The names that are in scope in an expression.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::table::Param;
use ifs_base::source::Span;
use ifs_predicate::turn_fact::TurnFact;
use ifs_predicate::types::{Field, FieldValues, Type};
use ifs_syntax::ast::Name;

/// The names in scope, in addition to the constants of the file.
#[derive(Clone, Debug, Default)]
pub(super) struct Vars {
    /// Later ones hide earlier ones. Shared, because each nested scope has a copy.
    list: Vec<(Rc<str>, Rc<Type>)>,
    /// Which of them are facts of the turn, by index in `list`.
    facts: BTreeMap<usize, TurnFact>,
    /// The minimum and maximum of a number in `list`, inclusive, by index.
    ranges: BTreeMap<usize, (f64, f64)>,
    /// The texts that one in `list` may be, if there are no others, by index.
    choices: BTreeMap<usize, Rc<[String]>>,
    /// The spans of `let`s, by their index in `list`.
    lets: BTreeMap<usize, Span>,
    /// Parts of a response, among the names of its turn.
    parts: BTreeSet<String>,
    /// Whether there is no response yet to extract parts from.
    asking: bool,
    /// The type of `it`; `None` if there is no current text.
    pub it: Option<Type>,
    /// The types of `it` in enclosing scopes, nearest last.
    pub hidden: Vec<Type>,
    /// What the expression is part of, for messages: "a check".
    pub place: &'static str,
}

impl Vars {
    pub fn new(place: &'static str) -> Vars {
        Vars { place, ..Vars::default() }
    }

    /// The number of names.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// A scope with a current response.
    pub fn about_answer(self) -> Vars {
        self.with_it(Type::Text)
    }

    /// The same names in another place, without a current text.
    pub fn for_place(&self, place: &'static str) -> Vars {
        Vars { place, it: None, ..self.clone() }
    }

    pub fn with_it(mut self, it: Type) -> Vars {
        self.it = Some(it);
        self
    }

    pub fn with(mut self, name: &str, ty: impl Into<Rc<Type>>) -> Vars {
        self.push(name, ty);
        self
    }

    /// Adds a fact of the turn.
    pub fn fact(mut self, fact: TurnFact, ty: impl Into<Rc<Type>>) -> Vars {
        self.push_fact(fact, ty);
        self
    }

    /// Adds facts of the turn that are integers.
    pub fn counts(self, facts: &[TurnFact]) -> Vars {
        facts.iter().fold(self, |vars, fact| vars.fact(*fact, Type::Int))
    }

    pub fn push_fact(&mut self, fact: TurnFact, ty: impl Into<Rc<Type>>) {
        self.facts.insert(self.list.len(), fact);
        self.push(fact.name(), ty);
    }

    /// The fact of the turn that a name means, if it means one.
    pub fn fact_called(&self, name: &str) -> Option<TurnFact> {
        let at = self.list.iter().rposition(|(known, _)| **known == *name)?;
        self.facts.get(&at).copied()
    }

    /// Adds a part that is extracted from the response.
    pub fn push_part(&mut self, name: &str, ty: Type) {
        self.push(name, ty);
        self.parts.insert(name.to_owned());
    }

    /// The same names before the response of a turn.
    pub fn before_response(&self) -> Vars {
        Vars { asking: true, ..self.for_place("a turn") }
    }

    /// Whether a name is a part of a response that does not exist yet.
    pub fn is_early(&self, name: &str) -> bool {
        self.asking && self.parts.contains(name)
    }

    /// Adds a `let`, which must be used.
    pub fn push_let(&mut self, name: &Name, ty: impl Into<Rc<Type>>) {
        self.lets.insert(self.list.len(), name.span);
        self.push(&name.text, ty);
    }

    /// The span of a name's `let`, if it is one.
    pub fn let_span(&self, name: &str) -> Option<Span> {
        let at = self.list.iter().rposition(|(known, _)| **known == *name)?;
        self.lets.get(&at).copied()
    }

    pub fn push(&mut self, name: &str, ty: impl Into<Rc<Type>>) {
        self.parts.remove(name);
        self.list.push((name.into(), ty.into()));
    }

    /// Adds a name for a field, with its values if it has no others.
    pub fn push_field(&mut self, name: &str, field: &Field) {
        if let Some(FieldValues::Closed(values)) = &field.values {
            self.choices.insert(self.list.len(), values.iter().cloned().collect());
        }
        self.push(name, field.ty.clone());
    }

    /// Adds a parameter, with its range or its values if they are known.
    pub fn push_param(&mut self, param: &Param) {
        self.ranges.extend(param.domain.range().map(|range| (self.list.len(), range)));
        self.choices.extend(param.domain.texts().map(|texts| (self.list.len(), texts.into())));
        self.push(&param.name, param.ty.clone());
    }

    /// The minimum and maximum of a number.
    pub fn range(&self, name: &str) -> Option<(f64, f64)> {
        let at = self.list.iter().rposition(|(known, _)| **known == *name)?;
        self.ranges.get(&at).copied()
    }

    /// The texts that a name may be, if there are no others.
    pub fn choices(&self, name: &str) -> Option<&[String]> {
        let at = self.list.iter().rposition(|(known, _)| **known == *name)?;
        self.choices.get(&at).map(|texts| &**texts)
    }

    pub fn get(&self, name: &str) -> Option<&Type> {
        self.list.iter().rev().find(|(known, _)| **known == *name).map(|(_, ty)| &**ty)
    }

    pub fn known_names(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|(name, _)| &**name)
    }

    /// The same names for another text, or for a member of a list.
    pub fn with_inner_text(&self, it: Type) -> Vars {
        let mut inner = Vars { it: Some(it), ..self.clone() };
        inner.hidden.extend(self.it.clone());
        inner
    }
}
