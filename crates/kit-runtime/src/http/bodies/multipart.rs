//! Checks the parts of a multipart body: fields and files together.

use std::collections::HashMap;

use indexmap::IndexMap;
use serde_json::json;

use super::file_part::{File, FilePart};
use super::part_failure::failure;
use super::uploads::{Upload, Uploads};
use crate::check::{Failure, PathText, Rule, Secrets, explain_without, limit_failures};
use crate::coerce::{QueryValue, coerce};
use crate::http::Error;
use crate::http::source::Slot;
use crate::http::unstorable::find_unstorable;
use crate::json::{Json, from_json, parse};
use crate::multipart::Part;
use crate::shape::Shape;
use crate::{Contract, is_development};

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
pub struct Files {
    by_name: HashMap<&'static str, Vec<File>>,
    pub(super) upload: Option<Upload>,
}

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
        self.by_name.remove(name)?.pop()
    }

    /// Takes a list of files. The list is empty if the body has none.
    pub fn many(&mut self, name: &str) -> Vec<File> {
        self.by_name.remove(name).unwrap_or_default()
    }

    /// Takes a required upload.
    ///
    /// # Errors
    ///
    /// 500 if the upload was not declared as required, which generated code never does.
    pub fn upload(&mut self) -> Result<Upload, Error> {
        self.optional_upload()
            .ok_or_else(|| Error::internal("The upload is not declared as required"))
    }

    /// Takes an optional upload.
    ///
    /// ```
    /// use kit_runtime::{Error, Files, Upload, Uploads};
    ///
    /// fn required(mut files: Files) -> Result<Upload, Error> {
    ///     files.upload()
    /// }
    ///
    /// fn optional(mut files: Files) -> Option<Upload> {
    ///     files.optional_upload()
    /// }
    ///
    /// fn list(mut files: Files) -> Uploads {
    ///     files.uploads()
    /// }
    /// ```
    pub fn optional_upload(&mut self) -> Option<Upload> {
        self.upload.take()
    }

    /// Takes a list of uploads. The list is empty if the body has none.
    pub fn uploads(&mut self) -> Uploads {
        Uploads::new(self.upload.take())
    }
}

/// Reads and checks a body whose declared parts are all files. `failures` are the failures of other parts.
pub(super) fn read_files(
    parts: &[Part],
    files: &[FilePart],
    mut failures: Vec<Failure>,
) -> Result<Files, Error> {
    let found = files_of(&by_name(parts), files, &mut failures);
    if failures.is_empty() {
        Ok(found)
    } else {
        Err(Error::invalid(Slot::Body, "multipart", limit_failures(failures)))
    }
}

/// Reads and checks files, and the parts that are no files. `failures` are the failures of other parts.
pub(super) fn read<T: Contract>(
    parts: &[Part],
    files: &[FilePart],
    mut failures: Vec<Failure>,
) -> Result<(T, Files), Error> {
    let parts = by_name(parts);
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
    let files = files.iter().filter(|file| !file.is_streamed());
    let files = files.map(|file| {
        let sent = parts.get(file.name()).map_or(&[][..], Vec::as_slice);
        (file.name(), file.read(sent, failures))
    });
    Files {
        by_name: files.collect(),
        upload: None,
    }
}

/// Returns the names of the parts that are no files.
pub(super) fn names_of(shape: &'static Shape) -> Vec<&'static str> {
    match shape.resolve() {
        Shape::Object(object) => object.properties.iter().map(|property| property.key).collect(),
        _ => Vec::new(),
    }
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
