//! Converts values of requests to values of columns.

use crate::database::StoredColumn;
use crate::types::Field;

/// A property of a request, with the expression of the object that contains it.
#[derive(Clone, Copy)]
pub(super) struct Given<'f> {
    /// `body` or `input.params`.
    from: &'static str,
    field: &'f Field,
}

impl<'f> Given<'f> {
    pub(super) fn all(from: &'static str, fields: &'f [Field]) -> impl Iterator<Item = Self> {
        fields.iter().map(move |field| Given { from, field })
    }

    /// Returns true if this property is the value of the column.
    pub(super) fn is_of(&self, column: &StoredColumn<'_>) -> bool {
        self.field.property == column.field.property
    }

    /// Returns the expression, true if the value may be absent, and true if the value may be null. Returns `None` if
    /// the type differs from the column's.
    fn parts(&self, column: &StoredColumn<'_>) -> Option<(String, bool, bool)> {
        let (plain, nullable) = without_option(&self.field.r#type);
        let value = format!("{}.{}", self.from, self.field.name);
        (plain == column.plain_type()).then_some((value, self.field.optional, nullable))
    }

    /// Returns the condition that the value is present and differs from the variable `owner`. Null counts as different.
    pub(super) fn differs(&self, column: &StoredColumn<'_>, owner: &str, is_copied: bool) -> Option<String> {
        let (value, optional, nullable) = self.parts(column)?;
        let borrowed = if is_copied { "" } else { ".as_ref()" };
        Some(match (optional, nullable) {
            (false, false) if is_copied => format!("{value} != {owner}"),
            (false, false) => format!("{value} != *{owner}"),
            (true, false) => format!("{value}{borrowed}.is_some_and(|given| given != {owner})"),
            (false, true) => format!("{value}{borrowed} != Some({owner})"),
            (true, true) => {
                format!("{value}{borrowed}.is_some_and(|given| given{borrowed} != Some({owner}))")
            }
        })
    }

    /// Returns the expression as an `Option` of the key's type, which a check of a reference accepts.
    pub(super) fn referred(&self, column: &StoredColumn<'_>) -> Option<String> {
        let (value, optional, nullable) = self.parts(column)?;
        Some(
            match (
                column.parameter_type()?,
                usize::from(optional) + usize::from(nullable),
            ) {
                ("&str", 0) => format!("Some({value}.as_str())"),
                ("&str", 1) => format!("{value}.as_deref()"),
                ("&str", _) => format!("{value}.as_ref().and_then(Option::as_deref)"),
                (borrowed, 0) if borrowed.starts_with('&') => format!("Some(&{value})"),
                (borrowed, 1) if borrowed.starts_with('&') => format!("{value}.as_ref()"),
                (borrowed, _) if borrowed.starts_with('&') => {
                    format!("{value}.as_ref().and_then(Option::as_ref)")
                }
                (_, 0) => format!("Some({value})"),
                (_, 1) => value,
                (_, _) => format!("{value}.flatten()"),
            },
        )
    }
}

/// Returns a type without its `Option`, and true if it had one.
fn without_option(r#type: &str) -> (&str, bool) {
    let inner = r#type
        .strip_prefix("Option<")
        .and_then(|rest| rest.strip_suffix('>'));
    (inner.unwrap_or(r#type), inner.is_some())
}

/// Returns the expression of a property as a value in the given number of `Option`s, or `None` if its type differs. An
/// absent value is `None` in the outermost `Option`, and null is `None` in the innermost.
pub(super) fn converted(from: &str, field: &Field, plain: &str, options: usize) -> Option<String> {
    let (inner, nullable) = without_option(&field.r#type);
    if inner != plain {
        return None;
    }
    let value = format!("{from}.{}", field.name);
    Some(match (field.optional, nullable, options) {
        (false, false, 0) | (true, false, 1) | (false, true, 1) | (true, true, 2) => value,
        (false, false, 1) | (false, true, 2) => format!("Some({value})"),
        (false, false, 2) => format!("Some(Some({value}))"),
        (true, false, 2) => format!("{value}.map(Some)"),
        (true, true, 1) => format!("{value}.flatten()"),
        _ => return None,
    })
}
