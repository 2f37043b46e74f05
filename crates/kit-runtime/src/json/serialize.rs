//! Writes responses as JSON text, byte for byte like `JSON.stringify`.

use std::io;

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

use super::de::whole;
use super::finite::Finite;
use super::number_text;

/// Serializes a value to JSON text.
///
/// ```
/// use kit_runtime::json::to_text;
///
/// assert_eq!(to_text(&[1.0, 1e21])?, "[1,1e+21]");
/// assert!(to_text(&f64::INFINITY).is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// # Errors
///
/// If the value has no JSON form: a number that is not finite, or a map whose keys are not strings.
pub fn to_text(value: &impl Serialize) -> Result<String, serde_json::Error> {
    to_text_of(value, 256)
}

/// Serializes a value to JSON text of about this number of bytes.
pub(crate) fn to_text_of(value: &impl Serialize, bytes: usize) -> Result<String, serde_json::Error> {
    let mut text = Vec::with_capacity(bytes);
    let mut serializer = Serializer::with_formatter(&mut text, JavaScriptNumbers);
    value.serialize(Finite(&mut serializer))?;
    String::from_utf8(text).map_err(serde::ser::Error::custom)
}

/// Formatter for `serde_json` that writes numbers like JavaScript.
struct JavaScriptNumbers;

impl Formatter for JavaScriptNumbers {
    fn write_f64<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        match whole(value) {
            Some(whole) => self.write_i64(writer, whole),
            None => writer.write_all(number_text(value).as_bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::to_text;

    #[test]
    fn refuses_numbers_that_are_not_finite() {
        for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(to_text(&number).is_err());
            assert!(to_text(&vec![Some(number)]).is_err());
            assert!(to_text(&std::collections::BTreeMap::from([("key", (1, number))])).is_err());
        }
        let text = to_text(&f32::NEG_INFINITY).unwrap_err().to_string();
        assert_eq!(text, "-Infinity has no form in JSON");
    }

    #[test]
    fn writes_integral_numbers_without_a_decimal_point() {
        assert_eq!(to_text(&vec![1.0, 0.5, -0.0]).unwrap(), "[1,0.5,0]");
        assert_eq!(
            to_text(&(Some(1), [None, Some(f64::MAX)])).unwrap(),
            "[1,[null,1.7976931348623157e+308]]"
        );
        assert_eq!(to_text(&"\u{1f}é\u{2028}").unwrap(), "\"\\u001fé\u{2028}\"");
    }
}
