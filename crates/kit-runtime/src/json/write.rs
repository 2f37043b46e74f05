//! Answers as JSON text, byte for byte as `JSON.stringify` writes them.

use std::io;

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

use super::finite::Finite;
use super::number_text;

/// The JSON text of a value. Fails where a value has no JSON form: a number that is not finite, a map whose keys are no texts.
pub fn to_text(value: &impl Serialize) -> Result<String, serde_json::Error> {
    let mut text = Vec::with_capacity(256);
    let mut serializer = Serializer::with_formatter(&mut text, LikeJavaScript);
    value.serialize(Finite(&mut serializer))?;
    String::from_utf8(text).map_err(serde::ser::Error::custom)
}

/// Writes numbers as JavaScript does.
struct LikeJavaScript;

impl Formatter for LikeJavaScript {
    fn write_f64<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        writer.write_all(number_text(value).as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::to_text;

    #[test]
    fn what_is_no_number_of_json_is_an_error() {
        for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(to_text(&number).is_err());
            assert!(to_text(&vec![Some(number)]).is_err());
            assert!(to_text(&std::collections::BTreeMap::from([("key", (1, number))])).is_err());
        }
        let text = to_text(&f32::NEG_INFINITY).unwrap_err().to_string();
        assert_eq!(text, "-Infinity has no form in JSON");
    }

    #[test]
    fn whole_numbers_have_no_point() {
        assert_eq!(to_text(&vec![1.0, 0.5, -0.0]).unwrap(), "[1,0.5,0]");
        assert_eq!(
            to_text(&(Some(1), [None, Some(f64::MAX)])).unwrap(),
            "[1,[null,1.7976931348623157e+308]]"
        );
        assert_eq!(to_text(&"\u{1f}é\u{2028}").unwrap(), "\"\\u001fé\u{2028}\"");
    }
}
