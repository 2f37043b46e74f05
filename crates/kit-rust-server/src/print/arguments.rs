//! Prints lists of expressions: arguments, tuples and arrays.

use syn::Expr;

use super::expressions::expression;
use super::tokens::flat;
use super::{Space, margin};

/// Maximum width of the arguments of a call on one line.
const CALL: usize = 60;
/// Maximum width of array items that share lines.
const ITEM: usize = 10;

/// Prints a call. `function` is the text before the parentheses.
pub(super) fn call(function: &str, items: &[&Expr], space: Space) -> Option<String> {
    list(&format!("{function}("), items, ")", CALL, space)
}

/// Prints items between the texts `begin` and `end`. `limit` is the maximum width of the items on one line.
pub(super) fn list(begin: &str, items: &[&Expr], end: &str, limit: usize, space: Space) -> Option<String> {
    let first = begin.lines().last().unwrap_or_default();
    let column = if begin.contains('\n') { 0 } else { space.column } + first.len();
    if items.is_empty() {
        return (column + end.len() <= space.end).then(|| format!("{begin}{end}"));
    }
    if column > space.end {
        return None;
    }
    // Without room for an item, each item is on its own line.
    let width = space.end.saturating_sub(column + end.len());
    let line = Space {
        indent: space.indent,
        column,
        end: column + width,
    };
    let on_one_line = |item: &Expr, space: Space| expression(item, space).filter(|text| !text.contains('\n'));
    let texts: Vec<Option<String>> = items
        .iter()
        .map(|item| {
            on_one_line(
                item,
                Space {
                    column: space.indent + 4,
                    end: usize::MAX,
                    ..space
                },
            )
        })
        .collect();
    let (last, others) = items.split_last()?;
    let separators = 2 * others.len();
    let before: Option<usize> = texts[..others.len()]
        .iter()
        .map(|text| text.as_ref().map(String::len))
        .sum();
    // The last item may have further lines.
    // rustfmt keeps the only item of a short callee, or of an array, beside the opening delimiter.
    let is_short_callee = items.len() == 1 && (begin == "[" || begin.len() <= 4 && end == ")");
    if let Some(before) = before
        && (can_overflow(last, items.len()) || is_short_callee)
    {
        let is_nested = items.len() > 1 || is_nested_call(last);
        let room = if is_nested { width.min(limit) } else { width };
        let last_space = Space {
            column: line.column + before + separators,
            // If the code fits into no line, the limit for nested calls does not apply either.
            end: if space.end == usize::MAX {
                usize::MAX
            } else {
                line.column + room
            },
            ..line
        };
        let chained = !is_short_callee && is_method_call(last);
        let text = if last_space.column > last_space.end {
            None
        } else {
            expression(last, last_space)
        };
        let is_broken = |text: &str| {
            let starts =
                [last_space.indent, last_space.indent + 4].map(|indent| format!("{}.", margin(indent)));
            let mut lines = text.lines().skip(1);
            lines.any(|line| starts.iter().any(|start| line.starts_with(start)))
        };
        // A method chain of several lines must begin on its own line.
        let text = text.filter(|text| !(chained && is_broken(text)));
        if let Some(text) = text {
            let first = text.lines().next().unwrap_or_default().len();
            if before + separators + first <= width.min(limit) {
                let others_text = texts[..others.len()]
                    .iter()
                    .flatten()
                    .map(|text| format!("{text}, "));
                let whole = texts.last()?.as_ref().filter(|_| text.matches('\n').count() == 1);
                let text = match whole {
                    Some(whole) if column + whole.len() <= space.end => whole.clone(),
                    Some(_) if items.len() == 1 => match on_own_line(last, space) {
                        // rustfmt prints no comma after the item.
                        Some(own) => return Some(own_line(begin, &own, end, space)),
                        None => text,
                    },
                    _ => text,
                };
                return Some(format!("{begin}{}{text}{end}", others_text.collect::<String>()));
            }
        }
    }
    let all: Option<Vec<String>> = texts.into_iter().collect();
    if let Some(all) = &all {
        let joined = all.join(", ");
        let limit = if items.len() == 1 { width } else { width.min(limit) };
        if joined.len() <= limit {
            return Some(format!("{begin}{joined}{end}"));
        }
        if end == "]" && all.iter().all(|item| item.len() <= ITEM) {
            return Some(mixed(begin, all, end, space));
        }
    }
    vertical(begin, items, end, space)
}

/// Prints an item for a line of its own. Returns `None` if the item needs several lines.
fn on_own_line(item: &Expr, space: Space) -> Option<String> {
    let text = expression(item, space.nested().before(1)?)?;
    (!text.contains('\n')).then_some(text)
}

/// Prints a list with its only item on a line of its own.
fn own_line(begin: &str, item: &str, end: &str, space: Space) -> String {
    format!(
        "{begin}\n{}{item}\n{}{end}",
        margin(space.indent + 4),
        margin(space.indent)
    )
}

/// Prints a list with one item per line.
pub(super) fn vertical(begin: &str, items: &[&Expr], end: &str, space: Space) -> Option<String> {
    let inner = space.nested();
    let mut text = format!("{begin}\n");
    for item in items {
        let fitting = inner.before(1).and_then(|space| expression(item, space));
        // rustfmt does not break a text, even if it is wider than a line.
        let item = fitting.or_else(|| is_text(item).then(|| flat(item)))?;
        text.push_str(&format!("{}{item},\n", margin(inner.indent)));
    }
    Some(format!("{text}{}{end}", margin(space.indent)))
}

fn is_text(item: &Expr) -> bool {
    matches!(item, Expr::Lit(literal) if matches!(literal.lit, syn::Lit::Str(_)))
}

/// Prints short items, with as many on each line as fit.
fn mixed(begin: &str, items: &[String], end: &str, space: Space) -> String {
    let inner = space.nested();
    let mut text = format!("{begin}\n");
    let mut line = margin(inner.indent);
    for item in items {
        if line.len() > inner.indent && line.len() + item.len() + 2 > inner.end {
            text.push_str(&line);
            text.push('\n');
            line = margin(inner.indent);
        }
        if line.len() > inner.indent {
            line.push(' ');
        }
        line.push_str(item);
        line.push(',');
    }
    format!("{text}{line}\n{}{end}", margin(space.indent))
}

/// Returns true if the last argument of a call may begin on the line of the call and end on a later line,
/// like a closure with a block.
pub(super) fn can_overflow(item: &Expr, count: usize) -> bool {
    match item {
        Expr::Async(_) | Expr::Closure(_) | Expr::Block(_) => true,
        Expr::Call(_)
        | Expr::MethodCall(_)
        | Expr::Macro(_)
        | Expr::Struct(_)
        | Expr::Tuple(_)
        | Expr::Array(_)
        | Expr::Match(_)
        | Expr::If(_) => count == 1,
        Expr::Reference(node) => can_overflow(&node.expr, count),
        Expr::Unary(node) => can_overflow(&node.expr, count),
        Expr::Try(node) => can_overflow(&node.expr, count),
        Expr::Cast(node) => can_overflow(&node.expr, count),
        _ => false,
    }
}

fn is_nested_call(item: &Expr) -> bool {
    match item {
        Expr::Call(_) | Expr::Macro(_) => true,
        Expr::Reference(node) => is_nested_call(&node.expr),
        Expr::Unary(node) => is_nested_call(&node.expr),
        Expr::Try(node) => is_nested_call(&node.expr),
        Expr::Cast(node) => is_nested_call(&node.expr),
        _ => false,
    }
}

fn is_method_call(item: &Expr) -> bool {
    match item {
        Expr::MethodCall(_) => true,
        Expr::Reference(node) => is_method_call(&node.expr),
        Expr::Unary(node) => is_method_call(&node.expr),
        Expr::Try(node) => is_method_call(&node.expr),
        Expr::Cast(node) => is_method_call(&node.expr),
        _ => false,
    }
}
