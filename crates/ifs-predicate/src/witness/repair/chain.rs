//! Repairs lists whose adjacent members must compare in a certain way.

use super::{Repairer, parts};
use crate::functions::hooks::Derived;
use crate::number::Number;
use crate::tree::{Node, Quantified, Tree};
use crate::value::Value;

/// The number of attempts to replace a member that does not fit the previous one.
const MAX_ATTEMPTS: usize = 90;
/// The maximum distance of other numbers from a member's own.
const MAX_VALUE_DISTANCE: i64 = 60;

impl Repairer<'_, '_> {
    /// Repairs a list from the first member to the last: each is changed until it fits the previous
    /// one.
    pub(super) fn chained(&mut self, chain: &Quantified, text: &str) -> Option<String> {
        let Node::Call(name, arguments) = &chain.domain.node else { return None };
        let (Derived::Windows, [size, list]) = (name.derived, arguments.as_slice()) else {
            return None;
        };
        let size = usize::try_from(self.value(size, text)?.as_int()?).ok()?;
        let (list, of) = match &list.node {
            Node::Each(list, of) => (&**list, Some(&**of)),
            _ => (list, None),
        };
        let mut text = text.to_owned();
        let mut changed = false;
        for start in 0..60 {
            let places = self.places(list, &text)?;
            let Some(window) = places.get(start..(start + size)) else { break };
            let mut members: Vec<String> = window
                .iter()
                .map(|place| text.get(place.clone()).unwrap_or("").to_owned())
                .collect();
            if self.fit(&members, of, chain) {
                continue;
            }
            let (before, last) = (members.get(size.checked_sub(2)?)?.clone(), members.pop()?);
            if let Some(other) = of.and_then(|of| self.stepped(&members, &last, of, chain)) {
                text = parts::replaced(&text, window.last()?.clone(), &other)?;
                changed = true;
                continue;
            }
            for _ in 0..MAX_ATTEMPTS {
                let other = self.varied(&last, &before);
                members.push(other);
                if self.fit(&members, of, chain) {
                    break;
                }
                members.pop();
            }
            if members.len() < size {
                break;
            }
            text = parts::replaced(&text, window.last()?.clone(), members.last()?)?;
            changed = true;
        }
        changed.then_some(text)
    }

    /// Whether the condition on adjacent members holds for these.
    fn fit(&self, members: &[String], of: Option<&Tree>, chain: &Quantified) -> bool {
        let value = |member: &String| match of {
            Some(of) => self.value(of, member),
            None => Some(Value::text(member)),
        };
        let Some(values) = members.iter().map(value).collect::<Option<Vec<Value>>>() else {
            return false;
        };
        self.values_fit(values, chain)
    }

    fn values_fit(&self, values: Vec<Value>, chain: &Quantified) -> bool {
        let window = Tree::without_place(Node::Value(Value::list([Value::list(values)])));
        let chain = Quantified { domain: window, ..chain.clone() };
        self.holds(&Tree::without_place(Node::Quantified(Box::new(chain))), "")
    }

    /// Brings the last member of a window to the number that fits the previous ones, such as one
    /// word more than the previous sentence.
    fn stepped(
        &mut self,
        before: &[String],
        last: &str,
        of: &Tree,
        chain: &Quantified,
    ) -> Option<String> {
        let known: Vec<Value> =
            before.iter().map(|member| self.value(of, member)).collect::<Option<_>>()?;
        let have = self.value(of, last)?.as_int()?;
        // The nearest number that fits.
        let near =
            (0..=MAX_VALUE_DISTANCE).flat_map(|far| [have.checked_add(far), have.checked_sub(far)]);
        let wanted = near.flatten().find(|number| {
            let mut values = known.clone();
            values.push(Value::Int(*number));
            self.values_fit(values, chain)
        })?;
        let mut member = last.to_owned();
        for _ in 0..4 {
            if self.value(of, &member)?.as_int()? == wanted {
                return Some(member);
            }
            member = self.set_measure_to(of, Number::Int(wanted), &member, 1)?;
        }
        None
    }

    /// A variation of a member, based on the previous one.
    fn varied(&mut self, member: &str, before: &str) -> String {
        let letter = char::from(b'a' + self.draw.index_below(26) as u8);
        let mut word = match self.draw.index_below(4) {
            0 => self.vocabulary.starting(letter),
            1 => self.vocabulary.ending(letter),
            _ => {
                let length = 2 + self.draw.index_below(9);
                self.vocabulary.of_length(length, self.draw).unwrap_or("so").to_owned()
            }
        };
        if !member.contains(char::is_whitespace) && !before.contains(char::is_whitespace) {
            return word;
        }
        let stop = member.trim_end().chars().next_back().filter(|c| !c.is_alphanumeric());
        let mut words: Vec<String> = member
            .split_whitespace()
            .map(|word| word.trim_end_matches(['.', '!', '?']).to_owned())
            .collect();
        for _ in 0..=self.draw.index_below(3) {
            let theirs: Vec<&str> = before.split_whitespace().collect();
            match self.draw.index_below(6) {
                // It begins with a word of the previous one, or with its last word.
                0 => {
                    let last = theirs.last().map(|word| word.trim_end_matches(['.', '!', '?']));
                    if let (Some(first), Some(last)) = (words.first_mut(), last) {
                        last.clone_into(first);
                    }
                }
                1 => {
                    if let Some(first) = words.first_mut() {
                        first.clone_from(&word);
                    }
                }
                2 => {
                    let first = words.first().cloned().unwrap_or_default();
                    words.insert(0, first);
                }
                3 if words.len() > 1 => {
                    words.pop();
                }
                4 => return format!("{}{member}", " ".repeat(1 + self.draw.index_below(4))),
                _ => words.push(std::mem::take(&mut word)),
            }
        }
        words.retain(|word| !word.is_empty());
        let mut all = words.join(" ");
        all.extend(stop);
        all
    }
}
