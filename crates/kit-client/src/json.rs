//! Values in JSON.

use kit_runtime::Contract;
use kit_runtime::json::{from_json, parse};

use crate::Error;
use crate::text::syntax;

/// Reads a value of a body in JSON.
pub(crate) fn read<T: Contract, E>(text: &str) -> Result<T, Error<E>> {
    decode(text).map_err(|reason| Error::Response(format!("the body is no {}: {reason}", T::NAME)))
}

/// Decodes JSON. Returns the reason if the text is not JSON, or if the value does not fit its type.
pub(crate) fn decode<T: Contract>(text: &str) -> Result<T, String> {
    let json = parse(text).map_err(|error| syntax(&error))?;
    from_json(&json).map_err(|error| error.to_string())
}

#[cfg(test)]
pub(crate) mod tests {
    use kit_runtime::Contract;
    use kit_runtime::shape::{Property, Shape};
    use serde::{Deserialize, Serialize};

    use super::read;
    use crate::Undeclared;

    /// Type with one property.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    pub(crate) struct Left {
        pub(crate) left: f64,
    }

    impl Contract for Left {
        const NAME: &'static str = "Left";

        fn shape() -> &'static Shape {
            static SHAPE: Shape = Shape::object("Left", &[Property::required("left", Shape::NUMBER)]);
            &SHAPE
        }
    }

    #[test]
    fn names_the_place_of_a_mistake_in_json() {
        let error = read::<Left, Undeclared>("[1,\n }").unwrap_err();
        assert_eq!(
            error.to_string(),
            "the response does not fit the contract: the body is no Left: line 2, column 2: expected a value"
        );
    }
}
