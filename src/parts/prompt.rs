//! The prompts for coders and extractors, from templates that a scenario may override.

use std::collections::BTreeMap;

use super::extraction::Role;
use crate::predicate::value::Value;
use crate::template::{Fields, TEMPLATES, TemplateFault, Templates};

/// The templates for both roles.
pub struct Prompts {
    templates: Templates,
}

impl Prompts {
    /// `own` overrides built-in templates by name.
    ///
    /// # Errors
    /// Returns the error of a template that cannot be parsed.
    pub fn new(own: &BTreeMap<String, String>) -> Result<Prompts, (String, TemplateFault)> {
        let mut sources = BTreeMap::new();
        for role in [Role::Coder, Role::Extractor] {
            let name = role.template();
            let text = TEMPLATES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text);
            let text = own.get(name).map(String::as_str).or(text).unwrap_or("");
            sources.insert(name.to_owned(), text.to_owned());
        }
        Ok(Prompts { templates: Templates::new(sources)? })
    }

    /// # Errors
    /// Returns an error if rendering fails, for example because the text exceeds a megabyte.
    pub(super) fn fill(&self, role: Role, fields: Fields<'_>) -> Result<String, TemplateFault> {
        Ok(self.templates.fill(role.template(), fields)?.trim().to_owned())
    }
}

pub(super) fn field(text: Option<&str>) -> Value {
    text.map_or(Value::Nothing, Value::text)
}
