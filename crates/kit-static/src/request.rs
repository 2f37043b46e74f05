//! Parts of a request that decide about the response.

/// Request headers that decide about a response with a file.
const HEADERS: [&str; 8] = [
    "accept",
    "accept-encoding",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "if-unmodified-since",
    "range",
];

/// Parts of a request that decide about the response. The value may be sent to another thread.
#[derive(Debug)]
pub struct FileRequest {
    pub(crate) method: String,
    /// Path in its normal form.
    pub(crate) path: String,
    /// Query with its question mark. Empty if there is none.
    pub(crate) query: String,
    headers: [Option<String>; HEADERS.len()],
}

impl FileRequest {
    /// Copies the parts of a request. `target` is the path in its normal form, and the query. `header` returns a request
    /// header by its lower-case name.
    ///
    /// ```
    /// use kit_static::FileRequest;
    ///
    /// let request = FileRequest::new("GET", "/app.js?v=2", |name| {
    ///     (name == "accept-encoding").then(|| "br".to_owned())
    /// });
    /// # let _ = request;
    /// ```
    pub fn new(method: &str, target: &str, header: impl Fn(&str) -> Option<String>) -> Self {
        let (path, query) = target.split_at(target.find('?').unwrap_or(target.len()));
        Self {
            method: method.to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
            headers: HEADERS.map(header),
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let index = HEADERS.iter().position(|known| *known == name)?;
        self.headers.get(index)?.as_deref()
    }
}
