//! Names of headers and cookies that a contract may declare.

/// Message and help of an error.
pub(super) type Mistake = (String, String);

/// Request headers that a contract cannot declare, because `fetch` does not let clients set them ("forbidden
/// request-headers" of the Fetch standard) or because the server reads them itself.
const NOT_OF_REQUESTS: &[&str] = &[
    "accept-charset",
    "accept-encoding",
    "access-control-request-headers",
    "access-control-request-method",
    "access-control-request-private-network",
    "connection",
    "content-length",
    "cookie2",
    "date",
    "dnt",
    "expect",
    "host",
    "keep-alive",
    "origin",
    "referer",
    "set-cookie",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "via",
];

/// Response headers that a contract cannot declare, because the server writes them itself.
const NOT_OF_REPLIES: &[&str] = &[
    "connection",
    "content-length",
    "date",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Headers whose value is a date in the form of HTTP, such as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7).
/// kit reads and writes a `Date` in the form of ISO 8601.
const HTTP_DATES: &[&str] = &[
    "date",
    "expires",
    "if-modified-since",
    "if-range",
    "if-unmodified-since",
    "last-modified",
    "retry-after",
    "sunset",
];

/// Returns true if a text is a `token` of RFC 9110, 5.6.2. Names of headers and cookies are tokens.
fn is_token(text: &str) -> bool {
    let is_token_letter = |letter: char| letter.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(letter);
    !text.is_empty() && text.chars().all(is_token_letter)
}

/// Returns the mistake in the name of a request header; `None` if a contract may declare the header.
pub(super) fn request_header(name: &str) -> Option<Mistake> {
    if let Some(mistake) = header(name) {
        return Some(mistake);
    }
    if name == "cookie" {
        return Some((
            "`cookie` is not a header that a contract declares".to_owned(),
            "declare each cookie in the slot `cookies`: `cookies: { sid: string }`".to_owned(),
        ));
    }
    let forbidden = NOT_OF_REQUESTS.contains(&name) || name.starts_with("proxy-") || name.starts_with("sec-");
    forbidden.then(|| {
        (
            format!("a contract cannot declare `{name}`, because the HTTP client sets this header and no caller can choose it"),
            "remove the property; a handler or middleware can read the header from `ctx.headers`".to_owned(),
        )
    })
}

/// Returns the mistake in the name of a response header; `None` if a reply may declare the header.
pub(super) fn reply_header(name: &str) -> Option<Mistake> {
    if let Some(mistake) = header(name) {
        return Some(mistake);
    }
    if name == "content-type" {
        return Some((
            "a reply cannot declare `content-type`, because kit sets this header: the body of a reply is JSON"
                .to_owned(),
            "remove the property".to_owned(),
        ));
    }
    NOT_OF_REPLIES.contains(&name).then(|| {
        (
            format!("a reply cannot declare `{name}`, because the server sets this header"),
            "remove the property".to_owned(),
        )
    })
}

/// Returns the mistake in the name of a cookie; `None` if a contract may declare the cookie.
pub(super) fn cookie(name: &str) -> Option<Mistake> {
    (!is_token(name)).then(|| not_a_token(name, "cookie"))
}

/// Returns true if the value of a header is a date in the form of HTTP.
pub(super) fn is_http_date(name: &str) -> bool {
    HTTP_DATES.contains(&name)
}

fn header(name: &str) -> Option<Mistake> {
    if !is_token(name) {
        return Some(not_a_token(name, "header"));
    }
    let lower = name.to_ascii_lowercase();
    (lower != name).then(|| {
        (
            format!("the header `{name}` is not in lower case"),
            format!("write `{lower}`: the names of headers are case-insensitive, and kit uses lower case"),
        )
    })
}

fn not_a_token(name: &str, what: &str) -> Mistake {
    (
        format!("`{name}` is not a valid name of a {what}"),
        "write letters, digits and the characters ! # $ % & ' * + - . ^ _ ` | ~ only".to_owned(),
    )
}
