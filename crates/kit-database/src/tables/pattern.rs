//! Translates JavaScript regular expressions to the dialect of PostgreSQL, if the translation certainly has the same
//! meaning.
//!
//! A pattern only tests if some part of a text matches, so features that change *what* matches (laziness, captures) do
//! not matter here. Only features that are known to mean the same are translated. Look-around, back references, word
//! boundaries, Unicode properties and counts above PostgreSQL's maximum are left to the validators.

use std::fmt::Write as _;
use std::iter::Peekable;
use std::str::Chars;

/// Greatest count in `{n,m}` that PostgreSQL accepts.
const GREATEST_COUNT: u32 = 255;
/// Maximum number of states of an expression. A count such as `{100}` multiplies the states of the part that it
/// repeats. Above this maximum, PostgreSQL may refuse the expression as too complex.
const MAX_STATES: u32 = 2_000;
/// Maximum depth of nested groups.
const MAX_DEPTH: u32 = 32;

/// Content of a bracket expression that means JavaScript's `\s`.
const WHITESPACE: &str =
    "\\u0009-\\u000D\\u0020\\u00A0\\u1680\\u2000-\\u200A\\u2028\\u2029\\u202F\\u205F\\u3000\\uFEFF";
const DIGIT: &str = "0-9";
const WORD: &str = "A-Za-z0-9_";

/// Translates a JavaScript regular expression (flag `u`) to PostgreSQL's dialect. Returns `None` if the translation is
/// not certain to mean the same.
///
/// ```
/// use kit_database::sql::pattern;
///
/// assert_eq!(pattern("^\\d+$").as_deref(), Some("^[0-9]+$"));
/// assert_eq!(pattern("(?=look-ahead)"), None);
/// ```
pub fn translate(pattern: &str) -> Option<String> {
    let mut parser = Parser {
        rest: pattern.chars().peekable(),
    };
    let translated = parser.alternatives(0)?;
    (parser.rest.next().is_none() && !translated.text.is_empty()).then_some(translated.text)
}

/// A translated part of the expression, with its approximate number of states.
#[derive(Default)]
struct Translated {
    text: String,
    weight: u32,
}

struct Parser<'a> {
    rest: Peekable<Chars<'a>>,
}

impl Parser<'_> {
    /// Parses alternatives up to the end of the expression, or up to the parenthesis that closes the group.
    fn alternatives(&mut self, depth: u32) -> Option<Translated> {
        if depth > MAX_DEPTH {
            return None;
        }
        let mut whole = Translated::default();
        loop {
            match self.rest.peek() {
                None | Some(')') => return Some(whole),
                Some('|') => {
                    self.rest.next();
                    whole.text.push('|');
                }
                Some(_) => {
                    let term = self.term(depth)?;
                    whole.text.push_str(&term.text);
                    whole.weight += term.weight;
                    if whole.weight > MAX_STATES {
                        return None;
                    }
                }
            }
        }
    }

    fn term(&mut self, depth: u32) -> Option<Translated> {
        let atom = match self.rest.next()? {
            sign @ ('^' | '$') => {
                let text = sign.to_string();
                return Some(Translated { text, weight: 1 });
            }
            '.' => "[^\\n\\r\\u2028\\u2029]".to_owned(),
            '(' => {
                self.opening()?;
                let inner = self.alternatives(depth + 1)?;
                self.expect(')')?;
                let group = Translated {
                    text: format!("(?:{})", inner.text),
                    ..inner
                };
                return self.quantified(group);
            }
            '[' => self.bracket()?,
            '\\' => match self.rest.next()? {
                'd' => format!("[{DIGIT}]"),
                'D' => format!("[^{DIGIT}]"),
                'w' => format!("[{WORD}]"),
                'W' => format!("[^{WORD}]"),
                's' => format!("[{WHITESPACE}]"),
                'S' => format!("[^{WHITESPACE}]"),
                other => literal(self.escaped(other, false)?),
            },
            '*' | '+' | '?' | '{' | '}' | ']' => return None,
            char => literal(char),
        };
        self.quantified(Translated {
            text: atom,
            weight: 1,
        })
    }

    /// Parses the text after the parenthesis of a group: empty, `?:` or `?<name>`.
    fn opening(&mut self) -> Option<()> {
        if self.rest.peek() != Some(&'?') {
            return Some(());
        }
        self.rest.next();
        match self.rest.next()? {
            ':' => Some(()),
            '<' if !matches!(self.rest.peek(), Some('=' | '!')) => {
                self.rest.by_ref().find(|char| *char == '>').map(|_| ())
            }
            _ => None,
        }
    }

    fn quantified(&mut self, atom: Translated) -> Option<Translated> {
        let (quantifier, times) = match self.rest.peek() {
            Some(sign @ ('*' | '+' | '?')) => (sign.to_string(), 1),
            Some('{') => {
                let mut count: String = self.rest.by_ref().take_while(|char| *char != '}').collect();
                count.push('}');
                let times = bounds(count.trim_matches(['{', '}']))?;
                (count, times)
            }
            _ => return Some(atom),
        };
        if quantifier.len() == 1 {
            self.rest.next();
        }
        // A lazy quantifier changes what matches, not if something matches.
        if self.rest.peek() == Some(&'?') {
            self.rest.next();
        }
        let weight = atom.weight.checked_mul(times)?;
        (weight <= MAX_STATES).then(|| Translated {
            text: atom.text + &quantifier,
            weight,
        })
    }

    /// Parses a bracket expression after its opening bracket.
    fn bracket(&mut self) -> Option<String> {
        let mut text = String::from("[");
        if self.rest.peek() == Some(&'^') {
            self.rest.next();
            text.push('^');
        }
        let empty = text.len();
        loop {
            let from = match self.rest.next()? {
                ']' if text.len() == empty => return None,
                ']' => {
                    text.push(']');
                    return Some(text);
                }
                '\\' => match self.rest.next()? {
                    'd' => {
                        text.push_str(DIGIT);
                        self.refuse_range()?;
                        continue;
                    }
                    'w' => {
                        text.push_str(WORD);
                        self.refuse_range()?;
                        continue;
                    }
                    's' => {
                        text.push_str(WHITESPACE);
                        self.refuse_range()?;
                        continue;
                    }
                    other => self.escaped(other, true)?,
                },
                char => char,
            };
            text.push_str(&literal(from));
            if self.rest.peek() != Some(&'-') {
                continue;
            }
            self.rest.next();
            match self.rest.next()? {
                ']' => {
                    text.push_str("\\-]");
                    return Some(text);
                }
                '\\' => {
                    let escape = self.rest.next()?;
                    let to = self.escaped(escape, true)?;
                    (from <= to).then_some(())?;
                    let _ = write!(text, "-{}", literal(to));
                }
                to => {
                    (from <= to).then_some(())?;
                    let _ = write!(text, "-{}", literal(to));
                }
            }
        }
    }

    /// Refuses a `-` after a class such as `\d`, because a class cannot begin a range. This also refuses a literal `-`
    /// at the end of the bracket expression.
    fn refuse_range(&mut self) -> Option<()> {
        (self.rest.peek() != Some(&'-')).then_some(())
    }

    /// Returns the character that an escape means.
    fn escaped(&mut self, escape: char, in_bracket: bool) -> Option<char> {
        match escape {
            't' => Some('\t'),
            'n' => Some('\n'),
            'r' => Some('\r'),
            'v' => Some('\u{b}'),
            'f' => Some('\u{c}'),
            'x' => self.code(2),
            'u' if self.rest.peek() == Some(&'{') => {
                self.rest.next();
                let digits: String = self.rest.by_ref().take_while(|char| *char != '}').collect();
                u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32)
            }
            'u' => self.code(4),
            '-' if in_bracket => Some('-'),
            sign if "^$\\.*+?()[]{}|/".contains(sign) => Some(sign),
            _ => None,
        }
        // PostgreSQL stores no text with a zero byte.
        .filter(|char| *char != '\0')
    }

    fn code(&mut self, digits: usize) -> Option<char> {
        let digits: String = self.rest.by_ref().take(digits).collect();
        u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32)
    }

    fn expect(&mut self, expected: char) -> Option<()> {
        (self.rest.next() == Some(expected)).then_some(())
    }
}

/// Returns the maximum count of `{…}`, or the minimum plus 1 if there is no maximum.
fn bounds(text: &str) -> Option<u32> {
    let number = |text: &str| {
        text.parse::<u32>()
            .ok()
            .filter(|count| *count <= GREATEST_COUNT && !text.starts_with('+'))
    };
    match text.split_once(',') {
        None => number(text),
        Some((least, "")) => number(least).map(|count| count + 1),
        Some((least, most)) => {
            let (least, most) = (number(least)?, number(most)?);
            (least <= most).then_some(most)
        }
    }
}

/// Escapes a literal character, inside and outside of brackets.
fn literal(char: char) -> String {
    match char {
        ' ' | '_' => char.to_string(),
        char if char.is_alphanumeric() => char.to_string(),
        char if char.is_ascii_punctuation() => format!("\\{char}"),
        char if u32::from(char) > 0xFFFF => format!("\\U{:08X}", u32::from(char)),
        char => format!("\\u{:04X}", u32::from(char)),
    }
}

#[cfg(test)]
mod tests {
    use super::translate;

    #[test]
    fn translates_a_pattern_if_it_has_the_same_meaning_in_postgresql() {
        for (pattern, expected) in [
            ("^[a-z-]+$", "^[a-z\\-]+$"),
            ("^\\d{4}-\\d\\d$", "^[0-9]{4}\\-[0-9][0-9]$"),
            ("^(?<year>a|b)+?$", "^(?:a|b)+$"),
            ("it's", "it\\'s"),
            ("[\\]\\\\^\\u0041-Z]", "[\\]\\\\\\^A-Z]"),
            ("a.c", "a[^\\n\\r\\u2028\\u2029]c"),
            ("\\u{1F600}", "\\U0001F600"),
            ("(?:a{2,}|)x", "(?:a{2,}|)x"),
        ] {
            assert_eq!(translate(pattern).as_deref(), Some(expected), "{pattern}");
        }
    }

    #[test]
    fn refuses_a_pattern_if_its_meaning_may_differ_in_postgresql() {
        for pattern in [
            "",
            "(?=a)b",
            "(?!a)b",
            "(?<=a)b",
            "(a)\\1",
            "\\bword\\b",
            "\\p{L}",
            "a{256}",
            "(a{200}){200}",
            "[]",
            "[^]",
            "[\\D]",
            "\\k<a>",
            "a**",
            "(",
            ")",
            "[a",
            "[\\d-z]",
            "\\ud83d",
            "x{1,0}",
            "[z-a]",
        ] {
            assert_eq!(translate(pattern), None, "{pattern}");
        }
    }
}
