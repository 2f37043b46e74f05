//! Splits a statement into words, without spaces and comments.

use squawk_lexer::{LiteralKind, TokenKind, tokenize};

/// A keyword, name, string, number, operator or punctuation character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) kind: Kind,
    /// Line of the word, from 1.
    pub(crate) line: usize,
}

/// Kind of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A keyword or an unquoted name, in lower case.
    Plain(String),
    /// A name that is written in double quotes, without them. It is never a keyword.
    Quoted(String),
    /// Content of a dollar-quoted string.
    Dollar(String),
    /// Any other string. `content` is `None` if escapes make the content differ from the text between the quotes.
    Text {
        content: Option<String>,
        /// True if the string is written as `E'…'`, so that a backslash begins an escape.
        escapes: bool,
    },
    /// A number, an operator or a punctuation character.
    Sign(String),
}

impl Word {
    /// Returns the keyword or unquoted name.
    pub(crate) fn plain(&self) -> Option<&str> {
        match &self.kind {
            Kind::Plain(word) => Some(word),
            _ => None,
        }
    }

    pub(crate) fn is(&self, word: &str) -> bool {
        self.plain() == Some(word)
    }

    pub(crate) fn is_sign(&self, sign: &str) -> bool {
        matches!(&self.kind, Kind::Sign(found) if found == sign)
    }

    pub(crate) fn is_name(&self) -> bool {
        matches!(self.kind, Kind::Plain(_) | Kind::Quoted(_))
    }

    /// Returns the name without its quotes.
    pub(crate) fn name(&self) -> Option<&str> {
        match &self.kind {
            Kind::Plain(word) | Kind::Quoted(word) => Some(word),
            _ => None,
        }
    }

    pub(crate) fn is_text(&self) -> bool {
        matches!(self.kind, Kind::Dollar(_) | Kind::Text { .. })
    }
}

/// Splits SQL into words. `line` is the number of its first line.
pub(crate) fn words(sql: &str, line: usize) -> Vec<Word> {
    let mut words = Vec::new();
    let (mut at, mut line) = (0, line);
    for token in tokenize(sql) {
        let text = &sql[at..at + token.len as usize];
        let kind = match token.kind {
            TokenKind::Eof => break,
            TokenKind::Whitespace | TokenKind::LineComment | TokenKind::BlockComment { .. } => None,
            TokenKind::Ident => Some(Kind::Plain(text.to_ascii_lowercase())),
            TokenKind::QuotedIdent { .. } => Some(Kind::Quoted(unquoted(text))),
            TokenKind::Literal { kind } => Some(literal(kind, text)),
            _ => Some(Kind::Sign(text.to_owned())),
        };
        words.extend(kind.map(|kind| Word { kind, line }));
        line += text.matches('\n').count();
        at += text.len();
    }
    words
}

/// Returns a name without its double quotes.
pub(crate) fn unquoted(name: &str) -> String {
    let inner = name.strip_prefix('"').and_then(|name| name.strip_suffix('"'));
    inner.map_or_else(|| name.to_owned(), |inner| inner.replace("\"\"", "\""))
}

/// Returns true if two statements differ at most in spaces, comments and letter case.
pub(crate) fn are_equal(one: &[Word], other: &[Word]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.kind == other.kind)
}

fn literal(kind: LiteralKind, text: &str) -> Kind {
    match kind {
        LiteralKind::DollarQuotedString { .. } => {
            // Length of `$tag$`, with both dollar signs.
            let mark = text[1..].find('$').map_or(text.len(), |end| end + 2);
            let end = text.len().saturating_sub(mark).max(mark.min(text.len()));
            Kind::Dollar(text.get(mark..end).unwrap_or_default().to_owned())
        }
        LiteralKind::Str { .. } => Kind::Text {
            content: Some(between_quotes(text)),
            escapes: false,
        },
        LiteralKind::EscStr { .. } => Kind::Text {
            content: (!text.contains('\\')).then(|| between_quotes(text)),
            escapes: true,
        },
        LiteralKind::UnicodeEscStr { .. } | LiteralKind::NationalStr { .. } => Kind::Text {
            content: None,
            escapes: false,
        },
        _ => Kind::Sign(text.to_owned()),
    }
}

fn between_quotes(text: &str) -> String {
    let start = text.find('\'').map_or(0, |at| at + 1);
    let end = text.rfind('\'').unwrap_or(text.len()).max(start);
    text[start..end].replace("''", "'")
}
