//! Dialogues: turns, imposed constraints, flows and evolution.

use super::Author;

impl Author<'_> {
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

    pub(super) fn evolve_rules(&mut self) {
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

    pub(super) fn turn(&mut self) {
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
        if self.maybe() {
            self.raw("from turn");
            self.operand();
        }
        self.raw("impose");
        if self.maybe() {
            self.path();
            if self.maybe() {
                self.raw("( n :");
                self.expr();
                self.raw(", which :");
                self.expr();
                self.raw(")");
            }
        } else {
            self.operand();
            if self.maybe() {
                self.add("new group");
            }
            if self.maybe() {
                self.raw("from");
                self.paths();
            }
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

    pub(super) fn dialogue_stmt(&mut self) {
        self.docs();
        let fixed = [
            "scope topic",
            "context golden",
            "overflow omitted",
            "judge checklist by \"j.j2\"",
            "templates from \"w.txt\"",
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
}
