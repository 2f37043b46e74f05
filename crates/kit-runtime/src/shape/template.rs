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
    /// `${number}`: a number in the syntax of JSON.
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
            Self::Number => {
                let (mantissa, exponent) = match text.split_once(['e', 'E']) {
                    Some((mantissa, exponent)) => (mantissa, Some(exponent)),
                    None => (text, None),
                };
                let mantissa = mantissa.strip_prefix('-').unwrap_or(mantissa);
                let (whole, fraction) = match mantissa.split_once('.') {
                    Some((whole, fraction)) => (whole, Some(fraction)),
                    None => (mantissa, None),
                };
                is_digits(whole)
                    && fraction.is_none_or(is_digits)
                    && exponent.is_none_or(|exponent| {
                        is_digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))
                    })
            }
            Self::OneOf(_) => false,
        }
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The characters on which the state machine moves from one state to another.
#[derive(Debug, Clone, Copy)]
enum CharacterClass {
    Any,
    Digit,
    One(char),
    /// One of the characters in the string, such as a sign or the `e` of an exponent.
    Of(&'static str),
}

impl CharacterClass {
    fn accepts(self, character: char) -> bool {
        match self {
            Self::Any => true,
            Self::Digit => character.is_ascii_digit(),
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
                self.digits(signed)
            }
            TemplatePart::Number => {
                let signed = self.optional(from, CharacterClass::One('-'));
                let whole = self.digits(signed);
                let point = self.step(whole, CharacterClass::One('.'));
                let fraction = self.digits(point);
                let mantissa = self.fork(whole);
                self.epsilon[fraction].push(mantissa);
                let power = self.step(mantissa, CharacterClass::Of("eE"));
                let signed = self.optional(power, CharacterClass::Of("+-"));
                let exponent = self.digits(signed);
                let behind = self.fork(mantissa);
                self.epsilon[exponent].push(behind);
                behind
            }
        }
    }

    /// Adds a state that the machine can reach from `from` by reading a character of the class, or without
    /// reading a character.
    fn optional(&mut self, from: usize, on: CharacterClass) -> usize {
        let at = self.step(from, on);
        self.epsilon[from].push(at);
        at
    }

    fn digits(&mut self, from: usize) -> usize {
        let at = self.step(from, CharacterClass::Digit);
        self.steps[at].push((CharacterClass::Digit, at));
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
        ] {
            assert!(matches(VERSION, good), "{good}");
        }
        for bad in [
            "", "v", "v-a.b:", "v1-aXb:", "v1.-a.b:", "v.5-a.b:", "v+1-a.b:", "v1e-a.b:", "v1-c:", "v1-a.b",
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
