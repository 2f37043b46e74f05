//! Paths of locations in a value, with a limited length. Clients choose the keys: a key of one megabyte that a hundred
//! failures repeat would make a response of a hundred megabytes.

use std::fmt::Write as _;

use super::value_text::shortened;
use crate::json::{is_identifier, member_step};

/// Maximum length of a path, in UTF-16 code units.
const MAX_PATH: usize = 1_000;
/// Length of the paths that need one allocation.
const USUAL_PATH: usize = 32;

/// A path in `JSONPath` notation that is built step by step: `$.tags[0]`. A key of more than 200 UTF-16 code units is
/// cut and ends with `…`. A step that would make the path longer than 1,000 code units becomes `…`, and later steps are
/// omitted.
#[derive(Debug, Clone)]
pub(crate) struct PathText {
    text: String,
    units: usize,
    is_cut: bool,
}

impl PathText {
    /// Creates the path `$`.
    pub(crate) fn root() -> Self {
        let mut text = String::with_capacity(USUAL_PATH);
        text.push('$');
        Self {
            text,
            units: 1,
            is_cut: false,
        }
    }

    /// Appends a property name: `.title`, or `["odd key"]` if the key is not an identifier.
    pub(crate) fn member(&mut self, key: &str) {
        if self.is_cut {
            return;
        }
        // Most keys are short identifiers, which consist of ASCII characters.
        if self.units + 1 + key.len() <= USUAL_PATH && is_identifier(key) {
            self.text.push('.');
            self.text.push_str(key);
            self.units += 1 + key.len();
        } else {
            self.step(&member_step(&shortened(key)));
        }
    }

    /// Appends an array index: `[0]`.
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

    /// Returns the path as a string.
    pub(crate) fn into_text(self) -> String {
        self.text
    }
}

/// Returns the number of UTF-16 code units of a string.
pub(super) fn utf16_length(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}
