//! Paths of places in a value, bounded: clients choose keys, and a key of a megabyte that a hundred failures repeat would make an answer of a
//! hundred megabytes.

use std::fmt::Write as _;

use super::shown::shortened;
use crate::json::member_step;

/// The longest path, in UTF-16 units.
const MAX_PATH: usize = 1_000;

/// A `JSONPath` that is built step by step: `$.tags[0]`. A key of more than 200 UTF-16 units is cut, with `…` at its end. A step that would make
/// the path longer than 1,000 UTF-16 units, and all steps after it, are `…`.
#[derive(Debug, Clone)]
pub(crate) struct PathText {
    text: String,
    units: usize,
    is_cut: bool,
}

impl PathText {
    /// `$`
    pub(crate) fn root() -> Self {
        Self {
            text: "$".to_owned(),
            units: 1,
            is_cut: false,
        }
    }

    /// Adds the step to a member.
    pub(crate) fn member(&mut self, key: &str) {
        if !self.is_cut {
            self.step(&member_step(&shortened(key)));
        }
    }

    /// Adds the step to an item.
    pub(crate) fn item(&mut self, index: usize) {
        if !self.is_cut {
            let start = self.text.len();
            let _ = write!(self.text, "[{index}]");
            let step = self.text.split_off(start);
            self.step(&step);
        }
    }

    fn step(&mut self, step: &str) {
        let units = utf16_length(step);
        if self.units + units > MAX_PATH {
            self.is_cut = true;
            self.text.push('…');
            self.units += 1;
        } else {
            self.text.push_str(step);
            self.units += units;
        }
    }

    /// The text.
    pub(crate) fn into_text(self) -> String {
        self.text
    }
}

/// Number of UTF-16 units of a text.
pub(super) fn utf16_length(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}
