//! Files of multipart bodies, and their rules: number, sizes and types.

use std::fmt;

use axum::body::Bytes;
use serde_json::{Value, json};

use super::part_failure::failure;
use crate::check::{Failure, PathText, Rule};
use crate::file_signatures::contradicting_type;
use crate::media_type::is_in_ranges;
use crate::multipart::Part;
use crate::shape::count;

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
    /// Content of the file.
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
    is_streamed: bool,
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
            is_streamed: false,
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

    /// Makes the file an [`Upload`](crate::Upload), or the list [`Uploads`](crate::Uploads).
    ///
    /// ```
    /// use kit_runtime::{Error, FilePart, Request, Upload, Uploads};
    ///
    /// async fn avatar(request: &Request) -> Result<Option<Upload>, Error> {
    ///     let declared = [FilePart::one("avatar").optional().streamed()];
    ///     Ok(request.multipart_upload_files(&declared).await?.optional_upload())
    /// }
    ///
    /// async fn video(request: &Request) -> Result<Upload, Error> {
    ///     request.multipart_upload_files(&[FilePart::one("video").streamed()]).await?.upload()
    /// }
    ///
    /// async fn archives(request: &Request) -> Result<Uploads, Error> {
    ///     Ok(request.multipart_upload_files(&[FilePart::many("archives").streamed()]).await?.uploads())
    /// }
    /// ```
    #[must_use]
    pub const fn streamed(mut self) -> Self {
        self.is_streamed = true;
        self
    }

    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    pub(super) fn is_streamed(&self) -> bool {
        self.is_streamed
    }

    pub(super) fn is_optional(&self) -> bool {
        self.is_optional
    }

    pub(super) fn is_list(&self) -> bool {
        self.is_list
    }

    pub(super) fn has_media_types(&self) -> bool {
        !self.media_types.is_empty()
    }

    /// Returns the number of bytes that the contract allows for the files in memory. Returns 0 if the contract has no limit.
    pub(super) fn memory(&self) -> usize {
        let files = match self.max_items {
            usize::MAX => 1,
            files => files,
        };
        let bytes = self.max_bytes.filter(|_| !self.is_streamed).unwrap_or(0);
        bytes.saturating_mul(files)
    }

    /// Returns true for the empty file without a name that browsers send if nothing was chosen in `<input type="file">`.
    pub(super) fn is_unchosen(file_name: Option<&str>, length: usize) -> bool {
        file_name == Some("") && length == 0
    }

    /// Returns the media type of a file: the type that the client declared, or `application/octet-stream`.
    pub(super) fn declared_type(media_type: Option<&str>) -> &str {
        media_type.unwrap_or("application/octet-stream")
    }

    /// Returns the files of the part. Adds the broken rules to `failures`.
    pub(super) fn read(&self, parts: &[&Part], failures: &mut Vec<Failure>) -> Vec<File> {
        let is_sent = |part: &&&Part| !Self::is_unchosen(part.file_name.as_deref(), part.bytes.len());
        let sent: Vec<&Part> = parts.iter().filter(is_sent).copied().collect();
        if sent.is_empty() && (self.is_optional || (self.is_list && self.min_items == 0)) {
            return Vec::new();
        }
        let before = failures.len();
        if let Some(wrong) = self.wrong_number(sent.len()) {
            failures.push(wrong);
        } else {
            for (index, part) in sent.iter().enumerate() {
                self.check(part, &self.path_of(index), failures);
            }
        }
        if failures.len() > before {
            return Vec::new();
        }
        let files = sent.into_iter().map(|part| File {
            name: part.file_name.clone().unwrap_or_default(),
            media_type: Self::declared_type(part.media_type.as_deref()).to_owned(),
            bytes: part.bytes.clone(),
        });
        files.collect()
    }

    /// Returns the failure if a body has too few or too many files of the part.
    pub(super) fn wrong_number(&self, found: usize) -> Option<Failure> {
        let path = self.path(None);
        if found == 0 && !self.is_list {
            return Some(Failure {
                value: Some(Value::Null),
                suggestion: Some(format!("Send a file in the part {}", self.name)),
                ..failure(path, self.expected(), "nothing", Rule::Required, None)
            });
        }
        if found < self.min_items {
            let expected = format!("at least {}", count(self.min_items, "file"));
            let limit = Some(json!(self.min_items));
            let received = count(found, "file");
            return Some(failure(path, expected, received, Rule::MinItems, limit));
        }
        self.excess(found)
    }

    /// Returns the failure if a body has too many files of the part.
    pub(super) fn excess(&self, found: usize) -> Option<Failure> {
        let (expected, most) = if self.is_list {
            (
                format!("at most {}", count(self.max_items, "file")),
                self.max_items,
            )
        } else {
            ("one file".to_owned(), 1)
        };
        let (received, limit) = (count(found, "file"), Some(json!(most)));
        (found > most).then(|| failure(self.path(None), expected, received, Rule::MaxItems, limit))
    }

    fn check(&self, part: &Part, path: &str, failures: &mut Vec<Failure>) {
        let (name, length) = (part.file_name.as_deref(), part.bytes.len());
        let received = format!("a file of {}", count(length, "byte"));
        failures.extend(self.too_large(length, path, &received).filter(|_| name.is_some()));
        failures.extend(self.check_start(name, part.media_type.as_deref(), &part.bytes, path));
    }

    /// Returns the failure for a file with more bytes than the contract allows.
    pub(super) fn too_large(&self, length: usize, path: &str, received: &str) -> Option<Failure> {
        let most = self.max_bytes.filter(|most| length > *most)?;
        let expected = format!("a file of at most {}", count(most, "byte"));
        let limit = Some(json!(most));
        Some(failure(
            path.to_owned(),
            expected,
            received,
            Rule::MaxBytes,
            limit,
        ))
    }

    /// Returns the failure if a part is not a file, or if the file has another type. `start` has the first bytes of the file.
    pub(super) fn check_start(
        &self,
        file_name: Option<&str>,
        media_type: Option<&str>,
        start: &[u8],
        path: &str,
    ) -> Option<Failure> {
        if file_name.is_none() {
            let limit = Some(json!("file"));
            return Some(Failure {
                suggestion: Some("Send the part with a file name".to_owned()),
                ..failure(path.to_owned(), self.expected(), "text", Rule::Type, limit)
            });
        }
        if self.media_types.is_empty() {
            return None;
        }
        let declared = Self::declared_type(media_type);
        let received = if !is_in_ranges(declared, self.media_types) {
            format!("a file of the type {declared}")
        } else if let Some(found) = contradicting_type(declared, start) {
            format!("a file of the type {declared} with the bytes of {found}")
        } else {
            return None;
        };
        let expected = format!("a file of the type {}", self.media_types.join(", "));
        let limit = Some(json!(self.media_types));
        Some(failure(path.to_owned(), expected, received, Rule::Mime, limit))
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

    /// Returns the path of a file, which has an index in a list of files.
    pub(super) fn path_of(&self, index: usize) -> String {
        self.path(Some(index).filter(|_| self.is_list))
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
