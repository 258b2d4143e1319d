//! The names that an expression may use.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::table::Param;
use crate::predicate::types::Type;
use crate::source::Span;
use crate::syntax::ast::Name;

/// The names an expression may use next to the constants of its file.
#[derive(Clone, Debug, Default)]
pub(super) struct Vars {
    /// Later ones hide earlier ones. Shared, since each text at hand has a copy of the names.
    list: Vec<(Rc<str>, Rc<Type>)>,
    /// The least and the most that a number in `list` may be, both of which it
    /// may be, by its place there.
    ranges: BTreeMap<usize, (f64, f64)>,
    /// Where those were written that are a `let`, by their place in `list`.
    lets: BTreeMap<usize, Span>,
    /// Parts of an answer, among the names of its turn.
    parts: BTreeSet<String>,
    /// Whether there is no answer yet to take parts from.
    asking: bool,
    /// What `it` is; nothing where there is no text at hand.
    pub it: Option<Type>,
    /// What `it` was around the text or the member at hand, the nearest last.
    pub hidden: Vec<Type>,
    /// What the expression is part of, for messages: "a check".
    pub place: &'static str,
}

impl Vars {
    pub fn new(place: &'static str) -> Vars {
        Vars { place, ..Vars::default() }
    }

    /// With an answer at hand.
    pub fn about_answer(self) -> Vars {
        self.about(Type::Text)
    }

    /// The same names in another place, without a text at hand.
    pub fn placed(&self, place: &'static str) -> Vars {
        Vars { place, it: None, ..self.clone() }
    }

    pub fn about(mut self, it: Type) -> Vars {
        self.it = Some(it);
        self
    }

    pub fn with(mut self, name: &str, ty: impl Into<Rc<Type>>) -> Vars {
        self.push(name, ty);
        self
    }

    pub fn ints(self, names: &[&str]) -> Vars {
        names.iter().fold(self, |vars, name| vars.with(name, Type::Int))
    }

    /// A part that is cut out of the answer.
    pub fn push_part(&mut self, name: &str, ty: Type) {
        self.push(name, ty);
        self.parts.insert(name.to_owned());
    }

    /// The same names where a turn is asked, before its answer.
    pub fn asking(&self) -> Vars {
        Vars { asking: true, ..self.placed("a turn") }
    }

    /// Whether a name is a part of an answer that is not there yet.
    pub fn is_early(&self, name: &str) -> bool {
        self.asking && self.parts.contains(name)
    }

    /// A `let`, which someone has to use.
    pub fn push_let(&mut self, name: &Name, ty: impl Into<Rc<Type>>) {
        self.lets.insert(self.list.len(), name.span);
        self.push(&name.text, ty);
    }

    /// Where the `let` of a name was written, if it is one.
    pub fn let_of(&self, name: &str) -> Option<Span> {
        let at = self.list.iter().rposition(|(known, _)| **known == *name)?;
        self.lets.get(&at).copied()
    }

    pub fn push(&mut self, name: &str, ty: impl Into<Rc<Type>>) {
        self.parts.remove(name);
        self.list.push((name.into(), ty.into()));
    }

    /// A parameter, of which more may be known than its type.
    pub fn push_param(&mut self, param: &Param) {
        self.ranges.extend(param.domain.range().map(|range| (self.list.len(), range)));
        self.push(&param.name, param.ty.clone());
    }

    /// The least and the most that a number may be.
    pub fn range(&self, name: &str) -> Option<(f64, f64)> {
        let at = self.list.iter().rposition(|(known, _)| **known == *name)?;
        self.ranges.get(&at).copied()
    }

    pub fn get(&self, name: &str) -> Option<&Type> {
        self.list.iter().rev().find(|(known, _)| **known == *name).map(|(_, ty)| &**ty)
    }

    pub fn known(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|(name, _)| &**name)
    }

    /// The same names about another text, or a member of a list.
    pub fn inside(&self, it: Type) -> Vars {
        let mut inner = Vars { it: Some(it), ..self.clone() };
        inner.hidden.extend(self.it.clone());
        inner
    }
}
