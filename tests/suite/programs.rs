//! Random well-formed programs, with odd layout and comments everywhere.

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

    fn constraint(&mut self) {
        self.add("constraint c");
        if self.maybe() {
            self.raw("(");
            for _ in 0..self.pick(4) {
                self.param();
                self.raw(",");
            }
            self.raw(")");
        }
        self.block(Author::constraint_stmt);
    }

    fn constraint_stmt(&mut self) {
        match self.pick(10) {
            0 => {
                let word = ["say", "change", "withdraw"][self.pick(3)];
                self.raw(word);
                self.string();
                while self.maybe() {
                    self.raw(",");
                    self.string();
                }
            }
            1 | 2 => {
                self.raw("check");
                self.expr();
            }
            3 => self.judge(),
            4 => {
                self.add("applies when");
                self.expr();
            }
            5 => {
                self.add("evolve words");
                self.evolve_rules();
            }
            6 => {
                self.add("excludes");
                self.paths();
            }
            7 => {
                self.add("weight");
                self.expr();
            }
            8 => {
                self.add("tag");
                self.paths();
            }
            _ => {
                self.add("test");
                if self.maybe() {
                    self.args();
                }
                self.cases();
            }
        }
    }

    fn judge(&mut self) {
        self.raw("judge");
        if self.maybe() {
            self.add("rubric");
            if self.maybe() {
                self.add("by");
            }
        }
        self.string();
        if self.maybe() {
            self.add("scale");
            self.operand();
            self.add("pass >");
            self.operand();
        }
    }

    fn test(&mut self) {
        self.add("test");
        self.path();
        if self.maybe() {
            self.args();
        }
        self.cases();
    }

    fn cases(&mut self) {
        self.block(|author| {
            let word = ["pass", "fail", "prompt", "reply"][author.pick(4)];
            author.raw(word);
            author.expr();
        });
    }

    fn param(&mut self) {
        self.name();
        self.raw(":");
        match self.pick(6) {
            0 => self.ty(),
            1 => {
                let word = ["int in", "float in"][self.pick(2)];
                self.add(word);
                self.operand();
                if self.maybe() {
                    self.add("step");
                    self.operand();
                }
            }
            2 => {
                self.add("one_of");
                self.raw("[");
                for _ in 0..self.pick(4) {
                    self.operand();
                    if self.maybe() {
                        self.percent();
                    }
                    self.raw(",");
                }
                self.raw("]");
            }
            3 => {
                self.add("one_of");
                self.operand();
            }
            4 => {
                self.operand();
                self.add("of");
                self.operand();
                if self.maybe() && self.depth < 3 {
                    self.depth += 1;
                    self.add("with");
                    self.param();
                    self.depth -= 1;
                }
            }
            _ => {
                self.add("window in");
                self.operand();
            }
        }
    }

    fn way(&mut self) {
        let word = ["add", "modify", "drop", "new", "backtrack"][self.pick(5)];
        self.raw(word);
        if self.maybe() {
            self.operand();
        }
        if self.maybe() {
            self.percent();
        }
        if self.maybe() {
            self.raw(",");
        }
    }

    fn evolve_rules(&mut self) {
        self.block(|author| {
            if author.maybe() {
                author.raw("when");
                author.expr();
                author.block(Author::way);
            } else {
                author.way();
            }
        });
    }

    fn turn(&mut self) {
        self.docs();
        self.raw("turn");
        if self.maybe() {
            self.raw("c1");
        }
        if self.maybe() {
            let words = ["unrelated", "follows a", "recalls a , b and refines c"][self.pick(3)];
            self.add(words);
        }
        if self.maybe() && self.depth < 3 {
            self.depth += 1;
            self.block(Author::turn_stmt);
            self.depth -= 1;
        }
    }

    fn turn_stmt(&mut self) {
        self.docs();
        match self.pick(11) {
            0 => {
                self.raw("ask");
                self.expr();
            }
            1 => self.add("ask template \"t.j2\""),
            2 => {
                self.raw("show");
                self.expr();
            }
            3 => {
                self.add("let y =");
                self.expr();
            }
            4 => {
                self.raw("param");
                self.param();
            }
            5 => {
                let shape = ["part p : list", "part p : text"][self.pick(2)];
                self.add(shape);
                if self.maybe() {
                    self.raw("from");
                    self.operand();
                }
                if self.maybe() {
                    self.string();
                }
            }
            6 => {
                self.add("require r");
                match self.maybe() {
                    true => self.judge(),
                    false => self.expr(),
                }
                if self.maybe() {
                    self.add("after a , b");
                }
                if self.maybe() {
                    self.add("tag");
                    self.paths();
                }
            }
            7 => {
                let word = ["answer", "void"][self.pick(2)];
                self.raw(word);
                self.string();
            }
            8 => {
                self.raw("expect");
                self.operand();
                self.string();
            }
            9 => self.impose(),
            _ if self.depth > 3 => self.add("void \"x\""),
            _ => {
                self.depth += 1;
                self.add("for g in");
                self.operand();
                self.block(Author::turn_stmt);
                self.depth -= 1;
            }
        }
    }

    fn impose(&mut self) {
        self.raw("impose");
        self.operand();
        if self.maybe() {
            self.add("new group");
        }
        if self.maybe() {
            self.raw("from");
            self.paths();
        }
        if self.maybe() {
            self.add("scope topic");
        }
        if self.maybe() {
            self.add("with probability");
            self.operand();
        }
        if self.maybe() {
            self.add("applies when");
            self.expr();
        }
    }

    fn dialogue_stmt(&mut self) {
        self.docs();
        let fixed = [
            "scope topic",
            "context golden",
            "judge checklist by \"j.j2\"",
            "words from \"w.txt\"",
            "repeat instructions at end",
            "system template \"s.j2\"",
            "flow one_of [ a , b , ]",
            "flow a",
            "start with 1 constraint",
            "retry up to 3 rounds with feedback",
        ];
        match self.pick(16) {
            0 => {
                let words = fixed[self.pick(fixed.len())];
                self.add(words);
            }
            1 => {
                let words = ["topic from t", "style from s.t"][self.pick(2)];
                self.add(words);
                if self.maybe() {
                    self.raw("where");
                    self.operand();
                }
            }
            2 => {
                self.add("constraints from");
                self.paths();
            }
            3 => {
                self.add("evolve");
                match self.maybe() {
                    true => self.operand(),
                    false => self.raw("one"),
                }
                self.add("per turn");
                self.evolve_rules();
            }
            4 => {
                self.raw("flow");
                self.topic_rules();
            }
            5 => {
                self.raw("patience");
                self.operand();
            }
            6 => {
                self.add("end when");
                self.expr();
            }
            7 => self.turn(),
            8 => self.impose(),
            9 => {
                self.add("weigh intra");
                self.operand();
                while self.maybe() {
                    self.add(", n");
                    self.operand();
                }
            }
            10 => {
                self.raw("sample");
                self.operand();
            }
            11 => {
                self.add("let y =");
                self.expr();
            }
            12 => {
                self.raw("param");
                self.param();
            }
            13 => {
                self.add("start with");
                self.operand();
                self.add("constraints");
            }
            _ if self.depth > 2 => self.add("scope turn"),
            14 => {
                self.depth += 1;
                self.add("variant v");
                self.block(Author::dialogue_stmt);
                self.depth -= 1;
            }
            _ => {
                self.depth += 1;
                self.add("for q in");
                self.operand();
                self.block(Author::dialogue_stmt);
                self.depth -= 1;
            }
        }
    }

    fn topic_rules(&mut self) {
        self.depth += 1;
        self.block(|author| match author.pick(if author.depth > 3 { 2 } else { 3 }) {
            0 => {
                author.add("stay at least");
                author.operand();
                author.raw("turns");
            }
            1 => {
                author.raw("switch");
                author.percent();
                if author.maybe() {
                    author.block(Author::way);
                }
            }
            _ => {
                author.raw("when");
                author.expr();
                author.topic_rules();
            }
        });
        self.depth -= 1;
    }

    // ---- expressions -------------------------------------------------------------

    fn expr(&mut self) {
        self.operand();
        if self.pick(9) == 1 && self.depth < 6 {
            self.raw(":");
            self.depth += 1;
            self.expr();
            self.depth -= 1;
        }
    }

    fn operand(&mut self) {
        const SIGNS: [&str; 22] = [
            "and", "or", "+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "in", "not in",
            "where", "..=", "..", "and", "or", "+", "in",
        ];
        self.depth += 1;
        loop {
            while self.pick(8) == 1 {
                let sign = ["not", "-", "..="][self.pick(3)];
                self.raw(sign);
            }
            self.primary();
            while self.pick(6) == 1 {
                self.postfix();
            }
            if self.depth > 7 || self.pick(5) < 3 {
                break;
            }
            let sign = SIGNS[self.pick(SIGNS.len())];
            self.add(sign);
        }
        self.depth -= 1;
    }

    fn postfix(&mut self) {
        match self.pick(3) {
            0 => self.add(". field"),
            1 => {
                self.add(". method");
                self.args();
            }
            _ => {
                self.raw("[");
                self.expr();
                self.raw("]");
            }
        }
    }

    fn args(&mut self) {
        self.raw("(");
        for _ in 0..self.pick(3) {
            if self.maybe() {
                self.add("label :");
            }
            self.expr();
            self.raw(",");
        }
        self.raw(")");
    }

    fn primary(&mut self) {
        let deep = self.depth > 6;
        match self.pick(if deep { 8 } else { 18 }) {
            0 => self.name(),
            1 => {
                let number = ["1", "30", "1_000"][self.pick(3)];
                self.raw(number);
            }
            2 => self.raw("0.5"),
            3 => self.percent(),
            4 => self.string(),
            5 => {
                let regex = ["/a+/i", r"/http:\/\/x/", "/[{}\"]/"][self.pick(3)];
                self.add("matches (");
                self.raw(regex);
                self.raw(")");
            }
            6 => {
                let unit = ["word", "sentence", "code_block.rust", "item"][self.pick(4)];
                self.raw(unit);
            }
            7 => self.raw("true"),
            8..=11 => {
                self.raw("(");
                self.expr();
                // A range without an end needs something that closes it.
                if self.pick(12) == 1 {
                    self.raw("..");
                }
                self.raw(")");
            }
            12 => {
                self.raw("[");
                for _ in 0..self.pick(4) {
                    self.expr();
                    self.raw(",");
                }
                self.raw("]");
            }
            13 => {
                self.raw("{");
                for _ in 0..self.pick(3) {
                    self.add("left :");
                    self.expr();
                    self.raw(",");
                }
                self.raw("}");
            }
            14 => {
                let kind = ["word", "phrase", "letter"][self.pick(3)];
                self.raw(kind);
                match self.maybe() {
                    true => self.string(),
                    false => {
                        self.raw("(");
                        self.expr();
                        self.raw(")");
                    }
                }
            }
            15 => {
                let name = ["count", "f"][self.pick(2)];
                self.raw(name);
                self.args();
            }
            16 => {
                let word = ["every", "some", "no", "at_least ( 2 )"][self.pick(4)];
                self.add(word);
                if self.maybe() {
                    self.add("c in");
                }
                self.operand();
                self.raw(":");
                self.expr();
            }
            _ => {
                self.raw("if");
                self.operand();
                self.raw("then");
                self.expr();
                if self.maybe() {
                    self.raw("else");
                    self.expr();
                }
            }
        }
    }
}
