//! Expressions.

use super::Author;

impl Author<'_> {
    pub(super) fn expr(&mut self) {
        self.operand();
        if self.pick(9) == 1 && self.depth < 6 {
            self.raw(":");
            self.depth += 1;
            self.expr();
            self.depth -= 1;
        }
    }

    pub(super) fn operand(&mut self) {
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

    pub(super) fn args(&mut self) {
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
