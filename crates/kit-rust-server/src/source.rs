//! Parts of Rust code that all generators use: names, literals, comments and imports.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};

/// Returns an identifier. A name that begins with `r#` gives a raw identifier.
pub(crate) fn ident(name: &str) -> Ident {
    match name.strip_prefix("r#") {
        Some(keyword) => Ident::new_raw(keyword, Span::call_site()),
        None => Ident::new(name, Span::call_site()),
    }
}

/// Returns a path: `a::b`.
pub(crate) fn path(path: &str) -> TokenStream {
    let names = path.split("::").map(ident);
    quote!(#(#names)::*)
}

/// Returns a string literal in which all non-ASCII characters are escaped.
pub(crate) fn string_literal(value: &str) -> Literal {
    // Only literals of characters need the escape of an apostrophe.
    let text = format!("\"{}\"", value.escape_default()).replace("\\'", "'");
    text.parse().unwrap_or_else(|_| Literal::string(value))
}

/// Returns a numeric literal with these digits.
pub(crate) fn number(digits: &str) -> TokenStream {
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(digits) => (Some(quote!(-)), digits),
        None => (None, digits),
    };
    let literal: Option<Literal> = digits.parse().ok();
    quote!(#sign #literal)
}

/// Returns a doc comment (`///`). Returns nothing if the text is empty.
pub(crate) fn doc(text: &str) -> TokenStream {
    text.lines()
        .map(|line| {
            let line = comment_line(line);
            quote!(#[doc = #line])
        })
        .collect()
}

/// Returns the doc comment at the start of a file (`//!`).
pub(crate) fn file_doc(text: &str) -> TokenStream {
    text.lines()
        .map(|line| {
            let line = comment_line(line);
            quote!(#![doc = #line])
        })
        .collect()
}

/// Returns the attribute that allows lints of Clippy in a file and in its modules, with the reason as a comment.
/// Only lints that Rust 1.85 knows are possible, because Clippy warns of unknown ones.
pub(crate) fn allow_lints(reason: &str, lints: &[&str]) -> TokenStream {
    let reason = comment_line(reason);
    let lints = lints.iter().map(|lint| ident(lint));
    quote!(#![comment = #reason] #![allow(#(clippy::#lints),*)])
}

/// Returns the declaration of a module in the module `parent`. A declaration of the user names the module, so both can have one name,
/// of which Clippy warns.
pub(crate) fn declare_module(visibility: &TokenStream, parent: &str, name: &str) -> TokenStream {
    let allow = (name == parent).then(|| quote!(#[allow(clippy::module_inception)]));
    let name = ident(name);
    quote!(#allow #visibility mod #name;)
}

/// Returns an attribute that [`crate::print`] turns into a comment before a statement.
pub(crate) fn comment(text: &str) -> TokenStream {
    let line = comment_line(text);
    quote!(#[comment = #line])
}

fn comment_line(line: &str) -> String {
    match line.trim_end() {
        "" => String::new(),
        line => format!(" {}", in_comment(line)),
    }
}

/// Escapes text for a line of a comment. Control characters are escaped, because Rust refuses some of them and a line
/// break would end the comment. Characters that change the direction of text are escaped too, because they can make
/// code look like other code.
pub(crate) fn in_comment(text: &str) -> String {
    let is_refused = |letter: char| {
        letter != '\t' && letter.is_control()
            || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().fold(String::new(), |mut safe, letter| {
        if is_refused(letter) {
            safe.extend(letter.escape_default());
        } else {
            safe.push(letter);
        }
        safe
    })
}

/// Returns text as code in Markdown, in one line. Control characters are escaped, quotation marks are not.
pub(crate) fn code_span(text: &str) -> String {
    let line = text.chars().fold(String::new(), |mut line, letter| {
        match letter {
            '"' | '\'' | '\\' => line.push(letter),
            _ => line.extend(letter.escape_debug()),
        }
        line
    });
    // More grave accents than the text has in a row are the marks of the code.
    let runs = line.split(|letter| letter != '`').map(str::len);
    let longest = runs.max().unwrap_or_default();
    if longest == 0 {
        return format!("`{line}`");
    }
    let marks = "`".repeat(longest + 1);
    format!("{marks} {line} {marks}")
}

/// Returns the key by which rustfmt sorts names. Digits are compared as numbers, and `r#` is ignored.
pub(crate) fn order(name: &str) -> Vec<(String, usize, String)> {
    let name = name.replace("r#", "");
    let mut rest = name.as_str();
    let mut parts = Vec::new();
    while !rest.is_empty() {
        let (text, after) = rest.split_at(
            rest.find(|letter: char| letter.is_ascii_digit())
                .unwrap_or(rest.len()),
        );
        let end = after.find(|letter: char| !letter.is_ascii_digit());
        let (digits, after) = after.split_at(end.unwrap_or(after.len()));
        let number = digits.trim_start_matches('0');
        parts.push((text.to_owned(), number.len(), number.to_owned()));
        rest = after;
    }
    parts
}

/// Returns true if the code reads a field of a variable, such as `input.body` for the variable `input`.
pub(crate) fn reads_field_of(code: &TokenStream, variable: &str) -> bool {
    let mut tokens = code.clone().into_iter().peekable();
    while let Some(token) = tokens.next() {
        let is_read = match token {
            TokenTree::Ident(name) if name == variable => {
                matches!(tokens.peek(), Some(TokenTree::Punct(next)) if next.as_char() == '.')
            }
            TokenTree::Group(group) => reads_field_of(&group.stream(), variable),
            _ => false,
        };
        if is_read {
            return true;
        }
    }
    false
}

/// Imports of a file in the order of rustfmt: one `use` statement for each path.
#[derive(Debug, Clone, Default)]
pub(crate) struct Imports {
    by_path: BTreeMap<String, BTreeSet<Imported>>,
}

/// An imported item.
pub(crate) struct Import {
    /// Name of the item in the file that imports the item.
    pub(crate) name: String,
    /// Path of the item.
    pub(crate) path: String,
    pub(crate) statement: syn::ItemUse,
}

/// An item in the braces of a `use` statement. `self` is the first item.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Imported {
    Module,
    Name(String),
    /// A trait that is imported only for its methods, without a name: `Row as _`.
    Methods(String),
}

impl Imports {
    /// Imports an item: `a::b` and `C` give `use a::b::C`.
    pub(crate) fn add(&mut self, path: &str, name: &str) {
        self.insert(path, Imported::Name(name.to_owned()));
    }

    /// Imports the item at the end of a path: `a::b::C` gives `use a::b::C`.
    pub(crate) fn add_path(&mut self, path: &str) {
        if let Some((path, name)) = path.rsplit_once("::") {
            self.add(path, name);
        }
    }

    /// Imports a module itself, in addition to items of it: `use a::b::{self, C}`.
    pub(crate) fn add_module(&mut self, path: &str) {
        self.insert(path, Imported::Module);
    }

    /// Imports a trait without its name: `use a::b::Row as _`.
    pub(crate) fn add_methods(&mut self, path: &str, name: &str) {
        self.insert(path, Imported::Methods(name.to_owned()));
    }

    fn insert(&mut self, path: &str, name: Imported) {
        self.by_path.entry(path.to_owned()).or_default().insert(name);
    }

    /// Returns each imported item with a statement of its own.
    pub(crate) fn each(&self) -> Vec<Import> {
        let mut found = Vec::new();
        for (path, names) in &self.by_path {
            for imported in names {
                let (name, full) = match imported {
                    Imported::Module => {
                        let name = path.rsplit("::").next().unwrap_or(path);
                        (name.to_owned(), path.clone())
                    }
                    Imported::Name(name) | Imported::Methods(name) => {
                        (name.clone(), format!("{path}::{name}"))
                    }
                };
                let tree = self::path(&full);
                let statement = match imported {
                    Imported::Methods(_) => syn::parse_quote!(use #tree as _;),
                    _ => syn::parse_quote!(use #tree;),
                };
                found.push(Import {
                    name,
                    path: full,
                    statement,
                });
            }
        }
        found
    }

    /// Returns the import statements as `pub use`.
    pub(crate) fn reexported(&self) -> TokenStream {
        self.statements(&quote!(pub))
    }

    fn statements(&self, visibility: &TokenStream) -> TokenStream {
        let mut statements: Vec<(String, TokenStream)> = Vec::new();
        for (path, names) in &self.by_path {
            let mut names: Vec<(String, TokenStream)> = names.iter().map(Imported::tree).collect();
            names.sort_by_key(|(name, _)| (name != "self", order(name)));
            let (key, statement) = match names.as_slice() {
                // `use a::b::{self}` is written as `use a::b`.
                [(name, _)] if name == "self" => (path.clone(), self::path(path)),
                [(name, tree)] => {
                    let base = self::path(path);
                    (format!("{path}::{name}"), quote!(#base::#tree))
                }
                several => {
                    let base = self::path(path);
                    let trees = several.iter().map(|(_, tree)| tree);
                    (format!("{path}::{{"), quote!(#base::{#(#trees),*}))
                }
            };
            statements.push((key, quote!(#visibility use #statement;)));
        }
        // The standard library comes first.
        statements.sort_by_key(|(key, _)| (!key.starts_with("std::"), order(key)));
        statements.into_iter().map(|(_, statement)| statement).collect()
    }
}

impl Imported {
    fn tree(&self) -> (String, TokenStream) {
        match self {
            Self::Module => ("self".to_owned(), quote!(self)),
            Self::Name(name) => (name.clone(), ident(name).into_token_stream()),
            Self::Methods(name) => {
                let of = ident(name);
                (name.clone(), quote!(#of as _))
            }
        }
    }
}

impl ToTokens for Imports {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(self.statements(&TokenStream::new()));
    }
}

#[cfg(test)]
mod tests {
    use quote::{ToTokens as _, quote};

    use super::{Imports, code_span, reads_field_of};

    #[test]
    fn sorts_imports_like_rustfmt() {
        let mut imports = Imports::default();
        for name in ["Ab22", "Ab2Value", "Ab", "Ab10"] {
            imports.add("crate::models", name);
        }
        imports.add("crate::middleware::r#type", "Type");
        imports.add("crate::middleware::log", "Log");
        imports.add_module("crate::db::note");
        imports.add("crate::db::note", "NewNote");
        imports.add_methods("sqlx", "Row");
        imports.add("std", "fmt");
        let expected = quote! {
            use std::fmt;
            use crate::db::note::{self, NewNote};
            use crate::middleware::log::Log;
            use crate::middleware::r#type::Type;
            use crate::models::{Ab, Ab2Value, Ab10, Ab22};
            use sqlx::Row as _;
        };
        assert_eq!(imports.to_token_stream().to_string(), expected.to_string());
    }

    #[test]
    fn finds_fields_of_a_variable_but_not_items_of_a_module_with_its_name() {
        let code = quote!(Ok(list(&[input.body])));
        assert!(reads_field_of(&code, "input"));
        let code = quote!(input::list(&self.pool, 1));
        assert!(!reads_field_of(&code, "input"));
    }

    #[test]
    fn code_in_markdown_keeps_quotation_marks_and_has_more_grave_accents_around_those_in_the_text() {
        assert_eq!(code_span("{ kind: \"mail\" }"), "`{ kind: \"mail\" }`");
        assert_eq!(code_span("two\nlines"), "`two\\nlines`");
        assert_eq!(code_span("`a``b`"), "``` `a``b` ```");
    }
}
