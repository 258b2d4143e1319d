//! Banks, pictures and feeds in canonical texts: their declarations, and a digest of their
//! contents.

use super::text::ListWriter;
use super::tree::ty;
use ifs_feed::simulate::SimulatedSport;
use ifs_model::table::{Bank, Feed};
use ifs_parts::image::Picture;
use ifs_predicate::value::Value;

pub(super) fn bank(bank: &Bank, into: &mut ListWriter) {
    let Bank { name, ty: of, records, keys, place: _ } = bank;
    into.line("bank", |into| {
        into.text(name);
        ty(of, into);
        self::records(keys, records, into);
    });
}

pub(super) fn picture(name: &str, picture: &Picture, into: &mut ListWriter) {
    let Picture { hash, media_type, width: _, height: _, bytes: _ } = picture;
    into.line("picture", |line| {
        line.text(name);
        line.text(media_type);
        line.word(hash);
    });
}

pub(super) fn feed(feed: &Feed, into: &mut ListWriter) {
    into.line("feed", |into| {
        into.text(&feed.name);
        ty(&feed.ty, into);
        match &feed.fresh {
            // Games come from the simulation; the stored one is only for checks.
            Some(SimulatedSport { wording, cases }) => into.line("simulated", |line| {
                line.word(wording.reader());
                cases.iter().for_each(|case| line.word(case.word()));
            }),
            // For games, their values in expressions.
            None => {
                let (keys, games) = feed.records();
                records(keys, games, into);
            }
        }
    });
}

/// The number of records, and the digest of the records with their keys, in order.
fn records(keys: &[String], records: &[Value], into: &mut ListWriter) {
    // The buffer size: many small writes to the hasher would be slow, and one large buffer would
    // use too much memory.
    const FLUSH_BYTES: usize = 64 << 10;
    let mut hasher = blake3::Hasher::new();
    let mut bytes = Vec::with_capacity(2 * FLUSH_BYTES);
    for (key, record) in keys.iter().zip(records) {
        write_text(key, &mut bytes);
        write_value(record, &mut bytes);
        if bytes.len() > FLUSH_BYTES {
            hasher.update(&bytes);
            bytes.clear();
        }
    }
    hasher.update(&bytes);
    into.line("records", |line| {
        line.int(records.len() as u64);
        line.word(hasher.finalize().to_hex().as_str());
    });
}

/// The digests of values: in their order, and without it.
pub fn value_digests<'v>(values: impl Iterator<Item = Option<&'v Value>>) -> (String, String) {
    let mut each: Vec<[u8; 32]> = values
        .map(|value| {
            let mut bytes = Vec::new();
            write_value(value.unwrap_or(&Value::Nothing), &mut bytes);
            *blake3::hash(&bytes).as_bytes()
        })
        .collect();
    let digest = |each: &[[u8; 32]]| blake3::hash(each.as_flattened()).to_hex().to_string();
    let ordered = digest(&each);
    each.sort_unstable();
    (ordered, digest(&each))
}

/// An unambiguous binary form of a value, which is faster than text.
fn write_value(value: &Value, into: &mut Vec<u8>) {
    match value {
        Value::Nothing => into.push(b'-'),
        Value::Bool(value) => into.push(if *value { b'y' } else { b'n' }),
        Value::Int(value) => {
            into.push(b'i');
            into.extend(value.to_le_bytes());
        }
        Value::Float(value) => {
            into.push(b'f');
            into.extend(value.to_bits().to_le_bytes());
        }
        Value::Text(text) => write_text(text, into),
        Value::List(members) => {
            into.push(b'l');
            into.extend((members.len() as u64).to_le_bytes());
            members.iter().for_each(|member| write_value(member, into));
        }
        Value::Record(fields) => {
            into.push(b'r');
            into.extend((fields.len() as u64).to_le_bytes());
            for (name, value) in fields.iter() {
                write_text(name, into);
                write_value(value, into);
            }
        }
    }
}

fn write_text(text: &str, into: &mut Vec<u8>) {
    let mut head = [b't'; 9];
    head[1..].copy_from_slice(&(text.len() as u64).to_le_bytes());
    into.extend_from_slice(&head);
    into.extend_from_slice(text.as_bytes());
}
