//! The syntax of globs in a configuration.

use globset::{Glob, GlobBuilder};

/// Checks that a glob is valid. The error completes a sentence after "which": "is an absolute path".
pub(crate) fn check(glob: &str) -> Result<(), String> {
    let body = glob.strip_prefix('!').unwrap_or(glob);
    if body.is_empty() {
        return Err("is empty".to_owned());
    }
    if body.starts_with('/') || body.contains(':') {
        return Err("is an absolute path".to_owned());
    }
    if body.split('/').any(|part| part == "..") {
        return Err("leaves the project".to_owned());
    }
    if body.contains('\\') {
        return Err("contains a backslash; separate directories with `/` on every system".to_owned());
    }
    compile(body).map(|_| ()).map_err(|error| {
        let kind = error.kind().to_string();
        format!("does not parse: {kind}")
    })
}

/// Parses a glob. `*` does not match `/`.
pub(crate) fn compile(glob: &str) -> Result<Glob, globset::Error> {
    GlobBuilder::new(glob.strip_prefix("./").unwrap_or(glob))
        .literal_separator(true)
        .backslash_escape(false)
        .build()
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn reports_why_a_glob_is_invalid() {
        assert_eq!(check("src/**/*.ts"), Ok(()));
        for (glob, problem) in [
            ("", "is empty"),
            ("/src/*.ts", "is an absolute path"),
            ("C:/x.ts", "is an absolute path"),
            ("../x/*.ts", "leaves the project"),
            (
                "src\\*.ts",
                "contains a backslash; separate directories with `/` on every system",
            ),
        ] {
            assert_eq!(check(glob), Err(problem.to_owned()), "{glob}");
        }
        assert!(check("src/[a").is_err_and(|problem| problem.starts_with("does not parse: ")));
        assert!(check("src/{a").is_err());
    }
}
