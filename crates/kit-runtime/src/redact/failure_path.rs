//! Reads the path of a validation failure, such as `$.user["first name"].tags[0]`.

use super::length_of_string;

/// Names of the properties of a path, in lower case. Array indexes are skipped, as in the data of a log entry.
pub(super) struct PathNames<'t> {
    rest: &'t str,
    separators: &'static [char],
    joins_quoted_keys: bool,
}

impl<'t> PathNames<'t> {
    /// Returns the names of a path. A quoted key is one name, even if it contains dots or brackets.
    pub(super) fn of_steps(path: &'t str) -> Self {
        Self {
            rest: path,
            separators: &['.', '[', ']', '"', '$'],
            joins_quoted_keys: true,
        }
    }

    /// Returns the words of a path, with quoted keys divided at each dot, bracket, quote and colon.
    pub(super) fn of_words(path: &'t str) -> Self {
        Self {
            rest: path,
            separators: &['.', '[', ']', '"', '$', ':'],
            joins_quoted_keys: false,
        }
    }

    /// Removes the first `length` of the remaining bytes and returns them.
    fn take(&mut self, length: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }
}

impl Iterator for PathNames<'_> {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        loop {
            if let Some(length) = length_of_quoted_key(self.rest).filter(|_| self.joins_quoted_keys) {
                let step = self.take(length);
                let text = &step[1..length - 1];
                let key = serde_json::from_str(text).unwrap_or_else(|_| text.to_owned());
                return Some(key.to_lowercase());
            }
            if let Some(length) = length_of_index(self.rest) {
                self.take(length);
                continue;
            }
            let length = self.rest.find(self.separators).unwrap_or(self.rest.len());
            if length > 0 {
                return Some(self.take(length).to_lowercase());
            }
            let separator = self.rest.chars().next()?;
            self.take(separator.len_utf8());
        }
    }
}

/// Returns the length of the quoted key that a text begins with, such as `["first name"]`. Returns `None` if the text
/// begins with something else.
fn length_of_quoted_key(text: &str) -> Option<usize> {
    let quoted = text.strip_prefix('[').filter(|rest| rest.starts_with('"'))?;
    let length = length_of_string(quoted)?;
    quoted[length..].starts_with(']').then_some(length + 2)
}

/// Returns the length of the array index that a text begins with, such as `[0]`. Returns `None` if the text begins with
/// something else.
fn length_of_index(text: &str) -> Option<usize> {
    let digits = text.strip_prefix('[')?;
    let count = digits.bytes().take_while(u8::is_ascii_digit).count();
    (count > 0 && digits[count..].starts_with(']')).then_some(count + 2)
}
