//! Parser for patterns of ECMA-262 with the flag `u`.

use crate::ast::Node;
use crate::set::{LAST, Set};

/// Reason why a pattern was not parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The syntax is invalid at this character (counted from 0). An offset is enough, because callers have
    /// already checked the syntax with a better message.
    Syntax(usize),
    /// The pattern has a construct that kit cannot analyse.
    Unsupported(String),
}

/// Maximum depth of nested groups: parsing deeper groups would exhaust the stack.
const MAX_DEPTH: usize = 200;

/// Parses a pattern.
pub(crate) fn parse(pattern: &str) -> Result<Node, Refusal> {
    Parser::of(pattern).all()
}

/// Returns a pattern without lazy repetitions: `a*` for `a*?`. It matches in the same texts, because a pattern that can be
/// parsed has no back references. Returns `None` if the pattern cannot be parsed.
///
/// The crate `regress`, which tests patterns in Rust, never ends for some lazy repetitions whose body may be empty.
///
/// ```
/// assert_eq!(kit_pattern::greedy("^(?:b?)+?$").as_deref(), Some("^(?:b?)+$"));
/// ```
pub fn greedy(pattern: &str) -> Option<String> {
    let mut parser = Parser::of(pattern);
    parser.all().ok()?;
    let Parser { text, lazy, .. } = parser;
    let kept = text
        .iter()
        .enumerate()
        .filter(|(at, _)| lazy.binary_search(at).is_err());
    Some(kept.map(|(_, character)| *character).collect())
}

struct Parser {
    text: Vec<char>,
    at: usize,
    depth: usize,
    /// Positions of the question marks that make repetitions lazy.
    lazy: Vec<usize>,
}

impl Parser {
    fn of(pattern: &str) -> Self {
        Self {
            text: pattern.chars().collect(),
            at: 0,
            depth: 0,
            lazy: Vec::new(),
        }
    }

    /// Parses the whole pattern.
    fn all(&mut self) -> Result<Node, Refusal> {
        let node = self.choice()?;
        if self.at < self.text.len() {
            return Err(self.syntax());
        }
        Ok(node)
    }

    fn choice(&mut self) -> Result<Node, Refusal> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(unsupported(format!(
                "the groups of the pattern are nested more than {MAX_DEPTH} deep"
            )));
        }
        let mut parts = vec![self.sequence()?];
        while self.take('|') {
            parts.push(self.sequence()?);
        }
        self.depth -= 1;
        Ok(if parts.len() == 1 {
            parts.remove(0)
        } else {
            Node::Choice(parts)
        })
    }

    fn sequence(&mut self) -> Result<Node, Refusal> {
        let mut parts = Vec::new();
        while let Some(next) = self.peek() {
            if next == '|' || next == ')' {
                break;
            }
            let part = self.term()?;
            parts.push(self.quantified(part)?);
        }
        Ok(if parts.len() == 1 {
            parts.remove(0)
        } else {
            Node::Sequence(parts)
        })
    }

    fn term(&mut self) -> Result<Node, Refusal> {
        let Some(next) = self.next() else {
            return Err(self.syntax());
        };
        Ok(match next {
            '^' => Node::Start,
            '$' => Node::End,
            '.' => Node::Set(Set::no_line_end()),
            '(' => self.group()?,
            '[' => Node::Set(self.class()?),
            '\\' => self.escape()?,
            '*' | '+' | '?' | '{' | '}' | ']' => return Err(self.syntax()),
            other => Node::Set(Set::one(other as u32)),
        })
    }

    fn group(&mut self) -> Result<Node, Refusal> {
        if !self.take('?') {
            return self.rest_of_group();
        }
        match self.next() {
            Some(':') => self.rest_of_group(),
            Some('=' | '!') => Ok(Node::Look(Box::new(self.rest_of_group()?))),
            Some('<') if matches!(self.peek(), Some('=' | '!')) => {
                self.at += 1;
                let body = self.rest_of_group()?;
                // A lookbehind without a maximum length can scan back to the start of the text from every offset.
                match body.width().1 {
                    Some(_) => Ok(Node::Condition),
                    None => Err(unsupported(
                        "the pattern has a lookbehind without a maximum length",
                    )),
                }
            }
            Some('<') => {
                while let Some(next) = self.next() {
                    if next == '>' {
                        return self.rest_of_group();
                    }
                }
                Err(self.syntax())
            }
            Some(_) => Err(unsupported(
                "the pattern changes flags within a group, as `(?i:…)` does",
            )),
            None => Err(self.syntax()),
        }
    }

    fn rest_of_group(&mut self) -> Result<Node, Refusal> {
        let node = self.choice()?;
        if self.take(')') {
            Ok(node)
        } else {
            Err(self.syntax())
        }
    }

    fn quantified(&mut self, body: Node) -> Result<Node, Refusal> {
        let (min, max) = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => {
                self.at += 1;
                let min = self.count()?;
                let max = if !self.take(',') {
                    Some(min)
                } else if self.peek() == Some('}') {
                    None
                } else {
                    Some(self.count()?)
                };
                if self.peek() != Some('}') || max.is_some_and(|max| max < min) {
                    return Err(self.syntax());
                }
                (min, max)
            }
            _ => return Ok(body),
        };
        self.at += 1;
        if self.take('?') {
            self.lazy.push(self.at - 1);
        }
        Ok(Node::Repeat {
            body: Box::new(body),
            min,
            max,
        })
    }

    /// Parses a decimal number. A greater number than the maximum of `u32` becomes that maximum.
    fn count(&mut self) -> Result<u32, Refusal> {
        let mut count = None;
        while let Some(digit) = self.peek().and_then(|next| next.to_digit(10)) {
            count = Some(count.unwrap_or(0_u32).saturating_mul(10).saturating_add(digit));
            self.at += 1;
        }
        count.ok_or_else(|| self.syntax())
    }

    fn escape(&mut self) -> Result<Node, Refusal> {
        match self.peek() {
            Some('b' | 'B') => {
                self.at += 1;
                Ok(Node::Condition)
            }
            Some('k' | '1'..='9') => Err(unsupported(
                "the pattern has a back reference, whose matching time has no limit",
            )),
            _ => Ok(Node::Set(self.character_or_set()?.into_set())),
        }
    }

    fn class(&mut self) -> Result<Set, Refusal> {
        let negated = self.take('^');
        let mut ranges = Set::default();
        loop {
            if self.take(']') {
                return Ok(if negated { ranges.negated() } else { ranges });
            }
            let first = self.class_atom()?;
            if self.peek() == Some('-') && self.text.get(self.at + 1).is_some_and(|after| *after != ']') {
                self.at += 1;
                let last = self.class_atom()?;
                let (Atom::One(first), Atom::One(last)) = (first, last) else {
                    return Err(self.syntax());
                };
                if first > last {
                    return Err(self.syntax());
                }
                ranges = ranges.with(Set::of([(first, last)]));
            } else {
                ranges = ranges.with(first.into_set());
            }
        }
    }

    fn class_atom(&mut self) -> Result<Atom, Refusal> {
        match self.next() {
            Some('\\') => match self.peek() {
                Some('b') => {
                    self.at += 1;
                    Ok(Atom::One(0x08))
                }
                _ => self.character_or_set(),
            },
            Some(other) => Ok(Atom::One(other as u32)),
            None => Err(self.syntax()),
        }
    }

    /// Parses an escape after its backslash, inside or outside of a character class.
    fn character_or_set(&mut self) -> Result<Atom, Refusal> {
        let Some(next) = self.next() else {
            return Err(self.syntax());
        };
        Ok(match next {
            'd' => Atom::Many(Set::digits()),
            'D' => Atom::Many(Set::digits().negated()),
            'w' => Atom::Many(Set::word()),
            'W' => Atom::Many(Set::word().negated()),
            's' => Atom::Many(Set::space()),
            'S' => Atom::Many(Set::space().negated()),
            'p' => Atom::Many(self.property()?),
            'P' => Atom::Many(self.property()?.negated()),
            't' => Atom::One(0x09),
            'n' => Atom::One(0x0a),
            'v' => Atom::One(0x0b),
            'f' => Atom::One(0x0c),
            'r' => Atom::One(0x0d),
            '0' => Atom::One(0),
            'c' => Atom::One(self.next().map_or(0, |letter| letter as u32) % 32),
            'x' => Atom::One(self.hexadecimal(2)?),
            'u' => Atom::One(self.unicode()?),
            other => Atom::One(other as u32),
        })
    }

    fn unicode(&mut self) -> Result<u32, Refusal> {
        if self.take('{') {
            let mut value = 0_u32;
            while let Some(digit) = self.peek().and_then(|next| next.to_digit(16)) {
                value = value.saturating_mul(16).saturating_add(digit);
                self.at += 1;
            }
            return if self.take('}') && value <= LAST {
                Ok(value)
            } else {
                Err(self.syntax())
            };
        }
        let high = self.hexadecimal(4)?;
        let rest = self.text.get(self.at..self.at + 2);
        if (0xd800..0xdc00).contains(&high) && rest == Some(&['\\', 'u']) {
            let before = self.at;
            self.at += 2;
            match self.hexadecimal(4) {
                Ok(low) if (0xdc00..0xe000).contains(&low) => {
                    return Ok(0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00));
                }
                _ => self.at = before,
            }
        }
        Ok(high)
    }

    fn hexadecimal(&mut self, digits: usize) -> Result<u32, Refusal> {
        let mut value = 0;
        for _ in 0..digits {
            let Some(digit) = self.peek().and_then(|next| next.to_digit(16)) else {
                return Err(self.syntax());
            };
            value = value * 16 + digit;
            self.at += 1;
        }
        Ok(value)
    }

    /// Returns the set of characters that `\p{…}` matches. The tables of `regex-syntax` and the tables of the
    /// engines follow Unicode, and their versions differ by at most one release.
    fn property(&mut self) -> Result<Set, Refusal> {
        let start = self.at;
        while let Some(next) = self.next() {
            if next == '}' {
                let name: String = self.text[start..self.at].iter().collect();
                return unicode_property(&name).ok_or_else(|| {
                    unsupported(format!("kit does not know the Unicode property `\\p{name}`"))
                });
            }
        }
        Err(self.syntax())
    }

    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek();
        self.at += usize::from(next.is_some());
        next
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn syntax(&self) -> Refusal {
        Refusal::Syntax(self.at)
    }
}

/// A character, which may start or end a range, or a set, which may neither start nor end a range.
enum Atom {
    One(u32),
    Many(Set),
}

impl Atom {
    fn into_set(self) -> Set {
        match self {
            Self::One(character) => Set::one(character),
            Self::Many(set) => set,
        }
    }
}

fn unsupported(reason: impl Into<String>) -> Refusal {
    Refusal::Unsupported(reason.into())
}

fn unicode_property(name: &str) -> Option<Set> {
    use regex_syntax::hir::{Class, HirKind};
    let hir = regex_syntax::parse(&format!("\\p{name}")).ok()?;
    match hir.kind() {
        HirKind::Class(Class::Unicode(class)) => Some(Set::of(
            class
                .ranges()
                .iter()
                .map(|range| (range.start() as u32, range.end() as u32)),
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Refusal, parse};
    use crate::ast::Node;
    use crate::set::Set;

    fn set(pattern: &str) -> Set {
        match parse(pattern) {
            Ok(Node::Set(set)) => set,
            other => panic!("{pattern} is {other:?}"),
        }
    }

    #[test]
    fn parses_character_classes_and_escapes_as_sets() {
        assert_eq!(
            set("[a-c\\-x]"),
            Set::of([(0x2d, 0x2d), (0x61, 0x63), (0x78, 0x78)])
        );
        assert_eq!(set("[-a]"), Set::of([(0x2d, 0x2d), (0x61, 0x61)]));
        assert_eq!(set("[a-]"), Set::of([(0x2d, 0x2d), (0x61, 0x61)]));
        assert_eq!(set("[^\\s\\S]"), Set::default());
        assert_eq!(set("[^]"), Set::default().negated());
        assert_eq!(set("\\u{1F600}"), Set::one(0x1_f600));
        assert_eq!(set("\\ud83d\\ude00"), Set::one(0x1_f600));
        assert_eq!(set("\\ud83d"), Set::one(0xd83d));
        assert_eq!(set("\\cJ"), Set::one(0x0a));
        assert_eq!(set("[\\b]"), Set::one(8));
        assert!(set("\\p{Lu}").contains('A' as u32) && !set("\\p{Lu}").contains('a' as u32));
        assert!(set("\\P{Script=Greek}").contains('a' as u32));
        assert!(set("[\\d\\/]").contains('/' as u32));
    }

    #[test]
    fn computes_the_minimum_and_maximum_length_of_a_match() {
        assert_eq!(
            parse("a{2,3}(?:b|cd)?(?=e+)$").map(|node| node.width()),
            Ok((2, Some(5)))
        );
        assert_eq!(parse("(?<name>a)+").map(|node| node.width()), Ok((1, None)));
    }

    #[test]
    fn refuses_unsupported_patterns_and_syntax_errors() {
        for pattern in ["(a)\\1", "(?<n>a)\\k<n>", "(?i:a)", "(?<=a*)b", "\\p{Nonsense}"] {
            assert!(
                matches!(parse(pattern), Err(Refusal::Unsupported(_))),
                "{pattern}"
            );
        }
        for pattern in ["(", "a)", "[a", "a{2,1}", "*"] {
            assert!(matches!(parse(pattern), Err(Refusal::Syntax(_))), "{pattern}");
        }
        let deep = "(".repeat(100_000);
        assert!(matches!(parse(&deep), Err(Refusal::Unsupported(_))));
    }
}
