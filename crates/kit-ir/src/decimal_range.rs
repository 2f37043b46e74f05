//! Bounds of decimal numbers as text, such as the least price of an article.

use std::cmp::Ordering;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::Digits;

/// Bounds of decimal numbers. Each bound is a decimal number as text, such as `-0.50`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct DecimalRange {
    /// Smallest valid number, from `@minimum`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum: Option<String>,
    /// Greatest valid number, from `@maximum`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maximum: Option<String>,
    /// Numbers must be greater than this number, from `@exclusiveMinimum`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclusive_minimum: Option<String>,
    /// Numbers must be less than this number, from `@exclusiveMaximum`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclusive_maximum: Option<String>,
}

impl DecimalRange {
    /// Returns the bounds with the names of their tags.
    ///
    /// ```
    /// use kit_ir::DecimalRange;
    ///
    /// let range = DecimalRange { minimum: Some("0.01".to_owned()), ..Default::default() };
    /// assert_eq!(range.bounds().next(), Some(("minimum", "0.01")));
    /// ```
    pub fn bounds(&self) -> impl Iterator<Item = (&'static str, &str)> {
        [
            ("minimum", &self.minimum),
            ("exclusiveMinimum", &self.exclusive_minimum),
            ("maximum", &self.maximum),
            ("exclusiveMaximum", &self.exclusive_maximum),
        ]
        .into_iter()
        .filter_map(|(name, bound)| Some((name, bound.as_deref()?)))
    }

    /// Returns the stricter one of each two bounds.
    ///
    /// ```
    /// use kit_ir::DecimalRange;
    ///
    /// let least = |text: &str| DecimalRange { minimum: Some(text.to_owned()), ..Default::default() };
    /// assert_eq!(least("9").and(&least("10")), least("10"));
    /// ```
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let pick = |one: &Option<String>, other: &Option<String>, stricter: Ordering| match (one, other) {
            (Some(a), Some(b)) if compare(b, a) == stricter => Some(b.clone()),
            (one, other) => one.clone().or_else(|| other.clone()),
        };
        Self {
            minimum: pick(&self.minimum, &other.minimum, Ordering::Greater),
            maximum: pick(&self.maximum, &other.maximum, Ordering::Less),
            exclusive_minimum: pick(
                &self.exclusive_minimum,
                &other.exclusive_minimum,
                Ordering::Greater,
            ),
            exclusive_maximum: pick(&self.exclusive_maximum, &other.exclusive_maximum, Ordering::Less),
        }
    }
}

/// Compares two decimal numbers as text, without needless zeros at their start.
fn compare(one: &str, other: &str) -> Ordering {
    let parts = |text: &'_ str| -> (bool, String, String) {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let fraction = fraction.trim_end_matches('0');
        let is_negative = digits.len() < text.len() && (whole != "0" || !fraction.is_empty());
        (is_negative, whole.to_owned(), fraction.to_owned())
    };
    let (a, b) = (parts(one), parts(other));
    let magnitudes = (a.1.len(), &a.1, &a.2).cmp(&(b.1.len(), &b.1, &b.2));
    match (a.0, b.0) {
        (false, false) => magnitudes,
        (true, true) => magnitudes.reverse(),
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
    }
}

impl Digits {
    /// Greatest precision of numbers with bounds.
    pub const MAX_BOUNDED_PRECISION: u32 = 38;

    /// Returns a number in units of its last digit: 150 for `1.5` with two digits after the point. Returns `None` if the text
    /// is not a number with these digits, or if the precision is above [`Digits::MAX_BOUNDED_PRECISION`].
    ///
    /// ```
    /// use kit_ir::Digits;
    ///
    /// assert_eq!(Digits::new(4, 2).unwrap().scaled("-1.5"), Some(-150));
    /// assert_eq!(Digits::new(4, 2).unwrap().scaled("1.005"), None);
    /// ```
    pub fn scaled(self, text: &str) -> Option<i128> {
        if !self.allow(text) || self.precision > Self::MAX_BOUNDED_PRECISION {
            return None;
        }
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        format!("{whole}{fraction:0<width$}", width = self.scale as usize)
            .parse()
            .ok()
    }

    /// Returns the text of a number in units of its last digit, with all digits after the point.
    ///
    /// ```
    /// use kit_ir::Digits;
    ///
    /// assert_eq!(Digits::new(4, 2).unwrap().text(-150), "-1.50");
    /// assert_eq!(Digits::new(4, 0).unwrap().text(7), "7");
    /// ```
    pub fn text(self, scaled: i128) -> String {
        let sign = if scaled < 0 { "-" } else { "" };
        let scale = self.scale as usize;
        let number = format!("{:0width$}", scaled.unsigned_abs(), width = scale + 1);
        let (whole, fraction) = number.split_at(number.len() - scale);
        if fraction.is_empty() {
            format!("{sign}{whole}")
        } else {
            format!("{sign}{whole}.{fraction}")
        }
    }

    /// Returns the least and the greatest number within the bounds, in units of the last digit. The first one is greater if no
    /// number is within the bounds. Returns `None` if a bound is not a number with these digits.
    ///
    /// ```
    /// use kit_ir::{DecimalRange, Digits};
    ///
    /// let range = DecimalRange { exclusive_minimum: Some("0".to_owned()), ..Default::default() };
    /// assert_eq!(Digits::new(4, 2).unwrap().limits(&range), Some((1, 9999)));
    /// ```
    pub fn limits(self, range: &DecimalRange) -> Option<(i128, i128)> {
        let number = |bound: &Option<String>, otherwise: i128, add: i128| match bound {
            Some(text) => self.scaled(text).map(|number| number + add),
            None => Some(otherwise),
        };
        let most = 10_i128.checked_pow(self.precision)? - 1;
        let least = number(&range.minimum, -most, 0)?.max(number(&range.exclusive_minimum, -most, 1)?);
        let greatest = number(&range.maximum, most, 0)?.min(number(&range.exclusive_maximum, most, -1)?);
        Some((least, greatest))
    }

    /// Returns the regular expression of the numbers within the bounds as text. Returns `None` if no number is within the
    /// bounds, or if a bound is not a number with these digits.
    ///
    /// ```
    /// use kit_ir::{DecimalRange, Digits};
    ///
    /// let digits = Digits::new(4, 2).unwrap();
    /// let range = DecimalRange {
    ///     minimum: Some("0.50".to_owned()),
    ///     maximum: Some("20".to_owned()),
    ///     ..Default::default()
    /// };
    /// assert_eq!(
    ///     digits.pattern_in(&range).unwrap(),
    ///     r"^(?:0\.[5-9][0-9]?|[1-9](?:\.[0-9]{1,2})?|1[0-9](?:\.[0-9]{1,2})?|20(?:\.0(?:0)?)?)$"
    /// );
    /// assert_eq!(digits.pattern_in(&DecimalRange::default()), Some(digits.pattern()));
    /// ```
    pub fn pattern_in(self, range: &DecimalRange) -> Option<String> {
        if *range == DecimalRange::default() {
            return Some(self.pattern());
        }
        let (least, most) = self.limits(range).filter(|(least, most)| least <= most)?;
        let mut all = Vec::new();
        if most >= 0 {
            all.extend(self.magnitudes(least.max(0), most));
        }
        // `-0` is a valid text of 0.
        if least <= 0 {
            let negative = self.magnitudes((-most).max(0), -least);
            all.extend(negative.into_iter().map(|text| format!("-{text}")));
        }
        Some(match all.as_slice() {
            [one] => format!("^{one}$"),
            several => format!("^(?:{})$", several.join("|")),
        })
    }

    /// Returns the regular expressions of the numbers without a sign from `least` to `most`, in units of the last digit.
    fn magnitudes(self, least: i128, most: i128) -> Vec<String> {
        let width = self.precision as usize;
        let text = |number: i128| format!("{number:0width$}");
        segments(text(least).as_bytes(), text(most).as_bytes())
            .iter()
            .flat_map(|segment| segment.patterns(self))
            .collect()
    }
}

/// Numbers with the same first digits. All digits after them are free.
struct Segment {
    /// First digits, with zeros at the start.
    first: String,
    /// Range of the next digit; `None` if the first digits are all digits.
    next: Option<(char, char)>,
}

/// Returns the segments of all numbers from `least` to `most`, which have the same number of digits.
fn segments(least: &[u8], most: &[u8]) -> Vec<Segment> {
    let segment = |digits: &[u8], next: Option<(u8, u8)>| Segment {
        first: digits.iter().map(|digit| char::from(*digit)).collect(),
        next: next.map(|(from, to)| (char::from(from), char::from(to))),
    };
    let Some(split) = least.iter().zip(most).position(|(low, high)| low != high) else {
        return vec![segment(least, None)];
    };
    let mut found = Vec::new();
    let last = |digits: &[u8], free: u8| {
        let after = digits.iter().enumerate().skip(split + 1);
        after
            .filter(|(_, digit)| **digit != free)
            .map(|(at, _)| at)
            .next_back()
    };
    let (mut from, mut to) = (least[split], most[split]);
    if let Some(last) = last(least, b'0') {
        from += 1;
        found.push(segment(&least[..last], Some((least[last], b'9'))));
        for at in (split + 1..last).rev().filter(|at| least[*at] < b'9') {
            found.push(segment(&least[..at], Some((least[at] + 1, b'9'))));
        }
    }
    let mut above = Vec::new();
    if let Some(last) = last(most, b'9') {
        to -= 1;
        for at in (split + 1..last).filter(|at| most[*at] > b'0') {
            above.push(segment(&most[..at], Some((b'0', most[at] - 1))));
        }
        above.push(segment(&most[..last], Some((b'0', most[last]))));
    }
    if from <= to {
        found.push(segment(&least[..split], Some((from, to))));
    }
    found.extend(above);
    found
}

impl Segment {
    /// Returns the regular expressions of the numbers.
    fn patterns(&self, digits: Digits) -> Vec<String> {
        let (scale, width) = (digits.scale as usize, digits.precision as usize);
        let before = width - scale;
        let rest = width.saturating_sub(self.first.len() + 1);
        let Some(next) = self.next.filter(|_| self.first.len() < before) else {
            let (whole, fraction) = self.first.split_at(before);
            let whole = Some(whole.trim_start_matches('0')).filter(|whole| !whole.is_empty());
            return vec![format!(
                "{}{}",
                whole.unwrap_or("0"),
                self.fraction(fraction, rest)
            )];
        };
        let any_fraction = match scale {
            0 => String::new(),
            1 => r"(?:\.[0-9])?".to_owned(),
            scale => format!(r"(?:\.[0-9]{{1,{scale}}})?"),
        };
        let free = before - self.first.len() - 1;
        let whole = self.first.trim_start_matches('0');
        let mut found = Vec::new();
        let (mut from, to) = next;
        if whole.is_empty() && from == '0' {
            // The digits after the zero are a number of its own.
            let widest = free + usize::from(to == '9');
            found.push(match widest {
                0 => "0".to_owned(),
                1 => "(?:0|[1-9])".to_owned(),
                2 => "(?:0|[1-9][0-9]?)".to_owned(),
                widest => format!("(?:0|[1-9][0-9]{{0,{}}})", widest - 1),
            });
            from = '1';
        }
        if !(whole.is_empty() && self.next == Some(('0', '9'))) && from <= to {
            let mut text = format!("{whole}{}", class(from, to));
            match free {
                0 => {}
                1 => text.push_str("[0-9]"),
                free => {
                    let _ = write!(text, "[0-9]{{{free}}}");
                }
            }
            found.push(text);
        }
        found.iter().map(|text| format!("{text}{any_fraction}")).collect()
    }

    /// Returns the regular expression of the digits after the point, whose first digits are known. Zeros at the end are
    /// optional.
    fn fraction(&self, known: &str, rest: usize) -> String {
        let (mut tail, mut is_optional) = match self.next {
            Some((from, to)) => {
                let rest = match rest {
                    0 => String::new(),
                    1 => "[0-9]?".to_owned(),
                    rest => format!("[0-9]{{0,{rest}}}"),
                };
                (format!("{}{rest}", class(from, to)), from == '0')
            }
            None => (String::new(), true),
        };
        for digit in known.chars().rev() {
            tail = if is_optional && !tail.is_empty() {
                format!("{digit}(?:{tail})?")
            } else {
                format!("{digit}{tail}")
            };
            is_optional &= digit == '0';
        }
        match (tail.as_str(), is_optional) {
            ("", _) => String::new(),
            (tail, true) => format!(r"(?:\.{tail})?"),
            (tail, false) => format!(r"\.{tail}"),
        }
    }
}

fn class(from: char, to: char) -> String {
    if from == to {
        from.to_string()
    } else {
        format!("[{from}-{to}]")
    }
}
