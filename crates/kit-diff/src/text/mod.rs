//! Sets of texts: the values of strings, templates, dates, bytes and numbers as text.

mod languages;

use std::rc::Rc;

use kit_analysis::Segment;
use kit_ir::{Constraints, Format};
use kit_pattern::{Bounded, Found, Language, find};
use rustc_hash::FxHashMap;

use self::languages::{DECIMAL, INTEGER, Pair, pair};
use crate::number::{NumberSet, Outside};

/// Maximum number of characters of a bigint on the wire.
const MAX_BIGINT: u64 = 1000;

/// Number of sample texts of a set that are compared with the other sets if the comparison of the languages is not exact.
const SAMPLES: usize = 12;

/// A condition that a text satisfies.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Condition {
    Pattern(String),
    Format(Format),
    /// A date and time that a decoder accepts.
    Timestamp,
    /// A date and time as an encoder writes it.
    WrittenTimestamp,
    Bytes,
    Template(Vec<Segment>),
    Literal(String),
    /// A number in decimal notation, as text of a query.
    Decimal(NumberSet),
    /// A bigint.
    Integer(NumberSet),
    /// Value of a header.
    Header,
    /// A key of `[key: number]`.
    NumericKey,
}

/// A set of texts that satisfy all conditions.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TextSet {
    pub(crate) conditions: Vec<Condition>,
    min: u64,
    max: Option<u64>,
}

/// Result of a membership test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Member {
    No,
    Maybe,
    Yes,
}

impl Member {
    pub(crate) fn of(is_member: bool) -> Self {
        if is_member { Self::Yes } else { Self::No }
    }
}

impl TextSet {
    pub(crate) fn any() -> Self {
        Self {
            conditions: Vec::new(),
            min: 0,
            max: None,
        }
    }

    pub(crate) fn of(condition: Condition) -> Self {
        let max = matches!(condition, Condition::Integer(_)).then_some(MAX_BIGINT);
        Self {
            conditions: vec![condition],
            min: 0,
            max,
        }
    }

    /// Returns the texts that also satisfy the rules.
    pub(crate) fn with_rules(mut self, rules: &Constraints) -> Self {
        self.min = self.min.max(rules.min_length.unwrap_or(0));
        self.max = least(self.max, rules.effective_max_length());
        self.conditions
            .extend(rules.pattern.clone().map(Condition::Pattern));
        self.conditions.extend(rules.format.map(Condition::Format));
        self
    }

    /// Returns the set of texts with at least one character.
    pub(crate) fn not_empty() -> Self {
        Self {
            min: 1,
            ..Self::any()
        }
    }

    /// Returns the texts that are in both sets.
    pub(crate) fn and(&self, other: &Self) -> Self {
        Self {
            conditions: self.conditions.iter().chain(&other.conditions).cloned().collect(),
            min: self.min.max(other.min),
            max: least(self.max, other.max),
        }
    }

    /// Returns true for texts that an encoder writes, and that a decoder of the other set accepts.
    pub(crate) fn is_written_form_of(&self, other: &Self) -> bool {
        (self.min, self.max) == (other.min, other.max)
            && self.conditions == [Condition::WrittenTimestamp]
            && other.conditions == [Condition::Format(Format::DateTime)]
    }

    fn literal(&self) -> Option<&str> {
        self.conditions.iter().find_map(|condition| match condition {
            Condition::Literal(text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// Returns the numbers of a set of numbers as text that has no other conditions.
    fn numbers(&self) -> Option<(&NumberSet, bool)> {
        match self.conditions.as_slice() {
            [Condition::Decimal(set)] => Some((set, false)),
            [Condition::Integer(set)] => Some((set, true)),
            _ => None,
        }
    }

    /// Returns true if this set allows every length that the other set allows.
    fn has_lengths_of(&self, other: &Self) -> bool {
        let is_long_enough = || {
            other
                .max
                .zip(self.max)
                .map_or(self.max.is_none(), |(other, own)| other <= own)
        };
        self.min <= other.min && is_long_enough()
    }

    /// Returns the set without the conditions that each text of `within` satisfies.
    fn without_conditions_of(&self, within: &Self) -> Self {
        let implied = |condition: &Condition| {
            within
                .conditions
                .iter()
                .any(|other| other == condition || implies(other, condition))
        };
        Self {
            conditions: self
                .conditions
                .iter()
                .filter(|condition| !implied(condition))
                .cloned()
                .collect(),
            ..*self
        }
    }
}

/// Returns true if each text with the first condition also satisfies the second.
fn implies(first: &Condition, second: &Condition) -> bool {
    use Condition::{Format as Named, Timestamp, WrittenTimestamp};
    matches!(
        (first, second),
        (WrittenTimestamp, Timestamp | Named(Format::DateTime)) | (Timestamp, Named(Format::DateTime))
    )
}

/// Languages of the conditions, each created once.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    languages: FxHashMap<String, Rc<Pair>>,
}

impl Texts {
    /// Searches for a text that is in `within` and in none of `others`.
    pub(crate) fn outside(&mut self, within: &TextSet, others: &[&TextSet]) -> Found {
        if let Some(text) = within.literal() {
            let text = text.to_owned();
            return match self.contains(within, &text) {
                Member::No => Found::Nothing,
                is_inside => self.judge(&text, is_inside, others),
            };
        }
        if let Some((numbers, is_integer)) = within.numbers() {
            let alike = others
                .iter()
                .filter_map(|other| other.numbers())
                .filter(|(_, integer)| !integer || is_integer)
                .map(|(set, _)| set.clone());
            let alike: Vec<_> = alike.collect();
            match numbers.outside(&alike) {
                Outside::Nothing => return Found::Nothing,
                Outside::Number(text) => {
                    if let found @ Found::Text(_) = self.judge(&text, Member::Yes, others) {
                        return found;
                    }
                }
                Outside::Unknown => {}
            }
        }
        let reduced: Vec<TextSet> = others
            .iter()
            .map(|other| other.without_conditions_of(within))
            .collect();
        if reduced
            .iter()
            .any(|other| other.conditions.is_empty() && other.has_lengths_of(within))
        {
            return Found::Nothing;
        }
        let outer = self.bounded(within, false);
        let inner_others: Vec<_> = reduced.iter().map(|other| self.bounded(other, true)).collect();
        let mut candidates = Vec::new();
        match find(std::slice::from_ref(&outer), &inner_others) {
            Found::Nothing => return Found::Nothing,
            Found::Text(text) => candidates.push(text),
            Found::Unknown => {}
        }
        let inner = self.bounded(within, true);
        let mut outer_others: Vec<_> = reduced.iter().map(|other| self.bounded(other, false)).collect();
        if let Found::Text(text) = find(std::slice::from_ref(&inner), &outer_others) {
            return Found::Text(text);
        }
        outer_others.clear();
        for _ in 0..SAMPLES {
            let Found::Text(text) = find(std::slice::from_ref(&inner), &outer_others) else {
                break;
            };
            outer_others.push(Bounded {
                language: Language::literal(&text),
                min: 0,
                max: None,
            });
            candidates.push(text);
        }
        for text in candidates {
            let is_inside = self.contains(within, &text);
            if let found @ Found::Text(_) = self.judge(&text, is_inside, others) {
                return found;
            }
        }
        Found::Unknown
    }

    /// Decides about one text of `within`.
    fn judge(&mut self, text: &str, is_inside: Member, others: &[&TextSet]) -> Found {
        let members: Vec<Member> = others.iter().map(|other| self.contains(other, text)).collect();
        match members.iter().max() {
            Some(Member::Yes) => Found::Nothing,
            Some(Member::Maybe) => Found::Unknown,
            _ if is_inside == Member::Yes => Found::Text(text.to_owned()),
            _ => Found::Unknown,
        }
    }

    /// Returns if a text is in a set.
    pub(crate) fn contains(&mut self, set: &TextSet, text: &str) -> Member {
        let length = text.chars().count() as u64;
        if length < set.min || set.max.is_some_and(|max| length > max) {
            return Member::No;
        }
        let members = set
            .conditions
            .iter()
            .map(|condition| self.satisfies(condition, text));
        members.min().unwrap_or(Member::Yes)
    }

    fn satisfies(&mut self, condition: &Condition, text: &str) -> Member {
        let number = |set: &NumberSet, grammar: &str| {
            if kit_pattern::matches(grammar, text) != Some(true) {
                return Member::No;
            }
            let value = text.parse::<f64>().ok().filter(|value| value.is_finite());
            match value.map(|value| set.contains(value)) {
                Some(Some(is_member)) => Member::of(is_member),
                Some(None) => Member::Maybe,
                None => Member::No,
            }
        };
        match condition {
            Condition::Literal(expected) => Member::of(expected == text),
            Condition::Pattern(pattern) => {
                kit_pattern::matches(pattern, text).map_or(Member::Maybe, Member::of)
            }
            Condition::Decimal(set) => number(set, DECIMAL),
            Condition::Integer(set) => number(set, INTEGER),
            Condition::Format(format) if kit_analysis::samples().of_format(*format).valid == text => {
                Member::Yes
            }
            _ => {
                let pair = self.language(condition);
                if pair.inner.contains(text) {
                    Member::Yes
                } else if pair.outer.contains(text) {
                    Member::Maybe
                } else {
                    Member::No
                }
            }
        }
    }

    /// Returns a language inside of a set or around it.
    fn bounded(&mut self, set: &TextSet, is_inner: bool) -> Bounded {
        let mut language: Option<Language> = None;
        for condition in &set.conditions {
            let pair = self.language(condition);
            let next = if is_inner { &pair.inner } else { &pair.outer };
            language = Some(match language {
                None => next.clone(),
                Some(before) => match before.both(next) {
                    Some(both) => both,
                    None if is_inner => Language::none(),
                    None => before,
                },
            });
        }
        Bounded {
            language: language.unwrap_or_else(Language::any),
            min: set.min,
            max: set.max,
        }
    }

    fn language(&mut self, condition: &Condition) -> Rc<Pair> {
        let key = format!("{condition:?}");
        if let Some(known) = self.languages.get(&key) {
            return Rc::clone(known);
        }
        let pair = Rc::new(pair(condition));
        self.languages.insert(key, Rc::clone(&pair));
        pair
    }
}

fn least(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use kit_analysis::Segment;
    use kit_ir::{Constraints, Format};
    use kit_pattern::Found;

    use super::{Condition, Member, NumberSet, TextSet, Texts};

    fn pattern(pattern: &str) -> TextSet {
        TextSet::of(Condition::Pattern(pattern.to_owned()))
    }

    fn format(format: Format) -> TextSet {
        TextSet::any().with_rules(&Constraints {
            format: Some(format),
            ..Constraints::default()
        })
    }

    #[test]
    fn finds_a_text_exactly_if_the_second_set_does_not_contain_the_first() {
        let template = |parts: &[&str]| {
            let segments = parts.iter().map(|part| match *part {
                "string" => Segment::String,
                "number" => Segment::Number,
                text => Segment::Text(text.to_owned()),
            });
            TextSet::of(Condition::Template(segments.collect()))
        };
        let short = TextSet::any().with_rules(&Constraints {
            max_length: Some(36),
            ..Constraints::default()
        });
        for (within, without, expected) in [
            (format(Format::Uuid), short.clone(), Found::Nothing),
            (format(Format::Uuid), format(Format::Uuid), Found::Nothing),
            (format(Format::Email), TextSet::any(), Found::Nothing),
            (
                format(Format::Date),
                pattern("^[0-9]{4}-[0-9]{2}-[0-9]{2}$"),
                Found::Nothing,
            ),
            (
                TextSet::of(Condition::Timestamp),
                format(Format::DateTime),
                Found::Nothing,
            ),
            (
                TextSet::of(Condition::WrittenTimestamp),
                TextSet::of(Condition::Timestamp),
                Found::Nothing,
            ),
            (template(&["v", "number"]), pattern("^v"), Found::Nothing),
            (template(&["string", "-", "string"]), pattern("-"), Found::Nothing),
            (
                pattern("^[0-9]$"),
                TextSet::of(Condition::Decimal(NumberSet::of(&Constraints::default()))),
                Found::Nothing,
            ),
        ] {
            let found = Texts::default().outside(&within, &[&without]);
            assert_eq!(found, expected, "{within:?} and {without:?}");
        }
        for (within, without) in [
            (TextSet::any(), format(Format::Email)),
            (format(Format::DateTime), TextSet::of(Condition::Timestamp)),
            (format(Format::Email), short),
            (format(Format::Email), format(Format::Uri)),
            (format(Format::Uuid), pattern("^[0-9a-f-]+$")),
            (pattern("^[0-9-]{10}$"), format(Format::Date)),
            (pattern("-"), template(&["string", "-", "number"])),
        ] {
            let mut texts = Texts::default();
            let Found::Text(text) = texts.outside(&within, &[&without]) else {
                panic!("no text for {within:?} and {without:?}");
            };
            assert_eq!(texts.contains(&within, &text), Member::Yes, "{text}");
            assert_eq!(texts.contains(&without, &text), Member::No, "{text}");
        }
    }
}
