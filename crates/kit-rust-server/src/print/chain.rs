//! Prints chains of method calls, fields, `.await` and `?`.

use syn::{Expr, ExprMethodCall};

use super::expressions::expression;
use super::tokens::flat;
use super::{Space, arguments, margin};

/// Maximum width of a chain on one line.
const CHAIN: usize = 60;

/// One method call, field access or `.await` of a chain, with the number of `?` after it.
struct Link<'a> {
    part: Part<'a>,
    tries: usize,
}

enum Part<'a> {
    Call(&'a ExprMethodCall),
    Field(String),
    Await,
}

impl Link<'_> {
    fn print(&self, space: Space) -> Option<String> {
        let tries = "?".repeat(self.tries);
        let space = space.before(self.tries)?;
        let text = match &self.part {
            Part::Call(node) => {
                let turbofish = node.turbofish.as_ref().map(flat).unwrap_or_default();
                let items: Vec<&Expr> = node.args.iter().collect();
                arguments::call(&format!(".{}{turbofish}", node.method), &items, space)?
            }
            Part::Field(name) => format!(".{name}"),
            Part::Await => ".await".to_owned(),
        };
        let first = text.lines().next().map_or(0, str::len);
        (space.column + first <= space.end).then(|| format!("{text}{tries}"))
    }
}

/// Splits a chain into its first expression, the number of `?` after this expression, and its links.
fn links(node: &Expr) -> (&Expr, usize, Vec<Link<'_>>) {
    let mut found = Vec::new();
    let mut tries = 0;
    let mut rest = node;
    loop {
        let (part, next): (Part<'_>, &Expr) = match rest {
            Expr::Try(node) => {
                tries += 1;
                rest = &node.expr;
                continue;
            }
            Expr::MethodCall(node) => (Part::Call(node), &node.receiver),
            Expr::Field(node) => (Part::Field(flat(&node.member)), &node.base),
            Expr::Await(node) => (Part::Await, &node.base),
            _ => break,
        };
        found.push(Link { part, tries });
        tries = 0;
        rest = next;
    }
    found.reverse();
    (rest, tries, found)
}

/// Prints a chain: on one line if it is short, otherwise with one call per line.
pub(super) fn chain(node: &Expr, space: Space) -> Option<String> {
    let (base, tries, links) = links(node);
    let mut root = format!("{}{}", expression(base, space)?, "?".repeat(tries));
    let count = links.len();
    let mut links = links.as_slice();
    while let [next, rest @ ..] = links
        && root.len() <= 4_usize.saturating_sub(space.column - space.indent)
        && !root.contains('\n')
    {
        root.push_str(&next.print(space.after(root.len())?)?);
        links = rest;
    }
    let Some((last, others)) = links.split_last() else {
        return Some(root);
    };
    let is_block = root.lines().last().is_some_and(|line| {
        line.chars()
            .all(|letter| matches!(letter, '(' | ')' | ']' | '}' | '?' | '>' | ' '))
    });
    let indent = if is_block { space.indent } else { space.indent + 4 };
    let child = Space {
        indent,
        column: indent,
        end: if space.end == usize::MAX {
            usize::MAX
        } else {
            super::WIDTH
        },
    };
    let mut parts = vec![root];
    for link in others {
        parts.push(link.print(child)?);
    }
    // Number of columns that other code needs behind the chain on its last line.
    let after = if space.end == usize::MAX {
        0
    } else {
        super::WIDTH.saturating_sub(space.end)
    };
    let is_one_line = parts.iter().all(|part| !part.contains('\n'));
    let almost: usize = if is_one_line {
        parts.iter().map(String::len).sum()
    } else {
        parts.first()?.lines().last()?.len()
    };
    let width = space.end.saturating_sub(space.column);
    let budget = if count == 1 { width } else { width.min(CHAIN) }.saturating_sub(almost + last.tries);
    let on_next = |last: &Link<'_>| last.print(child.before(after)?);
    let mut fits = false;
    let mut text = None;
    if is_one_line && budget > 0 {
        let same = space.after(almost).and_then(|space| last.print(space));
        if let Some(same) = same {
            let is_within = same.lines().next().map_or(0, str::len) <= budget;
            let lines = same.lines().count();
            if is_within && lines >= 5 {
                text = Some(same);
                fits = true;
            } else {
                match on_next(last) {
                    Some(next) if !is_within => text = Some(next),
                    Some(next) if next.lines().count() >= lines => {
                        text = Some(same);
                        fits = is_within;
                    }
                    Some(next) => text = Some(next),
                    None => {
                        text = Some(same);
                        fits = is_within;
                    }
                }
            }
        }
    }
    let text = text.or_else(|| on_next(last))?;
    parts.push(text);
    if fits {
        return Some(parts.concat());
    }
    Some(parts.join(&format!("\n{}", margin(indent))))
}
