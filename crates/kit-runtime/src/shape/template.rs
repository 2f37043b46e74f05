//! Template literal types: the texts that fixed parts and holes can make, in whichever way they divide the text.
//!
//! A regular expression would say the same, but an engine that backtracks tries each division of a wrong text. Here all divisions are
//! followed at once, so that the work grows with the length of the text alone.

use std::sync::OnceLock;

/// A part of a template literal type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Fixed text.
    Fixed(&'static str),
    /// `${string}`.
    Text,
    /// `${number}`: a number as JSON writes it.
    Number,
    /// `${bigint}`: a minus or none, and digits.
    Integer,
    /// What one of several sequences fills; of none, nothing does.
    Either(&'static [&'static [Self]]),
}

/// A template literal type, whose machine is made when it is first asked.
#[derive(Debug)]
pub struct Template {
    source: &'static str,
    parts: &'static [Part],
    machine: OnceLock<Machine>,
}

impl Template {
    /// The template of that source, as TypeScript writes it between backticks.
    pub const fn new(source: &'static str, parts: &'static [Part]) -> Self {
        Self {
            source,
            parts,
            machine: OnceLock::new(),
        }
    }

    /// As TypeScript writes it, without the backticks: `user-${number}`.
    pub fn source(&self) -> &'static str {
        self.source
    }

    /// Whether a text is one of those that it stands for.
    pub fn is_match(&self, text: &str) -> bool {
        self.machine.get_or_init(|| Machine::new(self.parts)).test(text)
    }
}

/// Characters that a step takes.
#[derive(Debug, Clone, Copy)]
enum On {
    Any,
    Digit,
    One(char),
    /// A sign, or what begins an exponent.
    Of(&'static str),
}

impl On {
    fn takes(self, character: char) -> bool {
        match self {
            Self::Any => true,
            Self::Digit => character.is_ascii_digit(),
            Self::One(one) => one == character,
            Self::Of(several) => several.contains(character),
        }
    }
}

/// The states in which a reader of a text can be. It ends in the last one.
#[derive(Debug, Default)]
struct Machine {
    steps: Vec<Vec<(On, usize)>>,
    /// States that are reached without a character.
    free: Vec<Vec<usize>>,
    end: usize,
}

impl Machine {
    fn new(parts: &[Part]) -> Self {
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
                    if on.takes(character) {
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

    /// Adds a state, and what it reaches without a character, to those of the `at`th round.
    fn enter(&self, state: usize, at: usize, seen: &mut [usize], states: &mut Vec<usize>) {
        let mut pending = vec![state];
        while let Some(state) = pending.pop() {
            if seen[state] != at {
                seen[state] = at;
                states.push(state);
                pending.extend(&self.free[state]);
            }
        }
    }

    /// Adds what a sequence of parts takes from a state on; the state behind it.
    fn sequence(&mut self, parts: &[Part], from: usize) -> usize {
        parts.iter().fold(from, |at, part| self.part(*part, at))
    }

    fn part(&mut self, part: Part, from: usize) -> usize {
        match part {
            Part::Fixed(text) => text
                .chars()
                .fold(from, |at, character| self.step(at, On::One(character))),
            Part::Either(sequences) => {
                let behind = self.state();
                for parts in sequences {
                    // Each begins in a state of its own, so that none goes round in another's loop.
                    let start = self.fork(from);
                    let end = self.sequence(parts, start);
                    self.free[end].push(behind);
                }
                behind
            }
            Part::Text => {
                let at = self.fork(from);
                self.steps[at].push((On::Any, at));
                at
            }
            Part::Integer => {
                let signed = self.maybe(from, On::One('-'));
                self.digits(signed)
            }
            Part::Number => {
                let signed = self.maybe(from, On::One('-'));
                let whole = self.digits(signed);
                let point = self.step(whole, On::One('.'));
                let fraction = self.digits(point);
                let mantissa = self.fork(whole);
                self.free[fraction].push(mantissa);
                let power = self.step(mantissa, On::Of("eE"));
                let signed = self.maybe(power, On::Of("+-"));
                let exponent = self.digits(signed);
                let behind = self.fork(mantissa);
                self.free[exponent].push(behind);
                behind
            }
        }
    }

    /// One such character, or none.
    fn maybe(&mut self, from: usize, on: On) -> usize {
        let at = self.step(from, on);
        self.free[from].push(at);
        at
    }

    fn digits(&mut self, from: usize) -> usize {
        let at = self.step(from, On::Digit);
        self.steps[at].push((On::Digit, at));
        at
    }

    fn step(&mut self, from: usize, on: On) -> usize {
        let to = self.state();
        self.steps[from].push((on, to));
        to
    }

    fn fork(&mut self, from: usize) -> usize {
        let at = self.state();
        self.free[from].push(at);
        at
    }

    fn state(&mut self) -> usize {
        self.free.push(Vec::new());
        self.steps.push(Vec::new());
        self.steps.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::{Part, Template};

    fn matches(parts: &'static [Part], text: &str) -> bool {
        Template::new("", parts).is_match(text)
    }

    #[test]
    fn holes_take_what_they_say() {
        const LOOPS: &[Part] = &[
            Part::Either(&[&[Part::Text, Part::Fixed("a")], &[Part::Integer]]),
            Part::Text,
        ];
        const VERSION: &[Part] = &[
            Part::Fixed("v"),
            Part::Number,
            Part::Fixed("-"),
            Part::Either(&[&[Part::Fixed("a.b")], &[Part::Fixed("c"), Part::Integer]]),
            Part::Fixed(":"),
            Part::Text,
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
        assert!(!matches(&[Part::Either(&[])], ""));
        // Two loops beside each other do not run into one another.
        assert!(matches(LOOPS, "12x") && matches(LOOPS, "xa") && !matches(LOOPS, "x"));
    }

    #[test]
    fn a_wrong_text_takes_no_longer_than_a_right_one() {
        const PARTS: &[Part] = &[
            Part::Text,
            Part::Fixed("@"),
            Part::Text,
            Part::Fixed("."),
            Part::Number,
            Part::Number,
        ];
        let started = Instant::now();
        assert!(matches(PARTS, &format!("{}1", "@.1".repeat(100_000))));
        assert!(!matches(PARTS, &format!("{}x", "@.1".repeat(100_000))));
        assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
    }
}
