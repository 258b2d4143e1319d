//! Parameters and their domains.

use std::collections::{BTreeMap, HashSet};

use super::lower::known_value;
use super::lower::{Lowering, noun};
use super::table::{Change, ChangeRule, ChangeRules, Domain, Param, Share};
use super::vars::Vars;
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_base::source::Span;
use ifs_predicate::tree::{ArithmeticOp, Node, Tree};
use ifs_predicate::types::Type;
use ifs_predicate::value::Value;
use ifs_syntax::ast::{self, DomainKind, Expr, ExprKind, OneOf};

impl Lowering<'_, '_> {
    /// Lowers a parameter; `vars` are those declared before it.
    pub fn param(&mut self, written: &ast::Param, vars: &Vars) -> Option<Param> {
        self.checker.check_name(&written.name, "the name of a parameter");
        let (domain, ty) = self.domain(&written.domain, vars)?;
        Some(Param {
            name: written.name.text.clone(),
            ty,
            domain,
            evolve: None,
            span: written.span,
        })
    }

    fn domain(&mut self, written: &ast::Domain, vars: &Vars) -> Option<(Domain, Type)> {
        match &written.kind {
            DomainKind::Number { float, range, step } => {
                self.number(*float, range.as_ref(), step.as_ref(), vars, written.span)
            }
            DomainKind::OneOf(OneOf::Of(list)) => {
                let (tree, ty) = self.lower(list, vars)?;
                let of = self.member_of(&ty, list.span)?;
                if let Some(Value::List(members)) = known_value(&tree) {
                    self.check_choices(&members, list.span);
                }
                Some((Domain::OneOf(tree), of))
            }
            DomainKind::OneOf(OneOf::Choices(choices)) => self.choices(choices, vars, written.span),
            DomainKind::Some { count, of, with } => self.some_of_domain(count, of, with, vars),
            DomainKind::Scene(path) => self.scene_domain(path),
            DomainKind::Window { within: list, by, condition } => {
                let (within, ty) = self.lower(list, vars)?;
                let member = self.member_of(&ty, list.span)?;
                let by = match by {
                    Some(by) => Some(self.key(by, &vars.clone().with_it(member))?),
                    None => None,
                };
                let condition = match condition {
                    Some(condition) => {
                        let about = vars.clone().with_it(ty.clone());
                        Some(self.expect(condition, &Type::Bool, &about)?)
                    }
                    None => None,
                };
                Some((Domain::Window { within, by, condition }, ty))
            }
            DomainKind::Plain(ty) => Some((Domain::Given, self.checker.written_type(ty))),
        }
    }

    fn number(
        &mut self,
        float: bool,
        range: Option<&Expr>,
        step: Option<&Expr>,
        vars: &Vars,
        span: Span,
    ) -> Option<(Domain, Type)> {
        let wanted = if float { Type::Float } else { Type::Int };
        let range = range?;
        if !matches!(range.kind, ExprKind::Range { .. }) && !self.meant_as_range(range) {
            self.report(
                Diagnostic::error(Code::BAD_DOMAIN, "one value where a range is expected")
                    .label(range.span, "not a range")
                    .help("write `LOW..=HIGH`, or `one_of [A, B, C]`; a single value needs no parameter"),
            );
            return None;
        }
        let (low, high) = self.ends(range, &wanted, vars)?;
        let one = if float { Value::Float(0.1) } else { Value::Int(1) };
        let step = match step {
            Some(step) => {
                let tree = self.expect(step, &wanted, vars)?;
                if number(&tree).is_some_and(|step| step <= 0.0) {
                    self.report(
                        Diagnostic::error(Code::BAD_DOMAIN, "the step must be more than 0")
                            .label(tree.span, "")
                            .help("write the distance between two values, as in `step 10`"),
                    );
                    return None;
                }
                tree
            }
            None => Tree::new(Node::Value(one), span),
        };
        if let Some(why) = empty_for(&low, &high, vars) {
            let diagnostic = match why.as_str() {
                "" => Diagnostic::error(Code::EMPTY_DOMAIN, "no number is in this range")
                    .label(range.span, "its low end is above its high end")
                    .help("write the smaller number first"),
                why => Diagnostic::error(
                    Code::EMPTY_DOMAIN,
                    format!("no number is in this range when {why}"),
                )
                .label(range.span, "its low end is then above its high end")
                .help("let the high end grow with the low end, as in `low + 10..=low + 50`"),
            };
            self.report(diagnostic);
            return None;
        }
        let domain =
            if float { Domain::Float { low, high, step } } else { Domain::Int { low, high, step } };
        Some((domain, wanted))
    }

    /// The ends of a range, both included; or one number for both.
    pub fn ends(&mut self, range: &Expr, wanted: &Type, vars: &Vars) -> Option<(Tree, Tree)> {
        let (low, high, inclusive) = match &range.kind {
            ExprKind::Range { low: Some(low), high: Some(high), inclusive } => {
                (&**low, &**high, *inclusive)
            }
            ExprKind::Range { .. } => {
                self.report(
                    Diagnostic::error(Code::BAD_DOMAIN, "the range needs two ends")
                        .label(range.span, "")
                        .help("write `LOW..=HIGH`"),
                );
                return None;
            }
            _ if self.meant_as_range(range) => return None,
            _ => (range, range, true),
        };
        let low = self.expect(low, wanted, vars)?;
        let high = self.expect(high, wanted, vars)?;
        if inclusive {
            return Some((low, high));
        }
        if *wanted != Type::Int {
            self.report(
                Diagnostic::error(Code::BAD_DOMAIN, "a range of fractions includes its high end")
                    .label(range.span, "")
                    .help("write `LOW..=HIGH`"),
            );
            return None;
        }
        let one = Box::new(Tree::new(Node::Value(Value::Int(1)), range.span));
        let below = Node::Arithmetic(ArithmeticOp::Subtract, Box::new(high), one);
        Some((low, Tree::new(below, range.span)))
    }

    /// Whether two numbers with a `-` between them, as in `50-400`, are meant as a range: no one
    /// writes such a difference.
    pub fn meant_as_range(&mut self, expr: &Expr) -> bool {
        let ExprKind::Arithmetic(ast::ArithmeticOp::Subtract, low, high) = &expr.kind else {
            return false;
        };
        let (Some(low), Some(high)) = (literal(low), literal(high)) else { return false };
        self.report(
            Diagnostic::error(Code::BAD_DOMAIN, format!("`{low}-{high}` is a difference"))
                .label(expr.span, "not a range")
                .help(format!("write `{low}..={high}`")),
        );
        true
    }

    /// The key that distinguishes members of a list.
    fn key(&mut self, written: &Expr, vars: &Vars) -> Option<Tree> {
        let (tree, ty) = self.lower(written, vars)?;
        if ty.is_number() || matches!(ty, Type::Text | Type::Bool) {
            return Some(tree);
        }
        self.report(
            Diagnostic::error(Code::WRONG_TYPE, format!("{} as a key", noun(&ty)))
                .label(written.span, "")
                .help("a key is a number, a text or a condition"),
        );
        None
    }

    fn member_of(&mut self, ty: &Type, span: Span) -> Option<Type> {
        match ty {
            Type::List(of) => Some((**of).clone()),
            Type::Unknown => Some(Type::Unknown),
            other => {
                self.report(
                    Diagnostic::error(
                        Code::BAD_DOMAIN,
                        format!("{} where a list is expected", noun(other)),
                    )
                    .label(span, "not a list")
                    .help("write a list: `one_of [\"a\", \"b\"]`"),
                );
                None
            }
        }
    }

    fn check_choices(&mut self, members: &[Value], span: Span) {
        if members.is_empty() {
            self.report(
                Diagnostic::error(Code::EMPTY_DOMAIN, "there is nothing to choose from")
                    .label(span, "the list is empty"),
            );
        }
        // A value and its JSON are one to one.
        let mut known = HashSet::with_capacity(members.len());
        let written = |value: &Value| serde_json::to_string(value).unwrap_or_default();
        if let Some(twice) = members.iter().find(|one| !known.insert(written(one))) {
            self.report(
                Diagnostic::warning(
                    Code::BAD_DOMAIN,
                    format!("`{twice}` occurs twice among the choices"),
                )
                .label(span, "it is drawn twice as often")
                .help("give it a share instead: `one_of [\"a\" 60%, \"b\" 40%]`"),
            );
        }
    }

    fn choices(
        &mut self,
        written: &[ast::Choice],
        vars: &Vars,
        span: Span,
    ) -> Option<(Domain, Type)> {
        let (mut choices, mut of) = (Vec::new(), Type::Unknown);
        for choice in written {
            let (tree, ty) = self.lower(&choice.value, vars)?;
            if of == Type::Unknown {
                of = ty;
            } else if !ty.fits(&of) {
                let message =
                    format!("{} among choices of which the first is {}", noun(&ty), noun(&of));
                self.report(
                    Diagnostic::error(Code::WRONG_TYPE, message).label(choice.value.span, ""),
                );
                return None;
            }
            choices.push(tree);
        }
        let values: Vec<Value> = choices.iter().filter_map(known_value).collect();
        // The alternatives may depend on drawn values.
        if written.is_empty() || !values.is_empty() {
            self.check_choices(&values, span);
        }
        let shares: Vec<Option<&ast::Percent>> =
            written.iter().map(|choice| choice.weight.as_ref()).collect();
        let shares = self.shares(&shares, span, "choice")?;
        Some((
            Domain::Choices(
                choices.into_iter().zip(shares.into_iter().map(|share| share.0)).collect(),
            ),
            of,
        ))
    }

    /// Shares must be written for all alternatives or for none; then they are equal.
    pub fn shares(
        &mut self,
        written: &[Option<&ast::Percent>],
        span: Span,
        what: &str,
    ) -> Option<Vec<Share>> {
        if written.iter().all(Option::is_none) {
            return Some(vec![Share(1); written.len()]);
        }
        let (mut shares, mut sum) = (Vec::new(), 0u64);
        for percent in written {
            let Some(percent) = percent else {
                self.report(
                    Diagnostic::error(
                        Code::WEIGHTS_DO_NOT_ADD_UP,
                        format!("a {what} without a share among others with one"),
                    )
                    .label(span, "")
                    .help("give all of them shares that add up to 100%, or none"),
                );
                return None;
            };
            let share = self.share(percent)?;
            sum += u64::from(share.0);
            shares.push(share);
        }
        if sum != u64::from(Share::ONE.0) {
            let sum = Share(u32::try_from(sum).unwrap_or(u32::MAX));
            self.report(
                Diagnostic::error(
                    Code::WEIGHTS_DO_NOT_ADD_UP,
                    format!("the shares add up to {sum}"),
                )
                .label(span, "")
                .help("they have to add up to 100%"),
            );
            return None;
        }
        Some(shares)
    }

    pub fn share(&mut self, percent: &ast::Percent) -> Option<Share> {
        let share = Share::parse(&percent.digits);
        if share.is_none() {
            self.report(
                Diagnostic::error(Code::BAD_WEIGHT, format!("{}% is not a share", percent.digits))
                    .label(percent.span, "")
                    .help("a share is from 0% to 100%, with at most four decimals"),
            );
        }
        share
    }

    fn some_of_domain(
        &mut self,
        count: &Expr,
        of: &Expr,
        with: &[ast::Param],
        vars: &Vars,
    ) -> Option<(Domain, Type)> {
        if let ExprKind::Name(name) = &count.kind
            && name.text == "one"
            && vars.get("one").is_none()
        {
            self.report(
                Diagnostic::error(Code::BAD_DOMAIN, "`one of` is written `one_of`")
                    .label(count.span, "")
                    .help("write `one_of […]` for one value, `1 of […]` for a list of one"),
            );
            return None;
        }
        let (low, high) = self.ends(count, &Type::Int, vars)?;
        let (tree, member) = match &of.kind {
            // `8 of 1..=12`: the numbers of a range are members too.
            ExprKind::Range { .. } => self.list_of(of, vars)?,
            _ => {
                let (tree, ty) = self.lower(of, vars)?;
                (tree, self.member_of(&ty, of.span)?)
            }
        };
        let have = match known_value(&tree) {
            Some(Value::List(members)) => Some(members.len() as i64),
            _ => None,
        };
        match (number(&low), number(&high), have) {
            (Some(low), ..) if low < 0.0 => {
                self.report(
                    Diagnostic::error(Code::BAD_DOMAIN, "fewer than none cannot be drawn")
                        .label(count.span, ""),
                );
                return None;
            }
            (Some(low), Some(high), _) if low > high => {
                self.report(
                    Diagnostic::error(Code::EMPTY_DOMAIN, "no number is in this range")
                        .label(count.span, "its low end is above its high end"),
                );
                return None;
            }
            (Some(low), _, Some(have)) if low > have as f64 => {
                self.report(
                    Diagnostic::error(
                        Code::EMPTY_DOMAIN,
                        format!("{low} of {have} cannot be drawn"),
                    )
                    .label(count.span, "more than there are")
                    .label(of.span, format!("{have} here")),
                );
                return None;
            }
            _ => {}
        }
        let companions: Option<Vec<Param>> =
            with.iter().map(|param| self.param(param, vars)).collect();
        let companions = companions?;
        for (at, param) in with.iter().enumerate() {
            let twice = with[..at].iter().any(|other| other.name.text == param.name.text);
            if twice || param.name.text == "value" {
                let message = format!("a member has two fields `{}`", param.name.text);
                self.report(
                    Diagnostic::error(Code::DUPLICATE_NAME, message)
                        .label(param.name.span, "")
                        .help("give it another name; `value` is the member itself"),
                );
                return None;
            }
        }
        let item = if companions.is_empty() {
            member
        } else {
            let fields = companions.iter().map(|param| (param.name.as_str(), param.ty.clone()));
            Type::record(fields.chain([("value", member)]))
        };
        let with = companions;
        Some((Domain::Some { low, high, of: tree, with }, Type::list(item)))
    }

    /// The changes of a value, with their guards.
    pub fn lower_changes(
        &mut self,
        written: &ast::EvolveRules,
        vars: &Vars,
    ) -> Option<ChangeRules> {
        let changes = self.change_list(&written.changes, written.span, vars)?;
        if changes.is_empty() && written.guards.is_empty() {
            self.report(
                Diagnostic::error(Code::MISSING_STATEMENT, "this evolution has no changes")
                    .label(written.span, "")
                    .help("write `add 50%  modify 40%  drop 10%`"),
            );
            return None;
        }
        let mut guards = Vec::new();
        for guard in &written.guards {
            let condition = self.expect(&guard.condition, &Type::Bool, vars);
            let changes = self.change_list(&guard.changes, guard.span, vars);
            guards.push((condition?, changes?));
        }
        Some(ChangeRules { changes, guards, span: written.span })
    }

    fn change_list(
        &mut self,
        written: &[ast::Weighted],
        span: Span,
        vars: &Vars,
    ) -> Option<Vec<ChangeRule>> {
        let shares: Vec<Option<&ast::Percent>> =
            written.iter().map(|it| it.share.as_ref()).collect();
        let shares = self.shares(&shares, span, "change")?;
        let mut changes: Vec<ChangeRule> = Vec::new();
        for (at, (rule, share)) in written.iter().zip(shares).enumerate() {
            let change = match rule.name.text.as_str() {
                "add" => Change::Add,
                "modify" => Change::Modify,
                "drop" => Change::Drop,
                other => {
                    let diagnostic = Diagnostic::error(
                        Code::BAD_CHANGE,
                        format!("`{other}` is not a kind of change"),
                    )
                    .label(rule.name.span, "")
                    .help("write `add`, `modify` or `drop`");
                    self.report(diagnostic);
                    return None;
                }
            };
            let same = |known: &&ast::Weighted| known.name.text == rule.name.text;
            if let Some(first) = written[..at].iter().find(same) {
                self.report(
                    Diagnostic::error(
                        Code::DUPLICATE_STATEMENT,
                        format!("`{}` is written twice", change.word()),
                    )
                    .label(rule.span, "second time")
                    .label(first.span, "first time")
                    .help("add up their shares"),
                );
                return None;
            }
            let amount = match &rule.amount {
                Some(Expr { kind: ExprKind::Range { low, high, inclusive }, span }) => {
                    let range = Expr {
                        kind: ExprKind::Range {
                            low: low.clone(),
                            high: high.clone(),
                            inclusive: *inclusive,
                        },
                        span: *span,
                    };
                    let (low, high) = self.ends(&range, &Type::Int, vars)?;
                    let node = Node::Range {
                        low: Some(Box::new(low)),
                        high: Some(Box::new(high)),
                        inclusive: true,
                    };
                    Some(Tree::new(node, *span))
                }
                Some(amount) => Some(self.expect(amount, &Type::Int, vars)?),
                None => None,
            };
            changes.push(ChangeRule { change, share, amount });
        }
        Some(changes)
    }
}

/// A literal number.
fn literal(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Int(value) => Some(value.to_string()),
        ExprKind::Float(text) => Some(text.clone()),
        _ => None,
    }
}

/// Values of the parameters for which a range is empty, if there are any: exact if the ends are
/// sums of parameters with known ends.
fn empty_for(low: &Tree, high: &Tree, vars: &Vars) -> Option<String> {
    let (low, high) = (Linear::from_tree(low, vars)?, Linear::from_tree(high, vars)?);
    let gap = high.plus(&low.scaled(-1.0));
    let (mut least, mut when) = (gap.constant, Vec::new());
    for (name, factor) in gap.factors.iter().filter(|(_, factor)| **factor != 0.0) {
        let (bottom, top) = vars.range(name)?;
        let worst = if *factor < 0.0 { top } else { bottom };
        least += factor * worst;
        when.push(format!("`{name}` is {worst}"));
    }
    (least < 0.0).then(|| when.join(" and "))
}

/// A linear combination of parameters, and a constant.
struct Linear {
    constant: f64,
    factors: BTreeMap<String, f64>,
}

impl Linear {
    fn from_tree(tree: &Tree, vars: &Vars) -> Option<Linear> {
        if let Some(constant) = number(tree) {
            return Some(Linear { constant, factors: BTreeMap::new() });
        }
        match &tree.node {
            Node::Var(name) => {
                let factors = BTreeMap::from([(name.clone(), 1.0)]);
                Some(Linear { constant: 0.0, factors }).filter(|_| vars.range(name).is_some())
            }
            Node::Negative(inner) => Some(Linear::from_tree(inner, vars)?.scaled(-1.0)),
            Node::Arithmetic(op, left, right) => {
                let (left, right) =
                    (Linear::from_tree(left, vars)?, Linear::from_tree(right, vars)?);
                match op {
                    ArithmeticOp::Add => Some(left.plus(&right)),
                    ArithmeticOp::Subtract => Some(left.plus(&right.scaled(-1.0))),
                    ArithmeticOp::Multiply if right.factors.is_empty() => {
                        Some(left.scaled(right.constant))
                    }
                    ArithmeticOp::Multiply if left.factors.is_empty() => {
                        Some(right.scaled(left.constant))
                    }
                    ArithmeticOp::Multiply | ArithmeticOp::Divide | ArithmeticOp::Remainder => None,
                }
            }
            _ => None,
        }
    }

    fn plus(mut self, other: &Linear) -> Linear {
        self.constant += other.constant;
        for (name, factor) in &other.factors {
            *self.factors.entry(name.clone()).or_insert(0.0) += factor;
        }
        self
    }

    fn scaled(&self, by: f64) -> Linear {
        let factors = self.factors.iter().map(|(name, factor)| (name.clone(), factor * by));
        Linear { constant: self.constant * by, factors: factors.collect() }
    }
}

impl Domain {
    /// The texts of a domain that is a choice of known ones.
    pub(super) fn texts(&self) -> Option<Vec<String>> {
        let members: Vec<Value> = match self {
            Domain::Choices(choices) => {
                choices.iter().map(|(choice, _)| known_value(choice)).collect::<Option<_>>()?
            }
            Domain::OneOf(list) => known_value(list)?.as_list()?.to_vec(),
            Domain::Int { .. }
            | Domain::Float { .. }
            | Domain::Some { .. }
            | Domain::Window { .. }
            | Domain::Scene(_)
            | Domain::Given => return None,
        };
        members.iter().map(|member| member.as_str().map(str::to_owned)).collect()
    }

    /// The minimum and maximum of a numeric domain.
    pub(super) fn range(&self) -> Option<(f64, f64)> {
        match self {
            Domain::Int { low, high, step } | Domain::Float { low, high, step } => {
                let (low, high, step) = (number(low)?, number(high)?, number(step)?);
                // The last step may not reach the upper end.
                let steps = ((high - low) / step + 1e-9).floor();
                Some((low, low + steps * step))
            }
            Domain::Choices(choices) => {
                let numbers: Option<Vec<f64>> =
                    choices.iter().map(|(choice, _)| number(choice)).collect();
                let numbers = numbers?;
                let least = numbers.iter().copied().reduce(f64::min)?;
                Some((least, numbers.iter().copied().reduce(f64::max)?))
            }
            Domain::OneOf(_)
            | Domain::Some { .. }
            | Domain::Window { .. }
            | Domain::Scene(_)
            | Domain::Given => None,
        }
    }
}

fn number(tree: &Tree) -> Option<f64> {
    match known_value(tree)? {
        Value::Int(number) => Some(number as f64),
        Value::Float(number) => Some(number),
        _ => None,
    }
}
