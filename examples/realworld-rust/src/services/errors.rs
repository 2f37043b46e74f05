//! The error format of the RealWorld specification, and the errors of several handlers.

use kit_runtime::{Failure, IndexMap, sql};

use crate::app::App;
use crate::db::account;
use crate::error::{AppError, Error};
use crate::models::ConduitErrors;
use crate::router::ErrorBodies;

impl ErrorBodies for App {
    /// Returns the texts of a failure by the name of the part that they are about. The name of an error is the first
    /// word of its code: `article` for `ARTICLE_NOT_FOUND`.
    fn error_body(failure: &Failure) -> ConduitErrors {
        let mut errors: IndexMap<String, Vec<String>> = IndexMap::new();
        for field in &failure.fields {
            let name = field.path.rsplit('.').next().unwrap_or(&field.path);
            let text = match field.rule.as_str() {
                "minLength" | "required" => "can't be blank".to_owned(),
                _ => format!("must be {}", field.expected),
            };
            errors.entry(name.to_owned()).or_default().push(text);
        }
        // The specification has its own texts for the errors of access tokens.
        let about_token = match failure.code.as_str() {
            "UNAUTHORIZED" => Some("is missing"),
            "INVALID_TOKEN" => Some("is invalid"),
            _ => None,
        };
        if let Some(text) = about_token {
            errors.insert("token".to_owned(), vec![text.to_owned()]);
        } else if failure.fields.is_empty() {
            let name = failure.code.split('_').next().unwrap_or_default();
            errors.insert(name.to_lowercase(), vec![failure.message.clone()]);
        }
        ConduitErrors { errors }
    }
}

/// Returns the error for an article that does not exist.
#[track_caller]
pub fn article_not_found() -> Error {
    AppError::ArticleNotFound.with("not found")
}

/// Returns the error for a name or an address that another account has. Any other error is a 500.
pub fn taken_or(error: sqlx::Error) -> Error {
    let code = match sql::violated_constraint(&error) {
        Some(account::USERNAME_UNIQUE) => AppError::UsernameTaken,
        Some(account::EMAIL_UNIQUE) => AppError::EmailTaken,
        _ => return error.into(),
    };
    code.with("has already been taken")
}
