//! Headers of a response whose values are lists.

use axum::http::{HeaderName, HeaderValue};

use super::Context;

impl Context {
    /// Adds an item to a header of the response that is a list, such as `ratelimit`.
    pub(crate) fn join_header(&self, name: HeaderName, item: &str) {
        let mut headers = self.answer_headers();
        let known = headers.get(&name).and_then(|value| value.to_str().ok());
        let list = known.map_or_else(|| item.to_owned(), |known| format!("{known}, {item}"));
        // Items are printable ASCII, so a list of them is always a valid header.
        if let Ok(value) = HeaderValue::try_from(list) {
            headers.insert(name, value);
        }
    }
}
