//! Parts of the URL of a database.

use crate::MigrateError;

/// Refuses a URL that the parser of `tokio_postgres` would read in another way than its author, because the errors of the
/// parser and of the connection would then contain a part of the password.
pub(crate) fn check(url: &str) -> Result<(), MigrateError> {
    let Some((scheme, rest)) = split_scheme(url) else {
        return Ok(());
    };
    if !matches!(scheme, "postgres" | "postgresql") {
        return Err(MigrateError::MalformedUrl(
            "it does not begin with postgres:// or postgresql://",
        ));
    }
    // The parser ends the password at the first `@`.
    if parameters(url).0.matches('@').count() > 1 {
        return Err(MigrateError::MalformedUrl("it contains `@` twice"));
    }
    // For the parser, everything before the first `@` is the user name and the password, also the host and the parameters in
    // `postgres://h/d?user=a@b&password=p`. The rest, `b&password=p`, would be the host.
    let before = rest.split_once('@').map_or("", |(before, _)| before);
    if before
        .split_once('?')
        .is_some_and(|(_, behind)| behind.contains('='))
    {
        return Err(MigrateError::MalformedUrl("it contains `@` behind `?` and `=`"));
    }
    Ok(())
}

/// Returns a URL up to its parameters, and the parameters. The user name and the password may contain `?`. A connection
/// string such as `host=…` has no parameters of this kind.
///
/// The parser of `tokio_postgres` divides a URL in the same way.
pub(crate) fn parameters(url: &str) -> (&str, &str) {
    let Some((scheme, rest)) = split_scheme(url) else {
        return (url, "");
    };
    let start = scheme.len() + "://".len();
    let place = rest.find('@').map_or(start, |at| start + at + 1);
    match url[place..].find('?') {
        Some(at) => (&url[..place + at], &url[place + at + 1..]),
        None => (url, ""),
    }
}

/// Returns true for a URL, and false for a connection string such as `host=…`.
pub(crate) fn is_url(text: &str) -> bool {
    split_scheme(text).is_some()
}

/// Returns the scheme of a URL and the rest. Returns `None` for a connection string such as `host=… password=a://b`.
fn split_scheme(url: &str) -> Option<(&str, &str)> {
    url.split_once("://").filter(|(scheme, _)| !scheme.contains('='))
}

#[cfg(test)]
mod tests {
    use super::{check, parameters};

    #[test]
    fn finds_the_parameters_behind_the_password() {
        for (url, expected) in [
            ("postgres://h/d", ("postgres://h/d", "")),
            ("postgres://h/d?a=b&c=d", ("postgres://h/d", "a=b&c=d")),
            ("postgres://u:p?w@h/d?a=b", ("postgres://u:p?w@h/d", "a=b")),
            ("postgres://u:p?w@h/d", ("postgres://u:p?w@h/d", "")),
            ("postgres:///?host=/run", ("postgres:///", "host=/run")),
            ("host=h password=a?sslmode=b", ("host=h password=a?sslmode=b", "")),
            ("host=h password=a://b?c", ("host=h password=a://b?c", "")),
        ] {
            assert_eq!(parameters(url), expected, "{url}");
        }
    }

    #[test]
    fn refuses_urls_of_which_a_part_of_the_password_could_be_printed() {
        for url in [
            "postgres://u:p@h/d",
            "postgresql:///d?host=/run",
            "postgres://u:p?w@h/d?application_name=a@b",
            "host=h password=a@b@c",
            "",
        ] {
            assert!(check(url).is_ok(), "{url}");
        }
        for url in [
            "postgres://u:p@w@h/d",
            "postgres://u:p@w/x@h/d",
            "postgress://u:p@h/d?a=b",
            "\"postgres://u:p@h/d?a=b\"",
            "jdbc:postgresql://h/d?password=p",
            "postgres://h/d?user=app@db&password=p&sslmode=require",
            "postgres://h/d?user=app&password=p@w",
            "postgres:///d?host=/run&password=p@w",
        ] {
            assert!(check(url).is_err(), "{url}");
        }
    }
}
