//! The prompts for coders and extractors, from templates that a scenario may override.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::template::{TEMPLATES, TemplateFault, TemplateFields, Templates};
use ifs_predicate::value::Value;

/// The role of a model.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ExtractionRole {
    Coder,
    Extractor,
}

impl ExtractionRole {
    pub fn template(self) -> &'static str {
        match self {
            ExtractionRole::Coder => "coder.j2",
            ExtractionRole::Extractor => "extractor.j2",
        }
    }
}

/// The templates for both roles.
pub struct ExtractionPrompts {
    templates: Templates,
}

impl ExtractionPrompts {
    /// `own` overrides built-in templates by name.
    ///
    /// # Errors
    /// Returns the error of a template that cannot be parsed.
    pub fn new(
        own: &BTreeMap<String, String>,
    ) -> Result<ExtractionPrompts, (String, TemplateFault)> {
        let mut sources = BTreeMap::new();
        for role in [ExtractionRole::Coder, ExtractionRole::Extractor] {
            let name = role.template();
            let text = TEMPLATES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text);
            let text = own.get(name).map(String::as_str).or(text).unwrap_or("");
            sources.insert(name.to_owned(), text.to_owned());
        }
        Ok(ExtractionPrompts { templates: Templates::new(sources)? })
    }

    /// # Errors
    /// Returns an error if rendering fails, for example because the text exceeds a megabyte.
    pub(super) fn render(
        &self,
        role: ExtractionRole,
        fields: TemplateFields<'_>,
    ) -> Result<String, TemplateFault> {
        Ok(self.templates.render(role.template(), fields)?.trim().to_owned())
    }
}

pub(super) fn field(text: Option<&str>) -> Value {
    text.map_or(Value::Nothing, Value::text)
}
