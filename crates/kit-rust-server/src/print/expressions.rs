//! Prints expressions and statements in the layout of rustfmt.

use syn::{Arm, BinOp, Block, Expr, ExprIf, ExprMatch, ExprStruct, Local, Stmt};

use super::arguments::{self, list};
use super::items;
use super::tokens::flat;
use super::{Place, WIDTH, attributes, margin};

/// Maximum width of the fields of a struct literal on one line.
const STRUCT: usize = 18;
/// Maximum width of an array on one line.
const ARRAY: usize = 60;

/// Prints an expression. Returns `None` if it does not fit into the place.
pub(super) fn expression(expression: &Expr, place: Place) -> Option<String> {
    match expression {
        Expr::MethodCall(_) | Expr::Field(_) | Expr::Await(_) | Expr::Try(_) => {
            super::chain::chain(expression, place)
        }
        Expr::Call(call) => {
            let function = self::expression(&call.func, place)?;
            let items: Vec<&Expr> = call.args.iter().collect();
            arguments::call(&function, &items, place)
        }
        Expr::Macro(of) => macro_call(&of.mac, place),
        Expr::Reference(of) => prefixed(
            if of.mutability.is_some() { "&mut " } else { "&" },
            &of.expr,
            place,
        ),
        Expr::Unary(of) => prefixed(&flat(&of.op), &of.expr, place),
        Expr::Paren(of) => {
            let inner = self::expression(&of.expr, place.after(1)?.before(1)?)?;
            Some(format!("({inner})"))
        }
        Expr::Tuple(of) => {
            let items: Vec<&Expr> = of.elems.iter().collect();
            match items.as_slice() {
                [only] => {
                    let inner = self::expression(only, place.after(1)?.before(2)?)?;
                    Some(format!("({inner},)"))
                }
                items => arguments::call("", items, place),
            }
        }
        Expr::Array(of) => {
            let items: Vec<&Expr> = of.elems.iter().collect();
            array("[", &items, place)
        }
        Expr::Struct(of) => structure(of, place),
        Expr::Binary(of) => binary(expression, of.op, place),
        Expr::Cast(of) => {
            let to = flat(&of.ty);
            let from = self::expression(&of.expr, place.before(" as ".len() + to.len())?)?;
            Some(format!("{from} as {to}"))
        }
        Expr::Assign(of) => {
            let left = self::expression(&of.left, place)?;
            Some(format!(
                "{left}{}",
                assigned(&of.right, place.after(left.len())?, " =")?
            ))
        }
        Expr::Closure(_) => closure(expression, place),
        Expr::Async(of) => Some(format!("async {}", block(&of.block, place.indent))),
        Expr::Block(of) => Some(block(&of.block, place.indent)),
        Expr::If(of) => conditional(of, place),
        Expr::Match(of) => matching(of, place),
        Expr::Return(of) => match &of.expr {
            None => Some("return".to_owned()),
            Some(value) => prefixed("return ", value, place),
        },
        Expr::ForLoop(of) => {
            let pattern = flat(&of.pat);
            let head = format!("for {pattern} in ");
            let over = self::expression(&of.expr, place.after(head.len())?.before(2)?)?;
            Some(format!("{head}{over} {}", block(&of.body, place.indent)))
        }
        Expr::Let(of) => {
            let head = format!("let {} = ", flat(&of.pat));
            prefixed(&head, &of.expr, place)
        }
        other => {
            let text = flat(other);
            // The width of text with line breaks is the width of its first line.
            let width = text.lines().next().map_or(0, str::len);
            (place.column + width <= place.end).then_some(text)
        }
    }
}

fn prefixed(prefix: &str, of: &Expr, place: Place) -> Option<String> {
    Some(format!("{prefix}{}", expression(of, place.after(prefix.len())?)?))
}

fn macro_call(of: &syn::Macro, place: Place) -> Option<String> {
    let name = flat(&of.path);
    let parse = || of.parse_body_with(syn::punctuated::Punctuated::<Expr, syn::Token![,]>::parse_terminated);
    match name.rsplit("::").next() {
        Some("vec") => {
            let items = parse().ok()?;
            array("vec![", &items.iter().collect::<Vec<_>>(), place)
        }
        Some("try_join") => {
            let items = parse().ok()?;
            Some(arguments::vertical(
                &format!("{name}!("),
                &items.iter().collect::<Vec<_>>(),
                ")",
                place,
            )?)
        }
        _ => {
            let text = format!("{name}!({})", flat(&of.tokens));
            (place.column + text.len() <= place.end).then_some(text)
        }
    }
}

/// Prints an array. `begin` is the text before its items: `[` or `&[`.
fn array(begin: &str, items: &[&Expr], place: Place) -> Option<String> {
    list(begin, items, "]", ARRAY, place)
}

fn structure(of: &ExprStruct, place: Place) -> Option<String> {
    let name = flat(&of.path);
    if of.fields.is_empty() && of.rest.is_none() {
        return Some(format!("{name} {{}}"));
    }
    let field = |value: &syn::FieldValue, place: Place| {
        let member = flat(&value.member);
        if value.colon_token.is_none() {
            return Some(member);
        }
        let value = expression(&value.expr, place.after(member.len() + 2)?)?;
        Some(format!("{member}: {value}"))
    };
    let line = Place {
        end: usize::MAX,
        ..place
    };
    let fields: Option<Vec<String>> = of.fields.iter().map(|value| field(value, line)).collect();
    let joined = fields?.join(", ");
    if of.rest.is_none()
        && !joined.contains('\n')
        && joined.len() <= STRUCT
        && place.column + name.len() + joined.len() + 5 <= place.end.saturating_add(1)
    {
        return Some(format!("{name} {{ {joined} }}"));
    }
    let inner = place.nested();
    let mut text = format!("{name} {{\n");
    for value in &of.fields {
        let value = field(value, inner.before(1)?)?;
        text.push_str(&format!("{}{value},\n", margin(inner.indent)));
    }
    if let Some(rest) = &of.rest {
        let rest = expression(rest, inner.after(2)?)?;
        text.push_str(&format!("{}..{rest}\n", margin(inner.indent)));
    }
    Some(format!("{text}{}}}", margin(place.indent)))
}

/// Prints operands with the same operator between them, on one line or each on its own line.
fn binary(whole: &Expr, operator: BinOp, place: Place) -> Option<String> {
    let sign = flat(&operator);
    let mut operands = Vec::new();
    let mut rest = whole;
    while let Expr::Binary(of) = rest {
        if flat(&of.op) != sign {
            break;
        }
        operands.push(&*of.right);
        rest = &of.left;
    }
    operands.push(rest);
    operands.reverse();
    let line = Place {
        end: usize::MAX,
        ..place
    };
    let parts: Option<Vec<String>> = operands.iter().map(|operand| expression(operand, line)).collect();
    let joined = parts?.join(&format!(" {sign} "));
    if !joined.contains('\n') && place.column + joined.len() <= place.end {
        return Some(joined);
    }
    let inner = place.nested();
    let mut text = expression(operands.first()?, place)?;
    for operand in operands.iter().skip(1) {
        let operand = expression(operand, inner.after(sign.len() + 1)?)?;
        text.push_str(&format!("\n{}{sign} {operand}", margin(inner.indent)));
    }
    Some(text)
}

fn closure(whole: &Expr, place: Place) -> Option<String> {
    let Expr::Closure(of) = whole else { return None };
    let inputs: Vec<String> = of.inputs.iter().map(flat).collect();
    let head = format!("|{}| ", inputs.join(", "));
    if let Expr::Block(body) = &*of.body {
        return Some(format!("{head}{}", block(&body.block, place.indent)));
    }
    let text = place
        .after(head.len())
        .and_then(|place| expression(&of.body, place));
    match text {
        Some(body) if !body.contains('\n') || is_block_like(&of.body) => Some(format!("{head}{body}")),
        _ => {
            let inner = place.nested();
            let body = expression(&of.body, inner)?;
            Some(format!(
                "{head}{{\n{}{body}\n{}}}",
                margin(inner.indent),
                margin(place.indent)
            ))
        }
    }
}

/// Returns true if a closure with this body never needs braces around it.
fn is_block_like(body: &Expr) -> bool {
    match body {
        Expr::Struct(_) | Expr::Call(_) | Expr::Macro(_) | Expr::Match(_) | Expr::Tuple(_) => true,
        Expr::Reference(of) => is_block_like(&of.expr),
        _ => false,
    }
}

fn conditional(of: &ExprIf, place: Place) -> Option<String> {
    let condition = condition(&of.cond, place)?;
    let mut text = format!("if {condition}{}", block(&of.then_branch, place.indent));
    if let Some((_, otherwise)) = &of.else_branch {
        text.push_str(" else ");
        text.push_str(&expression(otherwise, Place::line(place.indent))?);
    }
    Some(text)
}

/// Prints the condition of an `if` and the space or line break before the block.
fn condition(of: &Expr, place: Place) -> Option<String> {
    let begin = place.after("if ".len())?;
    match begin.before(2).and_then(|place| expression(of, place)) {
        Some(text) if !text.contains('\n') => Some(format!("{text} ")),
        _ => {
            let text = expression(of, begin)?;
            Some(format!("{text}\n{}", margin(place.indent)))
        }
    }
}

fn matching(of: &ExprMatch, place: Place) -> Option<String> {
    let head = "match ".len();
    let over = expression(&of.expr, place.after(head)?.before(2)?)?;
    let mut text = format!("match {over} {{\n");
    for arm in &of.arms {
        text.push_str(&self::arm(arm, place.indent + 4)?);
    }
    Some(format!("{text}{}}}", margin(place.indent)))
}

fn arm(of: &Arm, indent: usize) -> Option<String> {
    let start = margin(indent);
    let mut pattern = flat(&of.pat);
    if indent + pattern.len() + " => {".len() > WIDTH {
        pattern = pattern.replace(" | ", &format!("\n{start}| "));
    }
    let last = pattern.lines().last().unwrap_or_default().trim_start().len();
    let mut attributes = attributes(&of.attrs, indent);
    attributes.push_str(&start);
    if let Expr::Block(body) = &*of.body {
        return Some(format!(
            "{attributes}{pattern} => {}\n",
            block(&body.block, indent)
        ));
    }
    let line = Place::line(indent).after(last + 4)?.before(1);
    let same = line.and_then(|place| expression(&of.body, place));
    if let Some(same) = &same
        && !same.contains('\n')
    {
        return Some(format!("{attributes}{pattern} => {same},\n"));
    }
    let next = expression(&of.body, Place::line(indent + 4));
    let text = match (same, next) {
        (Some(same), Some(next)) if prefers_next(&same, &next) => broken_arm(&next, indent),
        (Some(same), _) if arguments::can_overflow(&of.body, 1) => format!("{same},"),
        (Some(same), Some(next)) if same.contains('\n') => broken_arm(&next, indent),
        (Some(same), _) => format!("{same},"),
        (None, Some(next)) => broken_arm(&next, indent),
        (None, None) => return None,
    };
    Some(format!("{attributes}{pattern} => {text}\n"))
}

fn broken_arm(body: &str, indent: usize) -> String {
    format!("{{\n{}{body}\n{}}}", margin(indent + 4), margin(indent))
}

/// Returns true if the value of an assignment is better on the next line than after the `=`. `same` and `next` are
/// its two printed forms.
fn prefers_next(same: &str, next: &str) -> bool {
    let ends = |text: &str, end: char| text.lines().next().is_some_and(|line| line.ends_with(end));
    let lines = |text: &str| text.matches('\n').count();
    !next.contains('\n')
        || lines(same) > lines(next) + 1
        || ['(', '{', '[']
            .iter()
            .any(|end| ends(same, *end) && !ends(next, *end))
}

/// Prints the operator and the value of an assignment. The value is on the same line or on the next one.
pub(super) fn assigned(value: &Expr, place: Place, operator: &str) -> Option<String> {
    let same = place
        .after(operator.len() + 1)
        .and_then(|place| expression(value, place));
    if let Some(same) = &same
        && !same.contains('\n')
    {
        return Some(format!("{operator} {same}"));
    }
    let inner = Place {
        end: place.end,
        ..place.nested()
    };
    let next = expression(value, inner).filter(|next| {
        next.lines()
            .next()
            .is_none_or(|line| inner.column + line.len() <= inner.end)
    });
    match (same, next) {
        (Some(same), Some(next)) if !prefers_next(&same, &next) => Some(format!("{operator} {same}")),
        (_, Some(next)) => Some(format!("{operator}\n{}{next}", margin(inner.indent))),
        (Some(same), None) => Some(format!("{operator} {same}")),
        (None, None) => None,
    }
}

/// Prints a block. Its closing brace has the indentation `indent`.
pub(super) fn block(of: &Block, indent: usize) -> String {
    if of.stmts.is_empty() {
        return "{}".to_owned();
    }
    let statements: String = of
        .stmts
        .iter()
        .map(|statement| self::statement(statement, indent + 4))
        .collect();
    format!("{{\n{statements}{}}}", margin(indent))
}

fn statement(of: &Stmt, indent: usize) -> String {
    match of {
        Stmt::Local(local) => self::local(local, indent),
        Stmt::Item(item) => items::item(item, indent),
        Stmt::Expr(value, end) => {
            let end = if end.is_some() { ";" } else { "" };
            let before = attributes(own_attributes(value), indent);
            let text = lenient(indent, |place| expression(value, place.before(end.len())?));
            format!("{before}{}{text}{end}\n", margin(indent))
        }
        Stmt::Macro(of) => {
            let end = if of.semi_token.is_some() { ";" } else { "" };
            let text = lenient(indent, |place| macro_call(&of.mac, place.before(end.len())?));
            format!("{}{text}{end}\n", margin(indent))
        }
    }
}

/// Returns the attributes of an expression that is a statement. They contain the comments before it.
fn own_attributes(of: &Expr) -> &[syn::Attribute] {
    match of {
        Expr::If(of) => &of.attrs,
        Expr::Call(of) => &of.attrs,
        Expr::MethodCall(of) => &of.attrs,
        Expr::Match(of) => &of.attrs,
        _ => &[],
    }
}

fn local(of: &Local, indent: usize) -> String {
    let before = attributes(&of.attrs, indent);
    let head = format!("let {}", flat(&of.pat));
    let Some(init) = &of.init else {
        return format!("{before}{}{head};\n", margin(indent));
    };
    let otherwise = init.diverge.as_ref().map(|(_, otherwise)| match &**otherwise {
        Expr::Block(body) => format!(" else {}", block(&body.block, indent)),
        other => format!(" else {{ {} }}", flat(other)),
    });
    let otherwise = otherwise.unwrap_or_default();
    let after = if otherwise.is_empty() { 1 } else { " else {".len() };
    let value = lenient(indent, |place| {
        assigned(&init.expr, place.after(head.len())?.before(after)?, " =")
    });
    format!("{before}{}{head}{value}{otherwise};\n", margin(indent))
}

/// Prints code with an indentation. If it fits into no line, prints it without a maximum width.
pub(super) fn lenient(indent: usize, print: impl Fn(Place) -> Option<String>) -> String {
    let place = Place::line(indent);
    print(place)
        .or_else(|| {
            print(Place {
                end: usize::MAX,
                ..place
            })
        })
        .unwrap_or_default()
}
