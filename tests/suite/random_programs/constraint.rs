//! Constraints: their wordings, checks, tests and parameters.

use super::Author;

impl Author<'_> {
    pub(super) fn constraint(&mut self) {
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

    pub(super) fn judge(&mut self) {
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

    pub(super) fn test(&mut self) {
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

    pub(super) fn param(&mut self) {
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
}
