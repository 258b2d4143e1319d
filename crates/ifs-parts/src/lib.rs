//! What messages and responses are made of: pictures, templates, parts.

pub mod image;
pub mod parts;
pub mod template;
