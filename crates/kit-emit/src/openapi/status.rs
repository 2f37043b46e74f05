//! Names of HTTP statuses, as descriptions of responses.

/// Returns the reason phrase of a status without an error (RFC 9110, section 15).
pub(super) fn description(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        202 => "Accepted",
        203 => "Non-Authoritative Information",
        204 => "No Content",
        205 => "Reset Content",
        206 => "Partial Content",
        300 => "Multiple Choices",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        _ if status >= 300 => "Redirection",
        _ => "Success",
    }
}
