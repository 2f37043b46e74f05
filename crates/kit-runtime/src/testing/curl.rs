//! Requests of tests as commands of curl, for messages.

use std::collections::BTreeMap;

use axum::body::Bytes;

/// Address in the commands: the default address of the server.
const ORIGIN: &str = "http://localhost:3000";

/// Maximum length of a body in a command, in bytes.
const LONGEST_BODY: usize = 8000;

/// Returns a request as a command of curl.
pub(super) fn curl_of(
    method: &str,
    target: &str,
    headers: &BTreeMap<String, String>,
    body: Option<&Bytes>,
) -> String {
    let text = body.map(|body| String::from_utf8_lossy(body).into_owned());
    let mut words = vec!["curl".to_owned(), "-i".to_owned()];
    if method != if text.is_some() { "POST" } else { "GET" } {
        words.extend(["-X".to_owned(), method.to_owned()]);
    }
    words.push(quoted(&format!("{ORIGIN}{target}")));
    for (name, value) in headers {
        words.extend(["-H".to_owned(), quoted(&format!("{name}: {value}"))]);
    }
    match text {
        None => {}
        Some(text) if text.len() <= LONGEST_BODY => words.extend(["--data-raw".to_owned(), quoted(&text)]),
        Some(text) => {
            let begin: String = text.chars().take(60).collect();
            let begin = begin.replace('\n', " ");
            words.push(format!(
                "--data-binary @body  # the body has {} bytes, beginning with {begin}",
                text.len()
            ));
        }
    }
    words.join(" ")
}

/// Quotes a text as one word of a POSIX shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
