//! Translation of regular expressions with any flags to expressions with only the flag `u`, which
//! `kit-pattern` can check.
//!
//! The translation can match a text in at least as many ways as the original. If it takes linear time, so
//! does the original.

use std::fmt::Write as _;

use oxc_allocator::Allocator;
use oxc_regular_expression::ast::{
    BoundaryAssertionKind, Character, CharacterClass, CharacterClassContents, CharacterClassContentsKind,
    CharacterClassEscapeKind, Disjunction, LookAroundAssertionKind, Term, UnicodePropertyEscape,
};
use oxc_regular_expression::{LiteralParser, Options};

/// Returns an expression with only the flag `u` for an expression with the given flags.
///
/// # Errors
///
/// Fails with the reason if the expression cannot be translated.
pub(crate) fn in_unicode_mode(pattern: &str, flags: &str) -> Result<String, String> {
    let allocator = Allocator::default();
    let parsed = LiteralParser::new(&allocator, pattern, Some(flags), Options::default())
        .parse()
        .map_err(|error| error.message.to_string())?;
    let mut printer = Printer {
        text: String::new(),
        ignores_case: flags.contains('i'),
        is_multiline: flags.contains('m'),
        dot_takes_all: flags.contains('s'),
    };
    // With the flag `y`, an expression is matched at one position only.
    if flags.contains('y') {
        printer.text.push('^');
    }
    printer.text.push_str("(?:");
    printer.disjunction(&parsed.body)?;
    printer.text.push(')');
    Ok(printer.text)
}

struct Printer {
    text: String,
    ignores_case: bool,
    is_multiline: bool,
    dot_takes_all: bool,
}

impl Printer {
    fn disjunction(&mut self, disjunction: &Disjunction<'_>) -> Result<(), String> {
        for (index, alternative) in disjunction.body.iter().enumerate() {
            if index > 0 {
                self.text.push('|');
            }
            for term in &alternative.body {
                self.term(term)?;
            }
        }
        Ok(())
    }

    fn group(&mut self, start: &str, body: &Disjunction<'_>) -> Result<(), String> {
        self.text.push_str(start);
        self.disjunction(body)?;
        self.text.push(')');
        Ok(())
    }

    fn term(&mut self, term: &Term<'_>) -> Result<(), String> {
        match term {
            Term::BoundaryAssertion(assertion) => self.text.push_str(match assertion.kind {
                // With the flag `m`, these assertions are true at many positions, so they are replaced by one
                // that may or may not be true.
                BoundaryAssertionKind::Start | BoundaryAssertionKind::End if self.is_multiline => "\\B",
                BoundaryAssertionKind::Start => "^",
                BoundaryAssertionKind::End => "$",
                BoundaryAssertionKind::Boundary => "\\b",
                BoundaryAssertionKind::NegativeBoundary => "\\B",
            }),
            Term::LookAroundAssertion(look) => self.group(
                match look.kind {
                    LookAroundAssertionKind::Lookahead => "(?=",
                    LookAroundAssertionKind::NegativeLookahead => "(?!",
                    LookAroundAssertionKind::Lookbehind => "(?<=",
                    LookAroundAssertionKind::NegativeLookbehind => "(?<!",
                },
                &look.body,
            )?,
            Term::Quantifier(quantifier) => {
                self.text.push_str("(?:");
                self.term(&quantifier.body)?;
                self.text.push(')');
                let max = quantifier.max.map_or_else(String::new, |max| max.to_string());
                _ = write!(self.text, "{{{},{max}}}", quantifier.min);
                if !quantifier.greedy {
                    self.text.push('?');
                }
            }
            Term::Character(character) => self.character(character),
            Term::Dot(_) => self
                .text
                .push_str(if self.dot_takes_all { "[\\s\\S]" } else { "." }),
            Term::CharacterClassEscape(escape) => self.text.push_str(class_escape(escape.kind)),
            Term::UnicodePropertyEscape(property) => self.property(property),
            Term::CharacterClass(class) => self.class(class)?,
            Term::CapturingGroup(group) => self.group("(?:", &group.body)?,
            Term::IgnoreGroup(group) if group.modifiers.is_none() => self.group("(?:", &group.body)?,
            Term::IgnoreGroup(_) => return Err("it changes flags within a group".to_owned()),
            Term::IndexedReference(_) | Term::NamedReference(_) => {
                return Err("it has a back reference".to_owned());
            }
        }
        Ok(())
    }

    fn class(&mut self, class: &CharacterClass<'_>) -> Result<(), String> {
        if class.kind != CharacterClassContentsKind::Union {
            return Err("it subtracts or intersects sets".to_owned());
        }
        if class.body.is_empty() {
            // `[^]` matches any character and `[]` none, but not every parser accepts them.
            self.text
                .push_str(if class.negative { "[\\s\\S]" } else { "[^\\s\\S]" });
            return Ok(());
        }
        self.text.push_str(if class.negative { "[^" } else { "[" });
        for part in &class.body {
            match part {
                CharacterClassContents::Character(character) => self.character(character),
                CharacterClassContents::CharacterClassEscape(escape) => {
                    self.text.push_str(class_escape(escape.kind));
                }
                CharacterClassContents::UnicodePropertyEscape(property) => self.property(property),
                CharacterClassContents::CharacterClassRange(range) => {
                    self.range(range.min.value, range.max.value);
                }
                CharacterClassContents::NestedCharacterClass(_)
                | CharacterClassContents::ClassStringDisjunction(_) => {
                    return Err("it has sets within sets".to_owned());
                }
            }
        }
        self.text.push(']');
        Ok(())
    }

    /// Writes a character. With the flag `i` it is written in lower case: a lower-case text can be matched in
    /// as many ways as one in mixed case.
    fn character(&mut self, character: &Character) {
        let value = if self.ignores_case {
            lower(character.value)
        } else {
            character.value
        };
        self.code_point(value);
    }

    fn range(&mut self, min: u32, max: u32) {
        self.plain_range(min, max);
        // Adds the lower-case letters for the upper-case letters in the range.
        let (first, last) = (min.max(u32::from('A')), max.min(u32::from('Z')));
        if self.ignores_case && first <= last {
            self.plain_range(lower(first), lower(last));
        }
    }

    fn plain_range(&mut self, min: u32, max: u32) {
        self.code_point(min);
        self.text.push('-');
        self.code_point(max);
    }

    fn code_point(&mut self, value: u32) {
        _ = write!(self.text, "\\u{{{value:x}}}");
    }

    fn property(&mut self, property: &UnicodePropertyEscape<'_>) {
        let sign = if property.negative { 'P' } else { 'p' };
        let value = property
            .value
            .map_or_else(String::new, |value| format!("={value}"));
        _ = write!(self.text, "\\{sign}{{{}{value}}}", property.name);
    }
}

fn lower(value: u32) -> u32 {
    char::from_u32(value).map_or(value, |character| u32::from(character.to_ascii_lowercase()))
}

fn class_escape(kind: CharacterClassEscapeKind) -> &'static str {
    match kind {
        CharacterClassEscapeKind::D => "\\d",
        CharacterClassEscapeKind::NegativeD => "\\D",
        CharacterClassEscapeKind::S => "\\s",
        CharacterClassEscapeKind::NegativeS => "\\S",
        CharacterClassEscapeKind::W => "\\w",
        CharacterClassEscapeKind::NegativeW => "\\W",
    }
}
