//! Checks `DATABASE_URL` and describes it in errors without its password.

use crate::{Error, start_error};

/// Advice for a URL that cannot be used.
const HELP: &str = "set DATABASE_URL=postgres://user:password@host:5432/database; in the user name and the password, write characters other than letters and digits as %XX";

/// Returns an error if the scheme of a URL is not one of PostgreSQL. sqlx would accept any scheme.
pub(super) fn check(url: &str) -> Result<(), Error> {
    match scheme(url) {
        Some("postgres" | "postgresql") => Ok(()),
        Some(other) => Err(refused(
            url,
            &format!("it begins with {other}://, not with postgres://"),
        )),
        None => Err(refused(url, "it does not begin with postgres://")),
    }
}

/// Returns the error for a URL that cannot be parsed.
pub(super) fn refused(url: &str, reason: &str) -> Error {
    let what = format!("DATABASE_URL does not name a PostgreSQL database: {reason}");
    start_error::failure(&what, &format!("DATABASE_URL={}", masked(url)), HELP)
}

fn scheme(url: &str) -> Option<&str> {
    let (scheme, _) = url.split_once("://")?;
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '+' | '.' | '-'));
    is_scheme.then_some(scheme)
}

/// Returns the parts of a URL that cannot be secret: scheme, host, port and path. A string that does not look like a
/// URL is hidden completely, because it may be a secret. If `@` is behind `?` and `=`, only the scheme is shown, because the `@`
/// may be in a password among the parameters.
fn masked(url: &str) -> String {
    let scheme = scheme(url).map_or(String::new(), |scheme| format!("{scheme}://"));
    let at = url.rfind('@');
    let before = at.and_then(|at| url.get(scheme.len()..at)).unwrap_or_default();
    if before
        .split_once('?')
        .is_some_and(|(_, behind)| behind.contains('='))
    {
        return format!("{scheme}… (hidden)");
    }
    let rest = at.map_or_else(|| &url[scheme.len()..], |at| &url[at..]);
    let rest = rest.split('?').next().unwrap_or_default();
    if scheme.is_empty() && at.is_none() && !rest.contains([':', '/']) {
        return "… (hidden)".to_owned();
    }
    format!("{scheme}{}{rest}", if at.is_some() { "…" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::{check, masked};

    #[test]
    fn refuses_another_scheme_without_showing_the_password() {
        assert!(check("postgres://u:p@h/d").is_ok());
        assert!(check("postgresql://h").is_ok());
        let error = check("mysql://ada:s3cret@db:3306/app?x=s3cret").expect_err("another database");
        assert_eq!(
            error.message(),
            "DATABASE_URL does not name a PostgreSQL database: it begins with mysql://, not with postgres://\n  \
             DATABASE_URL=mysql://…@db:3306/app\n\
             help: set DATABASE_URL=postgres://user:password@host:5432/database; in the user name and the password, write characters other than letters and digits as %XX"
        );
    }

    #[test]
    fn shows_only_the_part_of_a_url_that_cannot_be_secret() {
        for (url, shown) in [
            ("localhost:5432/app", "localhost:5432/app"),
            ("s3cret", "… (hidden)"),
            ("ada:s3?cr@et@db/app", "…@db/app"),
            ("postgres://u:s3?cret@h/d", "postgres://…@h/d"),
            ("postgres:///app?password=s3cret", "postgres:///app"),
            (
                "postgres://h:x/d?user=a@b&password=s3cret",
                "postgres://… (hidden)",
            ),
            ("postgres://h:x/d?password=s3@cret", "postgres://… (hidden)"),
            ("h:x/d?password=s3@cret", "… (hidden)"),
        ] {
            assert_eq!(masked(url), shown, "{url}");
        }
    }
}
