//! Random well-formed programs, with odd layout and comments everywhere.

mod constraint;
mod dialogue;
mod expression;

/// Decisions read from a list of numbers; 0 is always the simplest.
pub struct Author<'n> {
    numbers: &'n [u16],
    at: usize,
    words: Vec<String>,
    depth: usize,
}

pub fn program(numbers: &[u16]) -> String {
    let mut author = Author { numbers, at: 0, words: Vec::new(), depth: 0 };
    author.file();
    author.lay_out()
}

impl Author<'_> {
    fn pick(&mut self, choices: usize) -> usize {
        let number = self.numbers.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        usize::from(number) % choices
    }

    fn maybe(&mut self) -> bool {
        self.pick(3) == 1
    }

    fn add(&mut self, words: &str) {
        self.words.extend(words.split_whitespace().map(str::to_owned));
    }

    fn raw(&mut self, word: &str) {
        self.words.push(word.to_owned());
    }

    /// Puts the words into lines, with comments and blank lines between.
    fn lay_out(&mut self) -> String {
        let words = std::mem::take(&mut self.words);
        let mut text = String::new();
        for word in words {
            if word == "\n" || word.starts_with("///") {
                text.push('\n');
            } else if !text.is_empty() {
                match self.pick(12) {
                    0..=7 => text.push(' '),
                    8 => text.push_str("\n   "),
                    9 => text.push_str("\n\n\n  "),
                    10 => text.push_str(" // a comment \n  "),
                    _ => text.push_str("\n// \u{3c6} own line\n  "),
                }
            }
            if word != "\n" {
                text.push_str(&word);
            }
            if word.starts_with("///") {
                text.push('\n');
            }
        }
        text
    }

    fn file(&mut self) {
        self.add("ifs 1");
        for _ in 0..1 + self.pick(5) {
            self.raw("\n");
            self.docs();
            self.item();
        }
    }

    fn docs(&mut self) {
        if self.pick(6) == 1 {
            self.raw("/// what it is for");
        }
    }

    fn name(&mut self) {
        const NAMES: [&str; 14] = [
            "a", "n", "it", "topic", "words", "reply", "step", "one", "drop", "int", "text",
            "seed", "list", "at_most",
        ];
        let name = NAMES[self.pick(NAMES.len())];
        self.raw(name);
    }

    fn path(&mut self) {
        const PATHS: [&str; 3] = ["std", "std.a.b", "x.y"];
        let path = PATHS[self.pick(PATHS.len())];
        self.raw(path);
    }

    fn paths(&mut self) {
        self.path();
        while self.maybe() {
            self.raw(",");
            self.path();
        }
    }

    fn string(&mut self) {
        const STRINGS: [&str; 8] = [
            r#""s""#,
            r#""a \"b\" \n {{ n }} \u{41}""#,
            "\"φ // no comment {\"",
            "\"\"\"one line\"\"\"",
            "\"\"\"\n      first\n\n        second \\\"\n    \"\"\"",
            "\"\"\"a\n  b\"\"\"",
            "\"\"\"\"\"\"",
            "\"\"\"\n\n  c\n\n\"\"\"",
        ];
        let string = STRINGS[self.pick(STRINGS.len())];
        self.raw(string);
    }

    fn percent(&mut self) {
        let percent = ["40%", "12.5%", "100%"][self.pick(3)];
        self.raw(percent);
    }

    fn block(&mut self, mut each: impl FnMut(&mut Self)) {
        self.raw("{");
        for _ in 0..self.pick(5) {
            each(self);
        }
        self.raw("}");
    }

    fn item(&mut self) {
        match self.pick(13) {
            0 => {
                self.add("let x =");
                self.expr();
            }
            1 => {
                self.add("benchmark b");
                self.block(|author| {
                    author.add("version");
                    author.string();
                });
            }
            2 => {
                let words = ["use std.a.*", "use std.a as b", "use std"][self.pick(3)];
                self.add(words);
            }
            3 => {
                self.add("import topics \"banks/t.yaml\"");
                if self.maybe() {
                    self.fields();
                }
            }
            4 => {
                self.add("tags");
                self.tag(false);
            }
            5 => {
                self.add("group g");
                self.block(|author| {
                    author.docs();
                    match author.maybe() {
                        true => author.test(),
                        false => author.constraint(),
                    }
                });
            }
            6 => self.constraint(),
            7 => self.test(),
            8 => {
                self.add("mask");
                self.paths();
                self.add("against");
                self.paths();
            }
            9 => {
                self.add("feed f");
                self.block(|author| match author.pick(3) {
                    0 => author.add("read nba \"f/*.json\""),
                    1 => {
                        author.add("column c :");
                        author.ty();
                        if author.maybe() {
                            author.add("from \"C\"");
                        }
                    }
                    _ => author.add("order by a , b"),
                });
            }
            10 => {
                self.add("flow f");
                self.block(Author::turn);
            }
            11 => {
                self.add("release");
                self.block(|author| match author.pick(3) {
                    0 => {
                        author.operand();
                        author.add("dialogues of d");
                    }
                    1 => {
                        author.add("keep where");
                        author.expr();
                    }
                    _ => {
                        author.add("seed");
                        author.operand();
                    }
                });
            }
            _ => {
                self.add("dialogue d");
                if self.maybe() {
                    self.add("over chats as chat");
                }
                self.block(Author::dialogue_stmt);
            }
        }
    }

    fn fields(&mut self) {
        self.depth += 1;
        self.block(|author| {
            author.name();
            if author.maybe() {
                author.raw("?");
            }
            author.raw(":");
            author.ty();
            if author.maybe() {
                author.raw(",");
            }
        });
        self.depth -= 1;
    }

    fn ty(&mut self) {
        match self.pick(if self.depth > 3 { 2 } else { 4 }) {
            0 => self.raw("text"),
            1 => self.raw("clock"),
            2 => {
                self.add("list of");
                self.ty();
            }
            _ => self.fields(),
        }
    }

    fn tag(&mut self, documented: bool) {
        if documented {
            self.docs();
        }
        self.raw("ability");
        if self.depth < 3 && self.maybe() {
            self.depth += 1;
            self.block(|author| {
                author.tag(true);
                if author.maybe() {
                    author.raw(",");
                }
            });
            self.depth -= 1;
        }
    }
}
