//! Prints syntax trees as Rust code in the layout of rustfmt.
//!
//! The modules follow the algorithm of rustfmt for the syntax that generated code contains, with its default widths.
//! Code that fits stays on one line; other code is broken into several lines. Every function returns `None` for code
//! that does not fit into its [`Space`].

mod arguments;
mod chain;
mod expressions;
mod items;
mod memory;
mod tokens;

use proc_macro2::{TokenStream, TokenTree};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Lit, Meta, Token};

/// Maximum width of a line.
const WIDTH: usize = 100;

/// Maximum width of the parts of an attribute on one line.
const ATTRIBUTE: usize = 70;

/// Space on a line that is available for printing an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Space {
    /// Indentation of the line.
    indent: usize,
    /// Column at which the code begins.
    column: usize,
    /// Column at which the code must end. `usize::MAX` means that there is no limit.
    end: usize,
}

impl Space {
    /// Returns the space of a complete line with this indentation.
    fn line(indent: usize) -> Self {
        Self {
            indent,
            column: indent,
            end: WIDTH,
        }
    }

    /// Returns the space that remains after `count` columns. Returns `None` if the space has fewer columns
    /// than `count`.
    fn after(self, count: usize) -> Option<Self> {
        let column = self.column + count;
        (column <= self.end).then_some(Self { column, ..self })
    }

    /// Returns the space without its last `count` columns, which the code after the expression needs. Returns
    /// `None` if the space has fewer columns.
    fn before(self, count: usize) -> Option<Self> {
        if self.end == usize::MAX {
            return Some(self);
        }
        let end = self.end.checked_sub(count)?;
        (self.column <= end).then_some(Self { end, ..self })
    }

    /// Returns the space of a complete line that is indented by four more columns.
    fn nested(self) -> Self {
        let indent = self.indent + 4;
        let end = if self.end == usize::MAX { usize::MAX } else { WIDTH };
        Self {
            indent,
            column: indent,
            end,
        }
    }
}

pub(crate) use items::import_block;

/// Returns true if the code has an identifier.
pub(crate) fn mentions(code: &TokenStream, name: &str) -> bool {
    code.clone().into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == name,
        TokenTree::Group(group) => mentions(&group.stream(), name),
        _ => false,
    })
}

/// Prints a file. An attribute `#[comment = "…"]` before a statement becomes a comment.
pub(crate) fn file(code: &TokenStream) -> String {
    match syn::parse2(code.clone()) {
        Ok(file) => memory::with(|| laid_out(&file)),
        // If the code is not Rust, this crate has a defect. The compiler then reports its location.
        Err(_) => format!("{code}\n"),
    }
}

fn laid_out(file: &syn::File) -> String {
    let mut text = attributes(&file.attrs, 0);
    if !text.is_empty() && !file.items.is_empty() {
        text.push('\n');
    }
    text.push_str(&items::all(&file.items, 0));
    text
}

fn margin(indent: usize) -> String {
    " ".repeat(indent)
}

/// Prints attributes, one per line. The attributes `doc` and `comment` become comments.
fn attributes(attributes: &[Attribute], indent: usize) -> String {
    let margin = margin(indent);
    let line = |attribute: &Attribute| {
        let is_inner = matches!(attribute.style, syn::AttrStyle::Inner(_));
        if let Some((name, text)) = comment(attribute) {
            let begin = match (name.as_str(), is_inner) {
                ("comment", _) => "//",
                (_, true) => "//!",
                (_, false) => "///",
            };
            return format!("{margin}{begin}{text}\n");
        }
        let inner = if is_inner { "!" } else { "" };
        format!("{margin}#{inner}[{}]\n", meta(&attribute.meta, indent))
    };
    attributes.iter().map(line).collect()
}

/// Prints the content of an attribute. If it is too long, each part is on its own line.
fn meta(node: &Meta, indent: usize) -> String {
    let line = tokens::flat(node);
    let Meta::List(list) = node else { return line };
    let parse = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
    let parts: Vec<String> = parse.iter().flatten().map(tokens::flat).collect();
    let is_derive = list.path.is_ident("derive");
    if is_derive || parts.is_empty() || parts.join(", ").len() <= ATTRIBUTE {
        return line;
    }
    let inner = margin(indent + 4);
    let parts = parts.join(&format!(",\n{inner}"));
    format!(
        "{}(\n{inner}{parts}\n{})",
        tokens::flat(&list.path),
        margin(indent)
    )
}

/// Returns the name and the text of an attribute `doc` or `comment`; `None` for other attributes.
fn comment(attribute: &Attribute) -> Option<(String, String)> {
    let Meta::NameValue(pair) = &attribute.meta else {
        return None;
    };
    let name = pair.path.get_ident()?.to_string();
    let Expr::Lit(literal) = &pair.value else {
        return None;
    };
    match &literal.lit {
        Lit::Str(text) if matches!(name.as_str(), "doc" | "comment") => Some((name, text.value())),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
