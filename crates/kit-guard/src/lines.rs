//! Lines of a head.

/// Iterator over lines without their CRLF.
#[derive(Debug)]
pub struct Lines<'a> {
    rest: &'a [u8],
}

impl<'a> Lines<'a> {
    /// Creates the iterator. Every line of the input must end with CRLF.
    ///
    /// ```
    /// use kit_guard::Lines;
    ///
    /// let lines: Vec<_> = Lines::of(b"host: a\r\naccept: */*\r\n").collect();
    /// assert_eq!(lines, [&b"host: a"[..], b"accept: */*"]);
    /// ```
    pub fn of(rest: &'a [u8]) -> Self {
        Self { rest }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let end = memchr::memchr(b'\n', self.rest)?;
        let line = &self.rest[..end];
        self.rest = &self.rest[end + 1..];
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }
}
