//! Details of failures that a contract declares with the type of their details.

use serde_json::Value;

use super::response::check;
use super::{Error, current};
use crate::json::to_text;
use crate::{Contract, is_development};

impl Error {
    /// Sets `details` of a failure that the contract declares with their type. In development, the details are first
    /// checked against the type. Details that have no JSON form, or that do not fit, become a 500 error.
    ///
    /// ```
    /// use kit_runtime::{Contract, Error};
    ///
    /// fn sold_out<Stock: Contract>(stock: &Stock) -> Error {
    ///     Error::conflict("SOLD_OUT", "Too few are left").with_declared_details(stock)
    /// }
    /// ```
    #[must_use]
    pub fn with_declared_details<T: Contract>(self, details: &T) -> Self {
        match self.declared_details(details) {
            Ok(details) => self.with_details(details),
            Err(error) => error,
        }
    }

    fn declared_details<T: Contract>(&self, details: &T) -> Result<Value, Self> {
        let text = to_text(details)?;
        if let (true, Some(context)) = (is_development(), current()) {
            let found = format!("the error {} with details that are not a valid", self.code());
            check::<T>(&context, None, &text, &found)?;
        }
        Ok(serde_json::from_str(&text)?)
    }
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    use crate::shape::{Property, Shape};
    use crate::{Contract, Error};

    #[derive(Deserialize, Serialize)]
    struct Left {
        left: f64,
    }

    impl Contract for Left {
        const NAME: &'static str = "Left";

        fn shape() -> &'static Shape {
            static SHAPE: Shape = Shape::object("Left", &[Property::required("left", Shape::NUMBER)]);
            &SHAPE
        }
    }

    #[test]
    fn keeps_code_and_message_of_an_error_with_declared_details() {
        let error = Error::conflict("SOLD_OUT", "None left").with_declared_details(&Left { left: 0.0 });
        assert_eq!((error.code(), error.message()), ("SOLD_OUT", "None left"));
    }

    #[test]
    fn error_becomes_a_500_if_its_details_have_no_json_form() {
        let error = Error::conflict("SOLD_OUT", "None left").with_declared_details(&Left { left: f64::NAN });
        assert_eq!(error.status(), 500);
    }
}
