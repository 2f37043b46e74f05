//! Prints tokens on one line: types, paths, patterns, attributes and arguments of macros.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use quote::ToTokens;

/// Prints tokens on one line with the spaces that rustfmt writes.
pub(super) fn flat(tokens: &impl ToTokens) -> String {
    let mut text = String::new();
    write(tokens.to_token_stream(), &mut text);
    text
}

/// Kind of a token. The kinds of two neighbours decide if there is a space between them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Identifier or literal.
    Word,
    /// Comma, semicolon or colon.
    Separator,
    /// `::`, `.`, `..`, `#` or `<`, without spaces on both sides.
    Tight,
    /// `&`, `-` or the start of a lifetime, without a space after it.
    Open,
    /// `>`, without a space before it.
    Close,
    /// `?` or `!`, without a space before it.
    Suffix,
    /// An operator with spaces on both sides, such as `=`, `->`, `|` or `+`.
    Operator,
    /// Tokens in parentheses or brackets.
    Group,
    /// Tokens in braces.
    Braces,
}

fn write(tokens: TokenStream, text: &mut String) {
    let mut previous: Option<Kind> = None;
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let (kind, word) = match token {
            TokenTree::Ident(name) => (Kind::Word, name.to_string()),
            TokenTree::Literal(literal) => (Kind::Word, literal.to_string()),
            TokenTree::Group(group) => {
                let mut inner = String::new();
                write(group.stream(), &mut inner);
                match group.delimiter() {
                    Delimiter::Parenthesis => (Kind::Group, format!("({inner})")),
                    Delimiter::Bracket => (Kind::Group, format!("[{inner}]")),
                    Delimiter::Brace if inner.is_empty() => (Kind::Braces, "{}".to_owned()),
                    Delimiter::Brace => (Kind::Braces, format!("{{ {inner} }}")),
                    Delimiter::None => (Kind::Word, inner),
                }
            }
            TokenTree::Punct(first) => {
                let mut operator = String::from(first.as_char());
                let mut spacing = first.spacing();
                // `Vec<Vec<u8>>` ends with two tokens, not with the operator `>>`.
                while spacing == Spacing::Joint && !operator.starts_with(['\'', '<', '>', ',']) {
                    let Some(TokenTree::Punct(next)) = tokens.peek() else {
                        break;
                    };
                    // `&'r` is a reference and a lifetime. `:&` is a separator and a reference.
                    if matches!(next.as_char(), '\'' | '&') && !operator.starts_with('&')
                        || next.as_char() == '\''
                    {
                        break;
                    }
                    operator.push(next.as_char());
                    spacing = next.spacing();
                    tokens.next();
                }
                let kind = match operator.as_str() {
                    "," | ";" | ":" => Kind::Separator,
                    "::" | "." | ".." | "#" | "<" => Kind::Tight,
                    "&" | "'" | "-" => Kind::Open,
                    ">" => Kind::Close,
                    "?" | "!" => Kind::Suffix,
                    _ => Kind::Operator,
                };
                (kind, operator)
            }
        };
        if previous.is_some_and(|previous| is_spaced(previous, kind)) {
            text.push(' ');
        }
        text.push_str(&word);
        previous = Some(kind);
    }
}

/// Returns true if there is a space between two tokens.
fn is_spaced(previous: Kind, next: Kind) -> bool {
    let is_joined = match next {
        Kind::Separator | Kind::Tight | Kind::Close | Kind::Suffix => true,
        Kind::Group => matches!(previous, Kind::Word | Kind::Close | Kind::Suffix),
        Kind::Braces => previous == Kind::Suffix,
        Kind::Word | Kind::Open | Kind::Operator => false,
    };
    !is_joined && !matches!(previous, Kind::Tight | Kind::Open)
}
