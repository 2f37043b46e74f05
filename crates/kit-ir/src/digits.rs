//! Digits of decimal numbers as text.

use serde::{Deserialize, Serialize};

/// Number of digits of a decimal number, as in `numeric(precision, scale)` of PostgreSQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Digits {
    /// Maximum number of digits before and after the point together.
    pub precision: u32,
    /// Maximum number of digits after the point, at most `precision`.
    pub scale: u32,
}

impl Digits {
    /// Maximum precision of PostgreSQL.
    pub const MAX_PRECISION: u32 = 1000;

    /// Returns the digits; `None` if the precision is 0 or above [`Digits::MAX_PRECISION`], or the scale is above the
    /// precision.
    ///
    /// ```
    /// use kit_ir::Digits;
    ///
    /// assert!(Digits::new(10, 2).is_some());
    /// assert_eq!(Digits::new(2, 3), None);
    /// ```
    pub fn new(precision: u32, scale: u32) -> Option<Self> {
        let valid = (1..=Self::MAX_PRECISION).contains(&precision) && scale <= precision;
        valid.then_some(Self { precision, scale })
    }

    /// Returns the regular expression of the numbers as text: no exponent, no `+`, and no zeros before other digits.
    ///
    /// ```
    /// use kit_ir::Digits;
    ///
    /// let price = Digits::new(10, 2).unwrap();
    /// assert_eq!(price.pattern(), r"^-?(?:0|[1-9][0-9]{0,7})(?:\.[0-9]{1,2})?$");
    /// let rate = Digits::new(3, 3).unwrap();
    /// assert_eq!(rate.pattern(), r"^-?0(?:\.[0-9]{1,3})?$");
    /// ```
    pub fn pattern(self) -> String {
        let up_to = |count: u32| match count {
            0 => String::new(),
            1 => "[0-9]?".to_owned(),
            count => format!("[0-9]{{0,{count}}}"),
        };
        let whole = match self.precision - self.scale {
            0 => "0".to_owned(),
            count => format!("(?:0|[1-9]{})", up_to(count - 1)),
        };
        let fraction = match self.scale {
            0 => String::new(),
            1 => r"(?:\.[0-9])?".to_owned(),
            count => format!(r"(?:\.[0-9]{{1,{count}}})?"),
        };
        format!("^-?{whole}{fraction}$")
    }

    /// Returns true if a text is a number with these digits.
    ///
    /// ```
    /// use kit_ir::Digits;
    ///
    /// let price = Digits::new(4, 2).unwrap();
    /// assert!(price.allow("-12.5") && price.allow("0.05") && price.allow("7"));
    /// assert!(!price.allow("123") && !price.allow("1.005") && !price.allow("01") && !price.allow("1e1"));
    /// assert!(!price.allow("1.") && !price.allow("") && !price.allow(".5") && !price.allow("-"));
    /// ```
    pub fn allow(self, text: &str) -> bool {
        let number = text.strip_prefix('-').unwrap_or(text);
        let (whole, fraction) = number
            .split_once('.')
            .map_or((number, None), |(whole, fraction)| (whole, Some(fraction)));
        let are_digits = |digits: &str, most: u32| {
            (1..=most as usize).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
        };
        let has_whole =
            whole == "0" || are_digits(whole, self.precision - self.scale) && !whole.starts_with('0');
        has_whole && fraction.is_none_or(|fraction| are_digits(fraction, self.scale))
    }

    /// Returns a number with all digits after the point, as PostgreSQL writes it. Calls with different `nth` return
    /// different numbers, as long as there are enough.
    ///
    /// ```
    /// use kit_ir::Digits;
    ///
    /// assert_eq!(Digits::new(10, 2).unwrap().example(0), "1.00");
    /// assert_eq!(Digits::new(10, 2).unwrap().example(1), "2.00");
    /// assert_eq!(Digits::new(2, 2).unwrap().example(0), "0.01");
    /// assert_eq!(Digits::new(3, 0).unwrap().example(4), "5");
    /// ```
    pub fn example(self, nth: usize) -> String {
        let before = self.precision - self.scale;
        let scale = self.scale as usize;
        // Ten digits have enough different values, and `10^10` fits.
        let number = |digits: u32| (nth as u64 + 1) % 10_u64.pow(digits.min(10));
        match (before, scale) {
            (0, _) => format!("0.{:0scale$}", number(self.scale)),
            (_, 0) => number(before).to_string(),
            _ => format!("{}.{:0scale$}", number(before), 0),
        }
    }
}
