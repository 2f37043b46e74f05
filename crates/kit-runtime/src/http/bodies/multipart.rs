//! Checks the parts of a multipart body: fields and files together.

use std::collections::HashMap;
use std::fmt;

use axum::body::Bytes;
use indexmap::IndexMap;
use serde_json::{Value, json};

use crate::check::{Failure, PathText, Rule, Secrets, explain_without, limit_failures};
use crate::coerce::{QueryValue, coerce};
use crate::file_signatures::contradicting_type;
use crate::http::Error;
use crate::http::source::Slot;
use crate::http::unstorable::find_unstorable;
use crate::json::{Json, from_json, parse};
use crate::media_type::is_in_ranges;
use crate::multipart::Part;
use crate::shape::{Shape, count};
use crate::{Contract, is_development};

/// A file of a multipart body.
///
/// ```
/// use kit_runtime::{BodyBytes, File};
///
/// let file = File {
///     name: "photo.png".to_owned(),
///     media_type: "image/png".to_owned(),
///     bytes: BodyBytes::from_static(b"\x89PNG\r\n\x1a\n"),
/// };
/// assert_eq!(file.bytes.len(), 8);
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct File {
    /// Name that the client gave the file, without a path. Empty if the client gave none.
    pub name: String,
    /// Media type that the client declared, in lower case and without parameters.
    pub media_type: String,
    /// Content.
    pub bytes: Bytes,
}

/// Shows the size of the content in place of the content.
impl fmt::Debug for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("File")
            .field("name", &self.name)
            .field("media_type", &self.media_type)
            .field("bytes", &self.bytes.len())
            .finish()
    }
}

/// Declaration of a file of a multipart body.
///
/// ```
/// use kit_runtime::FilePart;
///
/// const PHOTO: FilePart = FilePart::one("photo").max_bytes(5_000_000).media_types(&["image/*"]);
/// const COVER: FilePart = FilePart::one("cover").optional();
/// const PAGES: FilePart = FilePart::many("pages").min_items(1).max_items(20);
/// # let _ = (PHOTO, COVER, PAGES);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct FilePart {
    name: &'static str,
    is_optional: bool,
    is_list: bool,
    min_items: usize,
    max_items: usize,
    max_bytes: Option<usize>,
    media_types: &'static [&'static str],
}

impl FilePart {
    /// Declares a file.
    pub const fn one(name: &'static str) -> Self {
        Self {
            name,
            is_optional: false,
            is_list: false,
            min_items: 0,
            max_items: usize::MAX,
            max_bytes: None,
            media_types: &[],
        }
    }

    /// Declares a list of files, which are several parts with one name.
    pub const fn many(name: &'static str) -> Self {
        Self {
            is_list: true,
            ..Self::one(name)
        }
    }

    /// Allows a body without the file.
    #[must_use]
    pub const fn optional(mut self) -> Self {
        self.is_optional = true;
        self
    }

    /// Sets the minimum number of files in a list.
    #[must_use]
    pub const fn min_items(mut self, number: usize) -> Self {
        self.min_items = number;
        self
    }

    /// Sets the maximum number of files in a list.
    #[must_use]
    pub const fn max_items(mut self, number: usize) -> Self {
        self.max_items = number;
        self
    }

    /// Sets the maximum size of each file in bytes.
    #[must_use]
    pub const fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = Some(bytes);
        self
    }

    /// Sets the media types or ranges that each file may have.
    #[must_use]
    pub const fn media_types(mut self, media_types: &'static [&'static str]) -> Self {
        self.media_types = media_types;
        self
    }

    /// Returns the files of the part. Adds the broken rules to `failures`.
    fn read(&self, parts: &[&Part], failures: &mut Vec<Failure>) -> Vec<File> {
        // Browsers send an empty file without a name if nothing was chosen in `<input type="file">`.
        let is_sent = |part: &&&Part| part.file_name.as_deref() != Some("") || !part.bytes.is_empty();
        let sent: Vec<&Part> = parts.iter().filter(is_sent).copied().collect();
        if sent.is_empty() && (self.is_optional || (self.is_list && self.min_items == 0)) {
            return Vec::new();
        }
        let before = failures.len();
        let received = count(sent.len(), "file");
        if sent.is_empty() && !self.is_list {
            failures.push(Failure {
                value: Some(Value::Null),
                suggestion: Some(format!("Send a file in the part {}", self.name)),
                ..failure(self.path(None), self.expected(), "nothing", Rule::Required, None)
            });
        } else if !self.is_list && sent.len() > 1 {
            let limit = Some(json!(1));
            failures.push(failure(
                self.path(None),
                "one file",
                received,
                Rule::MaxItems,
                limit,
            ));
        } else if sent.len() < self.min_items {
            let (least, limit) = (count(self.min_items, "file"), Some(json!(self.min_items)));
            let expected = format!("at least {least}");
            failures.push(failure(
                self.path(None),
                expected,
                received,
                Rule::MinItems,
                limit,
            ));
        } else if sent.len() > self.max_items {
            let (most, limit) = (count(self.max_items, "file"), Some(json!(self.max_items)));
            let expected = format!("at most {most}");
            failures.push(failure(
                self.path(None),
                expected,
                received,
                Rule::MaxItems,
                limit,
            ));
        } else {
            for (index, part) in sent.iter().enumerate() {
                self.check(part, Some(index).filter(|_| self.is_list), failures);
            }
        }
        if failures.len() > before {
            return Vec::new();
        }
        let files = sent.into_iter().map(|part| File {
            name: part.file_name.clone().unwrap_or_default(),
            media_type: declared_type(part).to_owned(),
            bytes: part.bytes.clone(),
        });
        files.collect()
    }

    fn check(&self, part: &Part, index: Option<usize>, failures: &mut Vec<Failure>) {
        let path = || self.path(index);
        if part.file_name.is_none() {
            failures.push(Failure {
                suggestion: Some("Send the part with a file name".to_owned()),
                ..failure(path(), self.expected(), "text", Rule::Type, Some(json!("file")))
            });
            return;
        }
        let length = part.bytes.len();
        if let Some(most) = self.max_bytes.filter(|most| length > *most) {
            let expected = format!("a file of at most {}", count(most, "byte"));
            let received = format!("a file of {}", count(length, "byte"));
            failures.push(failure(
                path(),
                expected,
                received,
                Rule::MaxBytes,
                Some(json!(most)),
            ));
        }
        if self.media_types.is_empty() {
            return;
        }
        let declared = declared_type(part);
        let received = if !is_in_ranges(declared, self.media_types) {
            format!("a file of the type {declared}")
        } else if let Some(found) = contradicting_type(declared, &part.bytes) {
            format!("a file of the type {declared} with the bytes of {found}")
        } else {
            return;
        };
        let expected = format!("a file of the type {}", self.media_types.join(", "));
        failures.push(failure(
            path(),
            expected,
            received,
            Rule::Mime,
            Some(json!(self.media_types)),
        ));
    }

    fn expected(&self) -> String {
        let kind = match self.media_types {
            [] => String::new(),
            kinds => format!(" of the type {}", kinds.join(", ")),
        };
        let size = self
            .max_bytes
            .map(|most| format!(", at most {}", count(most, "byte")));
        format!("a file{kind}{}", size.unwrap_or_default())
    }

    fn path(&self, index: Option<usize>) -> String {
        let mut path = PathText::root();
        path.member(self.name);
        if let Some(index) = index {
            path.item(index);
        }
        path.into_text()
    }
}

fn declared_type(part: &Part) -> &str {
    part.media_type.as_deref().unwrap_or("application/octet-stream")
}

/// Files of a multipart body, by the names of their parts. All of them were checked.
///
/// ```
/// use kit_runtime::{Error, FilePart, Request};
///
/// fn size_of_photo(request: &Request) -> Result<usize, Error> {
///     let declared = [FilePart::one("photo"), FilePart::one("cover").optional(), FilePart::many("pages")];
///     let mut files = request.multipart_files(&declared)?;
///     let photo = files.one("photo")?;
///     let cover = files.optional("cover");
///     let pages = files.many("pages");
///     Ok(photo.bytes.len() + cover.map_or(0, |file| file.bytes.len()) + pages.len())
/// }
/// ```
#[derive(Debug)]
pub struct Files(HashMap<&'static str, Vec<File>>);

impl Files {
    /// Takes a required file.
    ///
    /// # Errors
    ///
    /// 500 if the file was not declared as required, which generated code never does.
    pub fn one(&mut self, name: &str) -> Result<File, Error> {
        self.optional(name)
            .ok_or_else(|| Error::internal(format!("The file {name} is not declared as required")))
    }

    /// Takes an optional file.
    pub fn optional(&mut self, name: &str) -> Option<File> {
        self.0.remove(name)?.pop()
    }

    /// Takes a list of files. The list is empty if the body has none.
    pub fn many(&mut self, name: &str) -> Vec<File> {
        self.0.remove(name).unwrap_or_default()
    }
}

/// Reads and checks a body whose declared parts are all files.
pub(super) fn read_files(parts: &[Part], files: &[FilePart]) -> Result<Files, Error> {
    let mut failures = Vec::new();
    let found = files_of(&by_name(parts), files, &mut failures);
    if failures.is_empty() {
        Ok(found)
    } else {
        Err(Error::invalid(Slot::Body, "multipart", limit_failures(failures)))
    }
}

/// Reads and checks files, and the parts that are no files.
pub(super) fn read<T: Contract>(parts: &[Part], files: &[FilePart]) -> Result<(T, Files), Error> {
    let parts = by_name(parts);
    let mut failures = Vec::new();
    let found = files_of(&parts, files, &mut failures);
    let mut fields = Fields {
        parts: &parts,
        is_suspicious: false,
        is_readable: true,
        failures,
    };
    let value = fields.read(T::shape());
    if fields.is_readable {
        let broken = explain_without(Secrets::None, T::shape(), &value, !is_development());
        fields.failures.extend(broken);
    }
    if !fields.failures.is_empty() {
        let failures = limit_failures(fields.failures);
        return Err(Error::invalid(Slot::Body, T::NAME, failures));
    }
    let decoded: T = from_json(&value)?;
    let unstorable = Some(&decoded)
        .filter(|_| fields.is_suspicious)
        .and_then(find_unstorable);
    match unstorable {
        Some(failure) => Err(Error::invalid(Slot::Body, T::NAME, vec![failure])),
        None => Ok((decoded, found)),
    }
}

type Parts<'p> = HashMap<&'p str, Vec<&'p Part>>;

fn by_name(parts: &[Part]) -> Parts<'_> {
    let mut named = Parts::new();
    for part in parts {
        named.entry(&part.name).or_default().push(part);
    }
    named
}

fn files_of(parts: &Parts<'_>, files: &[FilePart], failures: &mut Vec<Failure>) -> Files {
    let files = files.iter().map(|file| {
        let sent = parts.get(file.name).map_or(&[][..], Vec::as_slice);
        (file.name, file.read(sent, failures))
    });
    Files(files.collect())
}

/// Reader of the parts that are no files.
struct Fields<'p> {
    parts: &'p Parts<'p>,
    /// True if a text may contain characters that databases cannot store.
    is_suspicious: bool,
    /// False if the text of a part is not UTF-8.
    is_readable: bool,
    failures: Vec<Failure>,
}

impl Fields<'_> {
    fn read(&mut self, shape: &'static Shape) -> Json {
        let mut members = IndexMap::new();
        let Shape::Object(object) = shape.resolve() else {
            return Json::Object(members);
        };
        for property in object.properties {
            let mut texts = self.texts(property.key);
            let value = match texts.len() {
                0 => continue,
                1 if is_json_part(&property.shape) => {
                    let text = texts.swap_remove(0);
                    // The check against the shape reports a text that is not JSON.
                    parse(&text).unwrap_or(Json::String(text))
                }
                1 => coerce(&property.shape, QueryValue::One(texts.swap_remove(0))),
                _ if is_json_part(&property.shape) => {
                    Json::Array(texts.into_iter().map(Json::String).collect())
                }
                _ => coerce(&property.shape, QueryValue::Many(texts)),
            };
            members.insert(property.key.to_owned(), value);
        }
        Json::Object(members)
    }

    /// Returns the texts of the parts with a name. Browsers send JSON as a file with the name `blob`, so a file name is
    /// allowed.
    fn texts(&mut self, name: &str) -> Vec<String> {
        let mut texts = Vec::new();
        for part in self.parts.get(name).into_iter().flatten() {
            if let Ok(text) = std::str::from_utf8(&part.bytes) {
                self.is_suspicious |= text.contains('\0') || text.contains("\\u");
                texts.push(text.to_owned());
                continue;
            }
            let received = match part.file_name {
                None => "bytes that are not valid UTF-8",
                Some(_) => "a file",
            };
            let mut path = PathText::root();
            path.member(name);
            let limit = Some(json!("utf-8"));
            let path = path.into_text();
            self.failures
                .push(failure(path, "text in UTF-8", received, Rule::Encoding, limit));
            self.is_readable = false;
        }
        texts
    }
}

/// Returns true if a part of a multipart body with this shape is JSON and not text: its type is neither a scalar nor a
/// list of scalars.
fn is_json_part(shape: &'static Shape) -> bool {
    match shape.resolve() {
        Shape::Object(_) | Shape::Tuple(_) => true,
        Shape::Array(array) => match array.element.resolve() {
            Shape::Array(_) | Shape::Null | Shape::Unknown | Shape::Bytes => true,
            Shape::Union(union) => {
                let is_literal = |member: &'static Shape| matches!(member.resolve(), Shape::Literal(_));
                !union.members.iter().all(is_literal)
            }
            _ => is_json_part(array.element),
        },
        Shape::Union(union) => union
            .members
            .iter()
            .any(|member| matches!(member.resolve(), Shape::Null) || is_json_part(member)),
        _ => false,
    }
}

fn failure(
    path: String,
    expected: impl Into<String>,
    received: impl Into<String>,
    rule: Rule,
    limit: Option<Value>,
) -> Failure {
    Failure {
        path,
        expected: expected.into(),
        received: received.into(),
        value: None,
        rule,
        limit,
        suggestion: None,
    }
}
