//! Drawn pictures: the same bytes everywhere, and their answers can be seen on them.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use ifs::model::table::Scene;
use ifs::predicate::value::Value;
use ifs::script::{DrawnScene, Seed, draw_scene};
use ifs::world::MemoryWorld;

/// The scenes of the library.
fn scenes() -> &'static [Arc<Scene>] {
    static SCENES: LazyLock<Vec<Arc<Scene>>> = LazyLock::new(checked);
    &SCENES
}

fn checked() -> Vec<Arc<Scene>> {
    let (_, text) = ifs::model::LIBRARY.iter().find(|(name, _)| *name == "scenes").unwrap();
    let checked = ifs::model::check(&MemoryWorld::new([("scenes.ifs", *text)]), "scenes.ifs");
    checked.model.expect("the library has no mistakes").scenes
}

fn drawn(name: &str, index: u64) -> DrawnScene {
    let scenes = scenes();
    let scene = scenes.iter().find(|scene| scene.name == name).expect("it is in the library");
    draw_scene(scene, Seed(5), index).unwrap()
}

fn list(value: &Value, name: &str) -> Vec<Value> {
    value.field(name).and_then(Value::as_list).unwrap().to_vec()
}

fn text(value: &Value, name: &str) -> String {
    value.field(name).and_then(Value::as_str).unwrap().to_owned()
}

/// The pixels of a picture, by an independent decoder.
fn pixels(drawn: &DrawnScene) -> Vec<Vec<[u8; 3]>> {
    let picture = drawn.drawing.paint();
    let mut decoder = png::Decoder::new(std::io::Cursor::new(picture.bytes.as_slice()));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut bytes).unwrap();
    let row = |row: &[u8]| row.chunks(3).map(|dot| [dot[0], dot[1], dot[2]]).collect();
    bytes.chunks(3 * picture.width as usize).map(row).collect()
}

/// A change here means that every benchmark with these scenes shows other pictures, which requires
/// another edition of the language.
#[test]
fn pictures_are_the_same_to_the_byte() {
    let found: Vec<String> = scenes()
        .iter()
        .map(|scene| {
            let picture = draw_scene(scene, Seed(5), 0).unwrap().drawing.paint();
            format!("{} {}", scene.name, &picture.hash[..16])
        })
        .collect();
    assert_eq!(found, HASHES);
}

const HASHES: [&str; 5] = [
    "shapes cb7643c8c3a03b43",
    "bars 217b90b6a0d33dba",
    "line 26a9a9bf5cbaa912",
    "floor_plan 855f1747913c3f30",
    "shelf a623910677a9170a",
];

#[test]
fn bars_are_as_high_as_their_numbers() {
    for index in 0..40 {
        let drawn = drawn("bars", index);
        let pixels = pixels(&drawn);
        for (at, good) in list(&drawn.value, "goods").iter().enumerate() {
            let column = 70 * (at + 1) + 10;
            let fill = pixels[285][column];
            let high = pixels.iter().take(290).filter(|row| row[column] == fill).count();
            // The axis lies on the lowest row of a bar.
            let sold = good.field("sold").and_then(Value::as_int).unwrap();
            assert_eq!(high as i64 + 1, 12 * sold, "picture {index}");
        }
    }
}

#[test]
fn answers_match_the_number_of_shapes() {
    // A shape has its middle at the middle of its place.
    for index in 0..40 {
        let drawn = drawn("shapes", index);
        let pixels = pixels(&drawn);
        let seen = (0..12)
            .filter(|place| pixels[60 + 120 * (place / 4)][60 + 120 * (place % 4)] != [255; 3])
            .count();
        let all = list(&drawn.value, "questions");
        let description = all.iter().find(|question| text(question, "name") == "description");
        let answer = text(description.unwrap(), "answer");
        assert!(answer.starts_with(&format!("{seen} shapes: ")), "picture {index}: {answer}");
    }
}

#[test]
fn pictures_differ_and_have_questions() {
    for scene in scenes() {
        let mut hashes = BTreeSet::new();
        let mut asked = BTreeSet::new();
        for index in 0..120 {
            let drawn = draw_scene(scene, Seed(9), index).unwrap();
            assert!(hashes.insert(drawn.drawing.paint().hash), "{}: {index}", scene.name);
            let questions = list(&drawn.value, "questions");
            assert!(questions.len() >= 2, "{}: {index}", scene.name);
            for question in questions {
                let (ask, answer) = (text(&question, "ask"), text(&question, "answer"));
                assert!(ask.ends_with(['?', '.']) && !answer.is_empty(), "{ask} {answer}");
                asked.insert(text(&question, "name"));
            }
        }
        assert!(asked.len() >= 3, "{}: {asked:?}", scene.name);
    }
}
