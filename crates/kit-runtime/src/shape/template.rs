//! Template literal types such as `user-${number}`: strings with fixed text and placeholders. A string is
//! divided among the parts in the same way as in TypeScript.
//!
//! A regular expression could express the same, but a backtracking engine tries each possible division of a string
//! that does not match. Here the time grows only with the length of the string.

use std::sync::OnceLock;

/// A part of a template literal type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TemplatePart {
    /// Fixed text.
    Fixed(&'static str),
    /// `${string}`.
    Text,
    /// `${number}`: a text that JavaScript converts to a finite number, such as `1.5`, ` 1` or `0x1f`.
    Number,
    /// `${bigint}`: digits with an optional minus.
    Integer,
    /// One of several sequences of parts. An empty list matches no string.
    OneOf(&'static [&'static [Self]]),
}

/// A template literal type. Its state machine is built on first use.
#[derive(Debug)]
pub struct Template {
    source: &'static str,
    parts: &'static [TemplatePart],
    machine: OnceLock<StateMachine>,
}

impl Template {
    /// Creates a template. `source` is the text between the backticks in TypeScript, without them.
    pub const fn new(source: &'static str, parts: &'static [TemplatePart]) -> Self {
        Self {
            source,
            parts,
            machine: OnceLock::new(),
        }
    }

    /// Returns the text between the backticks in TypeScript: `user-${number}`.
    pub fn source(&self) -> &'static str {
        self.source
    }

    /// Returns true if a string matches the template.
    pub fn is_match(&self, text: &str) -> bool {
        if self
            .parts
            .iter()
            .any(|part| matches!(part, TemplatePart::OneOf(_)))
        {
            return self
                .machine
                .get_or_init(|| StateMachine::new(self.parts))
                .test(text);
        }
        matches_without_alternatives(self.parts, text)
    }
}

/// Returns true if a string matches a template without unions. As in TypeScript, a placeholder ends at the first
/// occurrence of the fixed text after it, and a placeholder directly before another placeholder is one character. For
/// example, `-1-2` does not match `${number}-${number}`, because the placeholder before the first `-` would be empty.
fn matches_without_alternatives(parts: &[TemplatePart], text: &str) -> bool {
    let (mut parts, mut rest) = (parts, text);
    while let [TemplatePart::Fixed(fixed), others @ ..] = parts {
        let Some(behind) = rest.strip_prefix(fixed) else {
            return false;
        };
        (parts, rest) = (others, behind);
    }
    if parts.is_empty() {
        return rest.is_empty();
    }
    while let [others @ .., TemplatePart::Fixed(fixed)] = parts {
        let Some(before) = rest.strip_suffix(fixed) else {
            return false;
        };
        (parts, rest) = (others, before);
    }
    while let [placeholder, others @ ..] = parts {
        let (end, behind, others) = match others {
            [] => return placeholder.is_filled(rest),
            [TemplatePart::Fixed(fixed), others @ ..] => (rest.find(fixed), fixed.len(), others),
            others => (rest.chars().next().map(char::len_utf8), 0, others),
        };
        let Some(end) = end else { return false };
        if !placeholder.is_filled(&rest[..end]) {
            return false;
        }
        (parts, rest) = (others, &rest[end + behind..]);
    }
    rest.is_empty()
}

impl TemplatePart {
    /// Returns true if the string is a valid text for this placeholder.
    fn is_filled(self, text: &str) -> bool {
        match self {
            Self::Fixed(fixed) => text == fixed,
            Self::Text => true,
            Self::Integer => is_digits(text.strip_prefix('-').unwrap_or(text)),
            Self::Number => is_number(text),
            Self::OneOf(_) => false,
        }
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns true if JavaScript converts a text to a finite number, which TypeScript requires for `${number}`.
fn is_number(text: &str) -> bool {
    let trimmed = text.trim_matches(is_space);
    if trimmed.is_empty() {
        // JavaScript converts a text of spaces to 0. TypeScript makes an exception of the empty text.
        return !text.is_empty();
    }
    for (letters, radix, _) in RADIXES {
        let prefixed = trimmed.strip_prefix('0');
        if let Some(digits) = prefixed.and_then(|text| text.strip_prefix(|letter| letters.contains(letter))) {
            let number = digits.chars().try_fold(0.0, |number: f64, digit| {
                Some(number.mul_add(f64::from(radix), f64::from(digit.to_digit(radix)?)))
            });
            return !digits.is_empty() && number.is_some_and(f64::is_finite);
        }
    }
    // `parse` also takes names, such as `inf` and `NaN`.
    let has_no_names = trimmed
        .bytes()
        .all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    has_no_names && trimmed.parse::<f64>().is_ok_and(f64::is_finite)
}

/// Radixes of numbers of JavaScript: the letters after the `0`, the radix, and its digits.
const RADIXES: [(&str, u32, &str); 3] = [
    ("xX", 16, "0123456789abcdefABCDEF"),
    ("oO", 8, "01234567"),
    ("bB", 2, "01"),
];

/// Returns true for the characters that JavaScript ignores before and after a number.
fn is_space(character: char) -> bool {
    // Only Rust counts U+0085 as white space, and only JavaScript U+FEFF.
    (character.is_whitespace() && character != '\u{85}') || character == '\u{feff}'
}

/// The characters on which the state machine moves from one state to another.
#[derive(Debug, Clone, Copy)]
enum CharacterClass {
    Any,
    Digit,
    Space,
    One(char),
    /// One of the characters in the string, such as a sign or the `e` of an exponent.
    Of(&'static str),
}

impl CharacterClass {
    fn accepts(self, character: char) -> bool {
        match self {
            Self::Any => true,
            Self::Digit => character.is_ascii_digit(),
            Self::Space => is_space(character),
            Self::One(one) => one == character,
            Self::Of(several) => several.contains(character),
        }
    }
}

/// Nondeterministic state machine for a template. A string matches if the machine is in the state `end` after its
/// last character.
#[derive(Debug, Default)]
struct StateMachine {
    steps: Vec<Vec<(CharacterClass, usize)>>,
    /// For each state, the states that it moves to without reading a character.
    epsilon: Vec<Vec<usize>>,
    end: usize,
}

impl StateMachine {
    fn new(parts: &[TemplatePart]) -> Self {
        let mut machine = Self::default();
        let start = machine.state();
        machine.end = machine.sequence(parts, start);
        machine
    }

    fn test(&self, text: &str) -> bool {
        let mut seen = vec![usize::MAX; self.steps.len()];
        let (mut current, mut next) = (Vec::new(), Vec::new());
        self.enter(0, 0, &mut seen, &mut current);
        for (at, character) in text.chars().enumerate() {
            for state in current.drain(..) {
                for (on, to) in &self.steps[state] {
                    if on.accepts(character) {
                        self.enter(*to, at + 1, &mut seen, &mut next);
                    }
                }
            }
            std::mem::swap(&mut current, &mut next);
            if current.is_empty() {
                return false;
            }
        }
        current.contains(&self.end)
    }

    /// Adds a state to `states`, with all states that it moves to without reading a character. `at` is the number of
    /// characters that were read, and `seen` prevents duplicates.
    fn enter(&self, state: usize, at: usize, seen: &mut [usize], states: &mut Vec<usize>) {
        let mut pending = vec![state];
        while let Some(state) = pending.pop() {
            if seen[state] != at {
                seen[state] = at;
                states.push(state);
                pending.extend(&self.epsilon[state]);
            }
        }
    }

    /// Adds the states for a sequence of parts behind the state `from`. Returns the state after the last part.
    fn sequence(&mut self, parts: &[TemplatePart], from: usize) -> usize {
        parts.iter().fold(from, |at, part| self.part(*part, at))
    }

    fn part(&mut self, part: TemplatePart, from: usize) -> usize {
        match part {
            TemplatePart::Fixed(text) => text.chars().fold(from, |at, character| {
                self.step(at, CharacterClass::One(character))
            }),
            TemplatePart::OneOf(sequences) => {
                let behind = self.state();
                for parts in sequences {
                    // Each sequence begins in its own state, so that it cannot enter the loop of another sequence.
                    let start = self.fork(from);
                    let end = self.sequence(parts, start);
                    self.epsilon[end].push(behind);
                }
                behind
            }
            TemplatePart::Text => {
                let at = self.fork(from);
                self.steps[at].push((CharacterClass::Any, at));
                at
            }
            TemplatePart::Integer => {
                let signed = self.optional(from, CharacterClass::One('-'));
                self.digits(signed, CharacterClass::Digit)
            }
            TemplatePart::Number => self.number(from),
        }
    }

    /// Adds the states for a number of JavaScript with spaces around it, or for spaces only. Numbers beyond the range of
    /// doubles are not left out.
    fn number(&mut self, from: usize) -> usize {
        let before = self.repeated(from, CharacterClass::Space);
        let behind = self.state();
        let signed = self.optional(before, CharacterClass::Of("+-"));
        let whole = self.digits(signed, CharacterClass::Digit);
        let mantissa = self.fork(whole);
        let point = self.step(whole, CharacterClass::One('.'));
        let fraction = self.repeated(point, CharacterClass::Digit);
        self.epsilon[fraction].push(mantissa);
        let point = self.step(signed, CharacterClass::One('.'));
        let fraction = self.digits(point, CharacterClass::Digit);
        self.epsilon[fraction].push(mantissa);
        self.epsilon[mantissa].push(behind);
        let power = self.step(mantissa, CharacterClass::Of("eE"));
        let signed = self.optional(power, CharacterClass::Of("+-"));
        let exponent = self.digits(signed, CharacterClass::Digit);
        self.epsilon[exponent].push(behind);
        let zero = self.step(before, CharacterClass::One('0'));
        for (letters, _, digits) in RADIXES {
            let prefix = self.step(zero, CharacterClass::Of(letters));
            let digits = self.digits(prefix, CharacterClass::Of(digits));
            self.epsilon[digits].push(behind);
        }
        let end = self.repeated(behind, CharacterClass::Space);
        let spaces = self.digits(from, CharacterClass::Space);
        self.epsilon[spaces].push(end);
        end
    }

    /// Adds a state that the machine can reach from `from` by reading a character of the class, or without
    /// reading a character.
    fn optional(&mut self, from: usize, on: CharacterClass) -> usize {
        let at = self.step(from, on);
        self.epsilon[from].push(at);
        at
    }

    /// Adds a state for one or more characters of the class.
    fn digits(&mut self, from: usize, on: CharacterClass) -> usize {
        let at = self.step(from, on);
        self.steps[at].push((on, at));
        at
    }

    /// Adds a state for any number of characters of the class.
    fn repeated(&mut self, from: usize, on: CharacterClass) -> usize {
        let at = self.fork(from);
        self.steps[at].push((on, at));
        at
    }

    fn step(&mut self, from: usize, on: CharacterClass) -> usize {
        let to = self.state();
        self.steps[from].push((on, to));
        to
    }

    fn fork(&mut self, from: usize) -> usize {
        let at = self.state();
        self.epsilon[from].push(at);
        at
    }

    fn state(&mut self) -> usize {
        self.epsilon.push(Vec::new());
        self.steps.push(Vec::new());
        self.steps.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::{Template, TemplatePart};

    fn matches(parts: &'static [TemplatePart], text: &str) -> bool {
        Template::new("", parts).is_match(text)
    }

    #[test]
    fn matches_fixed_text_placeholders_and_unions() {
        const LOOPS: &[TemplatePart] = &[
            TemplatePart::OneOf(&[
                &[TemplatePart::Text, TemplatePart::Fixed("a")],
                &[TemplatePart::Integer],
            ]),
            TemplatePart::Text,
        ];
        const VERSION: &[TemplatePart] = &[
            TemplatePart::Fixed("v"),
            TemplatePart::Number,
            TemplatePart::Fixed("-"),
            TemplatePart::OneOf(&[
                &[TemplatePart::Fixed("a.b")],
                &[TemplatePart::Fixed("c"), TemplatePart::Integer],
            ]),
            TemplatePart::Fixed(":"),
            TemplatePart::Text,
        ];
        for good in [
            "v1.5-a.b:any\nthing",
            "v-1.50e+3-c-07:",
            "v1E9-a.b::é😀",
            "v0-c1:-a.b:",
            "v.5-a.b:",
            "v1.e+2-a.b:",
            "v\u{feff}+1 -a.b:",
            "v -a.b:",
            "v0xfF-a.b:",
            "v0b10-a.b:",
        ] {
            assert!(matches(VERSION, good), "{good}");
        }
        for bad in [
            "",
            "v",
            "v-a.b:",
            "v1-aXb:",
            "v.-a.b:",
            "v0x-a.b:",
            "v-0x1-a.b:",
            "v1 2-a.b:",
            "v1e-a.b:",
            "v1-c:",
            "v1-a.b",
        ] {
            assert!(!matches(VERSION, bad), "{bad}");
        }
        assert!(matches(&[], "") && !matches(&[], "x"));
        assert!(!matches(&[TemplatePart::OneOf(&[])], ""));
        // The loops of two adjacent placeholders must stay separate.
        assert!(matches(LOOPS, "12x") && matches(LOOPS, "xa") && !matches(LOOPS, "x"));
    }

    #[test]
    fn ends_a_placeholder_at_the_first_occurrence_of_the_fixed_text_after_it() {
        const RANGE: &[TemplatePart] = &[
            TemplatePart::Number,
            TemplatePart::Fixed("-"),
            TemplatePart::Number,
        ];
        const SIZE: &[TemplatePart] = &[
            TemplatePart::Text,
            TemplatePart::Fixed("x"),
            TemplatePart::Integer,
            TemplatePart::Fixed("!"),
        ];
        const PAIR: &[TemplatePart] = &[TemplatePart::Text, TemplatePart::Number];
        const DIGITS: &[TemplatePart] = &[TemplatePart::Number, TemplatePart::Number];
        for (parts, text, fits) in [
            (RANGE, "1-2", true),
            (RANGE, "1--2", true),
            (RANGE, "1e5-2", true),
            (RANGE, ".5-0x1F", true),
            (RANGE, " +1.-\u{a0}", true),
            (RANGE, "1-0o8", false),
            (RANGE, "1-0x", false),
            (RANGE, "1-1e999", false),
            (RANGE, "1-Infinity", false),
            (RANGE, "1-\u{85}1", false),
            (RANGE, "1-", false),
            (RANGE, "-1-2", false),
            (RANGE, "1-2-3", false),
            (RANGE, "1e-5-2", false),
            (SIZE, "x1!", true),
            (SIZE, "ax-1!", true),
            (SIZE, "axbx1!", false),
            (SIZE, "ax1", false),
            (PAIR, "a1", true),
            (PAIR, "1", false),
            (PAIR, "ab1", false),
            (PAIR, "", false),
            (DIGITS, "12", true),
            (DIGITS, "-12", false),
            (DIGITS, " 2", true),
            (DIGITS, "1-2", true),
        ] {
            assert_eq!(matches(parts, text), fits, "{text}");
        }
        // The fixed texts at the start and at the end must not overlap.
        assert!(!matches(
            &[
                TemplatePart::Fixed("aa"),
                TemplatePart::Text,
                TemplatePart::Fixed("aa")
            ],
            "aaa"
        ));
    }

    #[test]
    fn takes_linear_time_for_strings_that_do_not_match() {
        const PARTS: &[TemplatePart] = &[
            TemplatePart::Text,
            TemplatePart::Fixed("@"),
            TemplatePart::Text,
            TemplatePart::Fixed("."),
            TemplatePart::Number,
            TemplatePart::Number,
        ];
        const CHOICES: &[TemplatePart] = &[
            TemplatePart::Text,
            TemplatePart::Fixed("@"),
            TemplatePart::Text,
            TemplatePart::OneOf(&[&[TemplatePart::Number], &[]]),
        ];
        let started = Instant::now();
        assert!(matches(PARTS, &format!("{}.12", "@".repeat(300_000))));
        assert!(!matches(PARTS, &format!("{}.1x", "@".repeat(300_000))));
        assert!(matches(CHOICES, &format!("{}1", "@.1".repeat(100_000))));
        assert!(!matches(CHOICES, &".1".repeat(100_000)));
        assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
    }
}
