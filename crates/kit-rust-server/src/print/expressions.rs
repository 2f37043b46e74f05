//! Prints expressions and statements in the layout of rustfmt.

use quote::ToTokens;
use syn::{Arm, BinOp, Block, Expr, ExprIf, ExprMatch, ExprStruct, Local, Stmt};

use super::arguments::{self, list};
use super::items;
use super::memory;
use super::tokens::flat;
use super::{Space, WIDTH, attributes, margin};

/// Maximum width of the fields of a struct literal on one line.
const STRUCT: usize = 18;
/// Maximum width of an array on one line.
const ARRAY: usize = 60;

/// Prints an expression. Returns `None` if the expression does not fit into the space.
pub(super) fn expression(expression: &Expr, space: Space) -> Option<String> {
    memory::printed(expression, space, || made(expression, space))
}

fn made(expression: &Expr, space: Space) -> Option<String> {
    match expression {
        Expr::MethodCall(_) | Expr::Field(_) | Expr::Await(_) | Expr::Try(_) => {
            super::chain::chain(expression, space)
        }
        Expr::Call(call) => {
            let function = self::expression(&call.func, space)?;
            let items: Vec<&Expr> = call.args.iter().collect();
            arguments::call(&function, &items, space)
        }
        Expr::Macro(node) => memory::without(|| macro_call(&node.mac, space)),
        Expr::Reference(node) => prefixed(
            if node.mutability.is_some() { "&mut " } else { "&" },
            &node.expr,
            space,
        ),
        Expr::Unary(node) => prefixed(&flat(&node.op), &node.expr, space),
        Expr::Paren(node) => {
            let inner = self::expression(&node.expr, space.after(1)?.before(1)?)?;
            Some(format!("({inner})"))
        }
        Expr::Tuple(node) => {
            let items: Vec<&Expr> = node.elems.iter().collect();
            match items.as_slice() {
                [only] => {
                    let inner = self::expression(only, space.after(1)?.before(2)?)?;
                    Some(format!("({inner},)"))
                }
                items => arguments::call("", items, space),
            }
        }
        Expr::Array(node) => {
            let items: Vec<&Expr> = node.elems.iter().collect();
            array("[", &items, space)
        }
        Expr::Struct(node) => structure(node, space),
        Expr::Binary(node) => binary(expression, node.op, space),
        Expr::Cast(node) => {
            let to = flat(&node.ty);
            let from = self::expression(&node.expr, space.before(" as ".len() + to.len())?)?;
            Some(format!("{from} as {to}"))
        }
        Expr::Assign(node) => {
            let left = self::expression(&node.left, space)?;
            Some(format!(
                "{left}{}",
                assigned(&node.right, space.after(left.len())?, " =")?
            ))
        }
        Expr::Closure(_) => closure(expression, space),
        Expr::Async(node) => {
            let capture = captured(node.capture.is_some());
            Some(format!("async {capture}{}", block(&node.block, space.indent)))
        }
        Expr::Block(node) => Some(block(&node.block, space.indent)),
        Expr::If(node) => conditional(node, space),
        Expr::Match(node) => matching(node, space),
        Expr::Return(node) => match &node.expr {
            None => Some("return".to_owned()),
            Some(value) => prefixed("return ", value, space),
        },
        Expr::ForLoop(node) => {
            let pattern = flat(&node.pat);
            let head = format!("for {pattern} in ");
            let over = self::expression(&node.expr, space.after(head.len())?.before(2)?)?;
            Some(format!("{head}{over} {}", block(&node.body, space.indent)))
        }
        Expr::Let(node) => {
            let head = format!("let {} = ", flat(&node.pat));
            prefixed(&head, &node.expr, space)
        }
        other => {
            let text = flat(other);
            // The width of text with line breaks is the width of its first line.
            let width = text.lines().next().map_or(0, str::len);
            (space.column + width <= space.end).then_some(text)
        }
    }
}

fn prefixed(prefix: &str, node: &Expr, space: Space) -> Option<String> {
    Some(format!(
        "{prefix}{}",
        expression(node, space.after(prefix.len())?)?
    ))
}

fn macro_call(node: &syn::Macro, space: Space) -> Option<String> {
    let name = flat(&node.path);
    let parse =
        || node.parse_body_with(syn::punctuated::Punctuated::<Expr, syn::Token![,]>::parse_terminated);
    match name.rsplit("::").next() {
        Some("vec") => {
            let items = parse().ok()?;
            array("vec![", &items.iter().collect::<Vec<_>>(), space)
        }
        Some("try_join") => {
            let items = parse().ok()?;
            Some(arguments::vertical(
                &format!("{name}!("),
                &items.iter().collect::<Vec<_>>(),
                ")",
                space,
            )?)
        }
        _ => {
            let text = format!("{name}!({})", flat(&node.tokens));
            (space.column + text.len() <= space.end).then_some(text)
        }
    }
}

/// Prints an array. `begin` is the text before its items: `[` or `&[`.
fn array(begin: &str, items: &[&Expr], space: Space) -> Option<String> {
    list(begin, items, "]", ARRAY, space)
}

fn structure(node: &ExprStruct, space: Space) -> Option<String> {
    let name = flat(&node.path);
    if node.fields.is_empty() && node.rest.is_none() {
        return Some(format!("{name} {{}}"));
    }
    let field = |value: &syn::FieldValue, space: Space| {
        let member = flat(&value.member);
        if value.colon_token.is_none() {
            return Some(member);
        }
        let value = expression(&value.expr, space.after(member.len() + 2)?)?;
        Some(format!("{member}: {value}"))
    };
    let line = Space {
        end: usize::MAX,
        ..space
    };
    let fields: Option<Vec<String>> = node.fields.iter().map(|value| field(value, line)).collect();
    let joined = fields?.join(", ");
    if node.rest.is_none()
        && !joined.contains('\n')
        && joined.len() <= STRUCT
        && space.column + name.len() + joined.len() + 5 <= space.end.saturating_add(1)
    {
        return Some(format!("{name} {{ {joined} }}"));
    }
    let inner = space.nested();
    let mut text = format!("{name} {{\n");
    for value in &node.fields {
        let value = field(value, inner.before(1)?)?;
        text.push_str(&format!("{}{value},\n", margin(inner.indent)));
    }
    if let Some(rest) = &node.rest {
        let rest = expression(rest, inner.after(2)?)?;
        text.push_str(&format!("{}..{rest}\n", margin(inner.indent)));
    }
    Some(format!("{text}{}}}", margin(space.indent)))
}

/// Prints operands with the same operator between them, on one line or each on its own line.
fn binary(node: &Expr, operator: BinOp, space: Space) -> Option<String> {
    let sign = flat(&operator);
    let mut operands = Vec::new();
    let mut rest = node;
    while let Expr::Binary(node) = rest {
        if flat(&node.op) != sign {
            break;
        }
        operands.push(&*node.right);
        rest = &node.left;
    }
    operands.push(rest);
    operands.reverse();
    let line = Space {
        end: usize::MAX,
        ..space
    };
    let parts: Option<Vec<String>> = operands.iter().map(|operand| expression(operand, line)).collect();
    let joined = parts?.join(&format!(" {sign} "));
    if !joined.contains('\n') && space.column + joined.len() <= space.end {
        return Some(joined);
    }
    let inner = space.nested();
    let mut text = expression(operands.first()?, space)?;
    for operand in operands.iter().skip(1) {
        let operand = expression(operand, inner.after(sign.len() + 1)?)?;
        text.push_str(&format!("\n{}{sign} {operand}", margin(inner.indent)));
    }
    Some(text)
}

fn closure(expr: &Expr, space: Space) -> Option<String> {
    let Expr::Closure(node) = expr else { return None };
    let inputs: Vec<String> = node.inputs.iter().map(flat).collect();
    let capture = captured(node.capture.is_some());
    let asynchronous = if node.asyncness.is_some() { "async " } else { "" };
    let head = format!("{asynchronous}{capture}|{}| ", inputs.join(", "));
    if let Expr::Block(body) = &*node.body {
        return Some(format!("{head}{}", block(&body.block, space.indent)));
    }
    let text = space
        .after(head.len())
        .and_then(|space| expression(&node.body, space));
    match text {
        Some(body) if !body.contains('\n') || is_block_like(&node.body) => Some(format!("{head}{body}")),
        _ => {
            let inner = space.nested();
            let body = expression(&node.body, inner)?;
            Some(format!(
                "{head}{{\n{}{body}\n{}}}",
                margin(inner.indent),
                margin(space.indent)
            ))
        }
    }
}

/// Returns `move ` for closures and asynchronous blocks that own the variables that they use. Returns an
/// empty text for all others.
fn captured(is_moved: bool) -> &'static str {
    if is_moved { "move " } else { "" }
}

/// Returns true if a closure with this body never needs braces around it.
fn is_block_like(body: &Expr) -> bool {
    match body {
        Expr::Async(_) | Expr::Struct(_) | Expr::Match(_) => true,
        Expr::Reference(node) => is_block_like(&node.expr),
        _ => false,
    }
}

fn conditional(node: &ExprIf, space: Space) -> Option<String> {
    let condition = condition(&node.cond, space)?;
    let mut text = format!("if {condition}{}", block(&node.then_branch, space.indent));
    if let Some((_, otherwise)) = &node.else_branch {
        text.push_str(" else ");
        text.push_str(&expression(otherwise, Space::line(space.indent))?);
    }
    Some(text)
}

/// Prints the condition of an `if` and the space or line break before the block.
fn condition(node: &Expr, space: Space) -> Option<String> {
    let begin = space.after("if ".len())?;
    match begin.before(2).and_then(|space| expression(node, space)) {
        Some(text) if !text.contains('\n') => Some(format!("{text} ")),
        _ => {
            let text = expression(node, begin)?;
            Some(format!("{text}\n{}", margin(space.indent)))
        }
    }
}

fn matching(node: &ExprMatch, space: Space) -> Option<String> {
    let head = "match ".len();
    let over = expression(&node.expr, space.after(head)?.before(2)?)?;
    let mut text = format!("match {over} {{\n");
    for arm in &node.arms {
        text.push_str(&self::arm(arm, space.indent + 4)?);
    }
    Some(format!("{text}{}}}", margin(space.indent)))
}

fn arm(node: &Arm, indent: usize) -> Option<String> {
    let start = margin(indent);
    let mut pattern = flat(&node.pat);
    if indent + pattern.len() + " => {".len() > WIDTH {
        pattern = broken_pattern(&pattern, indent);
    }
    let last = pattern.lines().last().unwrap_or_default().trim_start().len();
    let mut attributes = attributes(&node.attrs, indent);
    attributes.push_str(&start);
    if let Expr::Block(body) = &*node.body {
        return Some(format!(
            "{attributes}{pattern} => {}\n",
            block(&body.block, indent)
        ));
    }
    let line = Space::line(indent).after(last + 4)?.before(1);
    let same = line.and_then(|space| expression(&node.body, space));
    if let Some(same) = &same
        && !same.contains('\n')
    {
        return Some(format!("{attributes}{pattern} => {same},\n"));
    }
    let next = expression(&node.body, Space::line(indent + 4));
    let text = match (same, next) {
        (Some(same), Some(next)) if prefers_next(&same, &next) => broken_arm(&next, indent),
        (Some(same), _) if arguments::can_overflow(&node.body, 1) => format!("{same},"),
        (Some(same), Some(next)) if same.contains('\n') => broken_arm(&next, indent),
        (Some(same), _) => format!("{same},"),
        (None, Some(next)) => broken_arm(&next, indent),
        // Only a literal is wider than a line. Other arms are printed as usual.
        (None, None) => {
            let unlimited = Space {
                end: usize::MAX,
                ..Space::line(indent + 4)
            };
            broken_arm(&expression(&node.body, unlimited)?, indent)
        }
    };
    Some(format!("{attributes}{pattern} => {text}\n"))
}

/// Returns a pattern with one alternative on each line. Alternatives in parentheses, as in `Some(A | B)`, are on one line of their
/// own if they fit.
fn broken_pattern(pattern: &str, indent: usize) -> String {
    let start = margin(indent);
    let parts = pattern
        .strip_suffix(')')
        .and_then(|pattern| pattern.split_once('('));
    let Some((name, inner)) = parts.filter(|(_, inner)| inner.contains(" | ") && !inner.contains(['(', ')']))
    else {
        return pattern.replace(" | ", &format!("\n{start}| "));
    };
    let inside = margin(indent + 4);
    let inner = if indent + 4 + inner.len() < WIDTH {
        inner.to_owned()
    } else {
        inner.replace(" | ", &format!("\n{inside}| "))
    };
    format!("{name}(\n{inside}{inner},\n{start})")
}

fn broken_arm(body: &str, indent: usize) -> String {
    format!("{{\n{}{body}\n{}}}", margin(indent + 4), margin(indent))
}

/// Returns true if the value of an assignment should be on the line after the `=`. `same` is the value
/// printed on the same line, and `next` the value printed on the next line.
fn prefers_next(same: &str, next: &str) -> bool {
    let ends = |text: &str, end: char| text.lines().next().is_some_and(|line| line.ends_with(end));
    let lines = |text: &str| text.matches('\n').count();
    !next.contains('\n')
        || lines(same) > lines(next) + 1
        || ['(', '{', '[']
            .iter()
            .any(|end| ends(same, *end) && !ends(next, *end))
}

/// Prints the operator and the value of an assignment. The value is on the same line or on the next line.
fn assigned(value: &Expr, space: Space, operator: &str) -> Option<String> {
    let same = space
        .after(operator.len() + 1)
        .and_then(|space| expression(value, space));
    if let Some(same) = &same
        && !same.contains('\n')
    {
        return Some(format!("{operator} {same}"));
    }
    let inner = Space {
        end: space.end,
        ..space.nested()
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

/// Prints a block. `indent` is the indentation of its closing brace.
pub(super) fn block(node: &Block, indent: usize) -> String {
    if node.stmts.is_empty() {
        return "{}".to_owned();
    }
    let statements: String = node
        .stmts
        .iter()
        .map(|statement| self::statement(statement, indent + 4))
        .collect();
    format!("{{\n{statements}{}}}", margin(indent))
}

fn statement(node: &Stmt, indent: usize) -> String {
    match node {
        Stmt::Local(local) => self::local(local, indent),
        Stmt::Item(item) => items::item(item, indent),
        Stmt::Expr(value, end) => {
            let end = if end.is_some() { ";" } else { "" };
            let before = attributes(own_attributes(value), indent);
            let text = lenient(indent, value, |space| expression(value, space.before(end.len())?));
            format!("{before}{}{text}{end}\n", margin(indent))
        }
        Stmt::Macro(node) => {
            let end = if node.semi_token.is_some() { ";" } else { "" };
            let text = lenient(indent, &node.mac, |space| {
                let space = space.before(end.len())?;
                memory::without(|| macro_call(&node.mac, space))
            });
            format!("{}{text}{end}\n", margin(indent))
        }
    }
}

/// Returns the attributes of an expression that is a statement. The comments before the statement are among
/// these attributes.
fn own_attributes(node: &Expr) -> &[syn::Attribute] {
    match node {
        Expr::If(node) => &node.attrs,
        Expr::Call(node) => &node.attrs,
        Expr::MethodCall(node) => &node.attrs,
        Expr::Match(node) => &node.attrs,
        _ => &[],
    }
}

fn local(node: &Local, indent: usize) -> String {
    let before = attributes(&node.attrs, indent);
    let head = format!("let {}", flat(&node.pat));
    let Some(init) = &node.init else {
        return format!("{before}{}{head};\n", margin(indent));
    };
    let otherwise = init.diverge.as_ref().map(|(_, otherwise)| match &**otherwise {
        Expr::Block(body) => format!(" else {}", block(&body.block, indent)),
        other => format!(" else {{ {} }}", flat(other)),
    });
    let otherwise = otherwise.unwrap_or_default();
    let after = if otherwise.is_empty() { 1 } else { " else {".len() };
    let value = assignment(&init.expr, indent, |space| space.after(head.len())?.before(after));
    format!("{before}{}{head}{value}{otherwise};\n", margin(indent))
}

/// Prints ` = ` and the value of an assignment. `after_head` reduces the space of a line to the space after the text before
/// the ` =`.
pub(super) fn assignment(value: &Expr, indent: usize, after_head: impl Fn(Space) -> Option<Space>) -> String {
    let printed = within_width(indent, |space| assigned(value, after_head(space)?, " ="));
    printed.unwrap_or_else(|| format!(" = {}", flat(value)))
}

/// Prints code with an indentation. If the code does not fit into the maximum width, prints it without a
/// maximum, and if it has a part for which this is not possible, on one line.
fn lenient(indent: usize, code: &impl ToTokens, print: impl Fn(Space) -> Option<String>) -> String {
    within_width(indent, print).unwrap_or_else(|| flat(code))
}

/// Prints code with an indentation, with the maximum width if possible, or else without a maximum.
fn within_width(indent: usize, print: impl Fn(Space) -> Option<String>) -> Option<String> {
    let space = Space::line(indent);
    let unlimited = Space {
        end: usize::MAX,
        ..space
    };
    print(space).or_else(|| print(unlimited))
}
