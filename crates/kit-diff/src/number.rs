//! Sets of numbers: an interval, and a step of which each number is a multiple.
#![allow(clippy::float_cmp)] // Reason: bounds are equal only if they are exactly equal.

use kit_analysis::numbers::MAX_SAFE;
use kit_ir::{Constraints, Decimal};

/// Maximum number of multiples that are tried in one interval.
const MAX_TRIED: i128 = 2_000;

/// End of an interval. `None` means that the interval has no end.
type End = Option<Edge>;

/// A finite end of an interval.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Edge {
    value: f64,
    /// True if the interval does not contain the value.
    open: bool,
}

/// A decimal number `digits * 10 ^ exponent`.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Step {
    digits: i128,
    exponent: i32,
}

/// A set of numbers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NumberSet {
    low: End,
    high: End,
    step: Option<Step>,
}

/// Result of [`NumberSet::outside`].
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outside {
    /// A number as JSON text.
    Number(String),
    Nothing,
    Unknown,
}

impl NumberSet {
    /// Returns the set of numbers that satisfy the rules.
    pub(crate) fn of(rules: &Constraints) -> Self {
        if rules.integer {
            Self::of_bigint(rules).safe()
        } else {
            Self::within(rules)
        }
    }

    /// Returns the set of integers of a `bigint` that satisfy the rules.
    pub(crate) fn of_bigint(rules: &Constraints) -> Self {
        let mut set = Self::within(rules);
        set.step = set
            .step
            .map_or(Some(Step::ONE), |step| step.common_multiple(Step::ONE));
        set
    }

    /// Returns the integers of the set that are safe.
    pub(crate) fn safe(mut self) -> Self {
        self.low = later_low(
            self.low,
            Some(Edge {
                value: -MAX_SAFE,
                open: false,
            }),
        );
        self.high = earlier_high(
            self.high,
            Some(Edge {
                value: MAX_SAFE,
                open: false,
            }),
        );
        self
    }

    /// Returns the set with one number.
    pub(crate) fn one(value: f64) -> Self {
        let edge = Some(Edge { value, open: false });
        Self {
            low: edge,
            high: edge,
            step: None,
        }
    }

    /// Returns the number of a set with only one number.
    pub(crate) fn single(&self) -> Option<f64> {
        let (low, high) = self.low.zip(self.high)?;
        (low.value == high.value && self.step.is_none()).then_some(low.value)
    }

    /// Returns true if the set has no conditions.
    pub(crate) fn is_everything(&self) -> bool {
        self.low.is_none() && self.high.is_none() && self.step.is_none()
    }

    /// Returns true if being an integer is the only condition.
    pub(crate) fn is_every_integer(&self) -> bool {
        self.low.is_none() && self.high.is_none() && self.step == Some(Step::ONE)
    }

    fn within(rules: &Constraints) -> Self {
        let edge = |bound: Option<Decimal>, open| {
            bound.map(|bound| Edge {
                value: bound.get(),
                open,
            })
        };
        Self {
            low: later_low(edge(rules.minimum, false), edge(rules.exclusive_minimum, true)),
            high: earlier_high(edge(rules.maximum, false), edge(rules.exclusive_maximum, true)),
            step: rules.multiple_of.and_then(|step| Step::of(step.get())),
        }
    }

    /// Returns true if the number is in the set. Returns `None` if the number is too large for an exact check.
    pub(crate) fn contains(&self, value: f64) -> Option<bool> {
        let above = self.low.is_none_or(|low| {
            if low.open {
                value > low.value
            } else {
                value >= low.value
            }
        });
        let below = self.high.is_none_or(|high| {
            if high.open {
                value < high.value
            } else {
                value <= high.value
            }
        });
        if !above || !below {
            return Some(false);
        }
        match self.step {
            None => Some(true),
            Some(step) => Step::of(value)?.is_multiple_of(step),
        }
    }

    /// Searches for a number of this set that is in none of the others.
    pub(crate) fn outside(&self, others: &[Self]) -> Outside {
        // A set covers an interval of this set if each number of this set is a multiple of its step.
        let covers = |other: &&Self| match (self.step, other.step) {
            (_, None) => true,
            (Some(ours), Some(theirs)) => ours.is_multiple_of(theirs) == Some(true),
            (None, Some(_)) => {
                let single = self
                    .low
                    .zip(self.high)
                    .filter(|(low, high)| low.value == high.value);
                single.is_some_and(|(low, _)| other.contains(low.value) == Some(true))
            }
        };
        let mut covering: Vec<(End, End)> = others
            .iter()
            .filter(covers)
            .map(|other| (other.low, other.high))
            .collect();
        covering.sort_by(|(a, _), (b, _)| {
            low_key(*a)
                .partial_cmp(&low_key(*b))
                .unwrap_or(std::cmp::Ordering::Equal)
        });
        let mut is_unknown = false;
        for (low, high) in gaps(self.low, self.high, &covering) {
            let (candidates, are_all) = self.candidates(low, high);
            for candidate in candidates {
                let Ok(value) = candidate.parse::<f64>() else {
                    continue;
                };
                let is_inside = self.contains(value);
                let are_outside = others.iter().all(|other| other.contains(value) == Some(false));
                if is_inside == Some(true) && are_outside {
                    return Outside::Number(candidate);
                }
            }
            is_unknown |= !are_all;
        }
        if is_unknown {
            Outside::Unknown
        } else {
            Outside::Nothing
        }
    }

    /// Returns numbers in an interval as JSON texts, and true if these are all numbers of this set in the interval.
    fn candidates(&self, low: End, high: End) -> (Vec<String>, bool) {
        if let Some(step) = self.step {
            return step.multiples(low, high);
        }
        let (Some(from), Some(to)) = (low, high) else {
            // Numbers on the open side, of several sizes.
            let offsets = [0.0, 1.0, 0.5, 0.3, 7.7, 100.25, 1e6 + 0.1, 1e15];
            let numbers = offsets.iter().flat_map(|offset| match (low, high) {
                (Some(low), _) => vec![low.value + offset, low.value + offset * low.value.abs()],
                (_, Some(high)) => vec![high.value - offset, high.value - offset * high.value.abs()],
                _ => vec![*offset, -offset],
            });
            return (numbers.map(text).collect(), false);
        };
        let width = to.value - from.value;
        let parts = [0.0, 1.0, 0.5, 0.25, 0.3211, 0.7123, 0.123_456_7, 0.9];
        let whole = [
            from.value.floor() + 1.0,
            from.value.floor() + 0.5,
            from.value.floor() + 1.5,
        ];
        let numbers = parts.iter().map(|part| from.value + width * part).chain(whole);
        // An interval of one number is complete.
        (numbers.map(text).collect(), width == 0.0)
    }
}

impl Step {
    const ONE: Self = Self {
        digits: 1,
        exponent: 0,
    };

    /// Returns the decimal number that JavaScript prints; `None` if the number has too many digits.
    fn of(value: f64) -> Option<Self> {
        let printed = format!("{value:e}");
        let (mantissa, power) = printed.split_once('e')?;
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
        let exponent = power.parse::<i32>().ok()? - i32::try_from(fraction.len()).ok()?;
        Some(Self { digits, exponent })
    }

    /// Returns the digits of both numbers with the smaller exponent.
    fn aligned(self, other: Self) -> Option<(i128, i128, i32)> {
        let exponent = self.exponent.min(other.exponent);
        let scale = |step: Self| {
            let power = u32::try_from(step.exponent - exponent)
                .ok()
                .filter(|power| *power <= 30)?;
            step.digits.checked_mul(10_i128.checked_pow(power)?)
        };
        Some((scale(self)?, scale(other)?, exponent))
    }

    fn is_multiple_of(self, other: Self) -> Option<bool> {
        if self.digits == 0 {
            return Some(true);
        }
        let (ours, theirs, _) = self.aligned(other)?;
        (theirs != 0).then(|| ours % theirs == 0)
    }

    fn common_multiple(self, other: Self) -> Option<Self> {
        let (ours, theirs, exponent) = self.aligned(other)?;
        let (mut a, mut b) = (ours.abs(), theirs.abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let digits = (ours.abs() / a.max(1)).checked_mul(theirs.abs())?;
        Some(Self { digits, exponent })
    }

    /// Returns multiples in an interval as JSON texts, and true if these are all.
    #[allow(clippy::cast_possible_truncation)] // the quotient is checked against the range before
    fn multiples(self, low: End, high: End) -> (Vec<String>, bool) {
        let size = self.text(1).parse::<f64>().unwrap_or(1.0);
        let count = |edge: Edge| {
            let count = edge.value / size;
            (count.abs() < 1e30).then_some(count)
        };
        let first = low.map(|low| count(low).map(|count| count.floor() as i128 - 1));
        let last = high.map(|high| count(high).map(|count| count.ceil() as i128 + 1));
        if first == Some(None) || last == Some(None) {
            return (Vec::new(), false);
        }
        let (first, last) = (first.flatten(), last.flatten());
        let (range, are_all): (Vec<i128>, bool) = match (first, last) {
            (Some(first), Some(last)) => {
                let are_all = last - first <= MAX_TRIED;
                let from_end = (first.max(last - MAX_TRIED / 2)..=last).rev();
                let tried =
                    (first..=last.min(first + MAX_TRIED)).chain(from_end.take(usize::from(!are_all) * 1000));
                (tried.collect(), are_all)
            }
            (Some(first), None) => ((first..first + MAX_TRIED).collect(), false),
            (None, Some(last)) => ((last - MAX_TRIED..=last).rev().collect(), false),
            (None, None) => ((0..MAX_TRIED).collect(), false),
        };
        let inside = |count: &i128| {
            let value = self.text(*count).parse::<f64>().unwrap_or(f64::NAN);
            NumberSet {
                low,
                high,
                step: None,
            }
            .contains(value)
                == Some(true)
        };
        let texts = range
            .into_iter()
            .filter(inside)
            .map(|count| self.text(count))
            .collect();
        (texts, are_all)
    }

    /// Returns `count` times the step as JSON text.
    fn text(self, count: i128) -> String {
        let Some(digits) = self.digits.checked_mul(count) else {
            return "0".to_owned();
        };
        if digits == 0 {
            return "0".to_owned();
        }
        let sign = if digits < 0 { "-" } else { "" };
        let mut text = digits.abs().to_string();
        if let Ok(zeros) = usize::try_from(self.exponent) {
            return format!("{sign}{text}{}", "0".repeat(zeros.min(400)));
        }
        let places = usize::try_from(-self.exponent).unwrap_or(0);
        if text.len() <= places {
            text = format!("{}{text}", "0".repeat(places + 1 - text.len()));
        }
        let (whole, fraction) = text.split_at(text.len() - places);
        let fraction = fraction.trim_end_matches('0');
        if fraction.is_empty() {
            format!("{sign}{whole}")
        } else {
            format!("{sign}{whole}.{fraction}")
        }
    }
}

/// Returns the parts of an interval that none of the covering intervals, sorted by their starts, contains.
fn gaps(low: End, high: End, covering: &[(End, End)]) -> Vec<(End, End)> {
    let mut found = Vec::new();
    let mut from = low;
    for (start, end) in covering {
        if low_key(*start) > low_key(from)
            && let Some(start) = start
        {
            let until = earlier_high(
                high,
                Some(Edge {
                    value: start.value,
                    open: !start.open,
                }),
            );
            found.push((from, until));
        }
        let Some(end) = end else {
            return non_empty(found);
        };
        from = later_low(
            from,
            Some(Edge {
                value: end.value,
                open: !end.open,
            }),
        );
    }
    found.push((from, high));
    non_empty(found)
}

fn non_empty(mut intervals: Vec<(End, End)>) -> Vec<(End, End)> {
    intervals.retain(|(low, high)| match (low, high) {
        (Some(low), Some(high)) => {
            low.value < high.value || (low.value == high.value && !low.open && !high.open)
        }
        _ => true,
    });
    intervals
}

/// Returns a key that orders starts of intervals.
fn low_key(low: End) -> (f64, bool) {
    low.map_or((f64::NEG_INFINITY, false), |low| (low.value, low.open))
}

fn later_low(a: End, b: End) -> End {
    if low_key(a) >= low_key(b) { a } else { b }
}

fn earlier_high(a: End, b: End) -> End {
    let key = |high: End| high.map_or((f64::INFINITY, true), |high| (high.value, !high.open));
    if key(a) <= key(b) { a } else { b }
}

/// Returns a number as JSON text. -0 becomes 0.
fn text(number: f64) -> String {
    format!("{}", number + 0.0)
}

#[cfg(test)]
mod tests {
    use kit_ir::{Constraints, Decimal};

    use super::{NumberSet, Outside};

    fn set(rules: &str) -> NumberSet {
        let mut found = Constraints::default();
        for rule in rules.split_whitespace() {
            let (name, value) = rule.split_at(1);
            let value = || Decimal::new(value.parse().expect("a number"));
            match name {
                "[" => found.minimum = value(),
                "]" => found.maximum = value(),
                ">" => found.exclusive_minimum = value(),
                "<" => found.exclusive_maximum = value(),
                "*" => found.multiple_of = value(),
                _ => found.integer = true,
            }
        }
        NumberSet::of(&found)
    }

    #[test]
    fn a_number_is_found_only_if_no_other_set_contains_it() {
        for (within, without, expected) in [
            ("", vec![""], false),
            ("", vec!["i"], true),
            ("i", vec![""], false),
            ("[0 ]10", vec!["[0 ]5", "[5 ]10"], false),
            ("[0 ]10", vec!["[0 <5", ">5 ]10"], true),
            ("i [0 ]10", vec!["[0 ]5", "[6 ]10"], false),
            ("i [0 ]10", vec!["*2", "*3"], true),
            ("i [0 ]4", vec!["*2", "*3", "[1 ]1"], false),
            ("*0.5", vec!["*0.25"], false),
            ("*0.5", vec!["*1"], true),
            ("*0.1", vec!["*0.01"], false),
            ("i *0.5", vec!["i"], false),
            ("[0 ]0", vec!["*7"], false),
            (">0 <1", vec!["[1", "]0"], true),
            ("i >0 <1", vec![], false),
            ("i", vec!["[-9007199254740991 ]9007199254740991"], false),
            ("[1", vec!["[0"], false),
            ("[0", vec!["[1"], true),
        ] {
            let without: Vec<_> = without.into_iter().map(set).collect();
            let found = set(within).outside(&without);
            assert_eq!(
                matches!(found, Outside::Number(_)),
                expected,
                "{within}: {found:?}"
            );
            assert_eq!(found == Outside::Nothing, !expected, "{within}: {found:?}");
        }
    }
}
