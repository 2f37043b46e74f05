//! Multipart bodies of requests.

use std::borrow::Cow;

use kit_runtime::Contract;
use kit_runtime::json::to_text;
use reqwest::Body;
use reqwest::multipart::{Form, Part};
use serde_json::Value;

use crate::text::{texts, wire};

/// File of a multipart body. Its content may be a stream, such as [`body_from_reader`](crate::body_from_reader).
///
/// ```
/// use kit_client::File;
///
/// let photo = File::new("cat.png", &b"\x89PNG"[..]).with_media_type("image/png");
/// ```
#[derive(Debug)]
pub struct File {
    name: String,
    media_type: Cow<'static, str>,
    content: Body,
}

impl File {
    /// Creates a file with the media type `application/octet-stream`.
    pub fn new(name: impl Into<String>, content: impl Into<Body>) -> Self {
        Self {
            name: name.into(),
            media_type: Cow::Borrowed("application/octet-stream"),
            content: content.into(),
        }
    }

    /// Sets the media type.
    #[must_use]
    pub fn with_media_type(self, media_type: impl Into<Cow<'static, str>>) -> Self {
        Self {
            media_type: media_type.into(),
            ..self
        }
    }
}

/// Multipart body whose parts are being added.
#[derive(Debug, Default)]
pub struct Parts {
    form: Form,
    /// True if there is a part.
    is_filled: bool,
    /// Reason why the body cannot be sent.
    problem: Option<String>,
}

impl Parts {
    /// Creates a body without parts.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the parts that are no files. `in_json` has the names of those whose text is JSON.
    #[must_use]
    pub fn fields<T: Contract>(mut self, value: &T, in_json: &[&str]) -> Self {
        let json = match wire(value) {
            Ok(json) => json,
            Err(problem) => {
                self.problem.get_or_insert(problem);
                return self;
            }
        };
        for name in in_json {
            let part = to_text(value).and_then(|text| serde_json::from_str::<Value>(&text));
            if let Some(part) = part.ok().as_ref().and_then(|value| value.get(name)) {
                self.form = self.form.text((*name).to_owned(), part.to_string());
                self.is_filled = true;
            }
        }
        for (name, texts) in texts(&json) {
            if in_json.contains(&name) {
                continue;
            }
            for text in texts {
                self.form = self.form.text(name.to_owned(), text);
                self.is_filled = true;
            }
        }
        self
    }

    /// Adds the files of a part: a file, an optional file or a list of files.
    #[must_use]
    pub fn files(mut self, name: &'static str, files: impl IntoIterator<Item = File>) -> Self {
        for file in files {
            let part = Part::stream(file.content).file_name(file.name);
            match part.mime_str(&file.media_type) {
                Ok(part) => {
                    self.form = self.form.part(name, part);
                    self.is_filled = true;
                }
                Err(error) => {
                    let problem = format!("`{}` is no media type: {error}", file.media_type);
                    self.problem.get_or_insert(problem);
                }
            }
        }
        self
    }

    /// Returns the form. Returns `None` if there are no parts, because `reqwest` would send no bytes at all, not even the end of the
    /// body.
    pub(crate) fn into_form(self) -> Result<Option<Form>, String> {
        self.problem.map_or(Ok(self.is_filled.then_some(self.form)), Err)
    }
}
