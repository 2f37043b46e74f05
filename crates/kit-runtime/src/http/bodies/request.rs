//! Reads request bodies that are not JSON.

use std::sync::atomic::Ordering;

use axum::body::Bytes;
use axum::http::{StatusCode, header};
use serde_json::Value;

use super::file_part::FilePart;
use super::multipart::{self, Files};
use super::part_failure::framing_failure;
use super::request_chunks::RequestChunks;
use super::request_lines::RequestLines;
use super::uploads::{self, Opened};
use crate::check::{Failure, Rule};
use crate::coerce::coerce_query;
use crate::http::direct_input::read_query;
use crate::http::header_text::text_of;
use crate::http::request::decode;
use crate::http::source::Slot;
use crate::http::unstorable::find_unstorable;
use crate::http::{Error, Phase, Request};
use crate::media_type::{MediaType, is_in_ranges, trim};
use crate::{Contract, multipart as parser};

/// Media types that clients use for JSON Lines, which has no registered type.
const LINES: [&str; 3] = [
    "application/jsonl",
    "application/x-ndjson",
    "application/x-jsonlines",
];

impl Request {
    /// Decodes a body in the format `application/x-www-form-urlencoded`, like a query.
    ///
    /// ```
    /// use kit_runtime::{Contract, Error, Request};
    ///
    /// fn sign_in<SignIn: Contract>(request: &Request) -> Result<SignIn, Error> {
    ///     request.form()
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// 400 `VALIDATION_ERROR` if the fields do not fit the type, 415 if the content type is another one.
    pub fn form<T: Contract>(&self) -> Result<T, Error> {
        const FORM: &str = "application/x-www-form-urlencoded";
        self.begin_body();
        self.accept(&[FORM], true)?;
        let text = self.body_text(T::NAME)?;
        let is_suspicious = text.contains("%00") || text.contains('\0');
        if let Some(form) = read_query(text).filter(|_| !is_suspicious) {
            return Ok(form);
        }
        decode(Slot::Body, &coerce_query(T::shape(), text), is_suspicious)
    }

    /// Returns a body of UTF-8 text. `media_types` are the types or ranges that the body may have.
    ///
    /// ```
    /// use kit_runtime::{Error, Request};
    ///
    /// fn lines_of_table(request: &Request) -> Result<usize, Error> {
    ///     Ok(request.text(&["text/csv"])?.lines().count())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// 400 `VALIDATION_ERROR` if the body is not UTF-8, 415 if the content type is another one.
    pub fn text(&self, media_types: &[&str]) -> Result<String, Error> {
        self.begin_body();
        self.accept(media_types, true)?;
        let text = self.body_text("text")?;
        let unstorable = Some(text)
            .filter(|text| text.contains('\0'))
            .and_then(|text| find_unstorable(&text));
        match unstorable {
            Some(failure) => Err(Error::invalid(Slot::Body, "text", vec![failure])),
            None => Ok(text.to_owned()),
        }
    }

    /// Returns the bytes of a body, unchanged. `media_types` are the types or ranges that the body may have.
    ///
    /// ```
    /// use kit_runtime::{Error, Request};
    ///
    /// fn is_png(request: &Request) -> Result<bool, Error> {
    ///     Ok(request.bytes(&["image/*"])?.starts_with(b"\x89PNG"))
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// 415 if the content type is another one.
    pub fn bytes(&self, media_types: &[&str]) -> Result<Bytes, Error> {
        self.begin_body();
        self.accept(media_types, false)?;
        Ok(self.body.whole()?.clone())
    }

    /// Decodes a multipart body with files and with parts that are no files, and checks all parts.
    ///
    /// ```
    /// use kit_runtime::{Contract, Error, File, FilePart, Request};
    ///
    /// fn photo<NewPhoto: Contract>(request: &Request) -> Result<(NewPhoto, File), Error> {
    ///     let (fields, mut files) = request.multipart(&[FilePart::one("photo")])?;
    ///     Ok((fields, files.one("photo")?))
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// 400 `VALIDATION_ERROR` if the framing is broken or parts do not fit, 415 if the content type is another one.
    pub fn multipart<T: Contract>(&self, files: &[FilePart]) -> Result<(T, Files), Error> {
        let parts = self.parts(T::NAME)?;
        multipart::read(&parts, files, Vec::new())
    }

    /// Decodes a multipart body whose declared parts are all files, and checks them.
    ///
    /// ```
    /// use kit_runtime::{Error, File, FilePart, Request};
    ///
    /// fn photo(request: &Request) -> Result<File, Error> {
    ///     request.multipart_files(&[FilePart::one("photo")])?.one("photo")
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// 400 `VALIDATION_ERROR` if the framing is broken or files do not fit, 415 if the content type is another one.
    pub fn multipart_files(&self, files: &[FilePart]) -> Result<Files, Error> {
        let parts = self.parts("multipart")?;
        multipart::read_files(&parts, files, Vec::new())
    }

    /// Decodes the parts of a multipart body before its upload, which is one of `files`, and checks them. The handler reads
    /// the upload.
    ///
    /// ```
    /// use kit_runtime::{Contract, Error, FilePart, Request, Upload};
    ///
    /// async fn video<NewVideo: Contract>(request: &Request) -> Result<(NewVideo, Upload), Error> {
    ///     let declared = [FilePart::one("video").streamed()];
    ///     let (fields, mut files) = request.multipart_upload(&declared).await?;
    ///     Ok((fields, files.upload()?))
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// 400 `VALIDATION_ERROR` if the framing is broken or parts do not fit, 413 if the parts need too much memory, 415 if the
    /// content type is another one.
    pub async fn multipart_upload<T: Contract>(&self, files: &[FilePart]) -> Result<(T, Files), Error> {
        let opened = self
            .open_upload(files, multipart::names_of(T::shape()), T::NAME)
            .await?;
        let (fields, mut found) = multipart::read(&opened.parts, files, opened.failures)?;
        found.upload = opened.upload;
        Ok((fields, found))
    }

    /// Decodes the files of a multipart body before its upload, which is one of `files`, and checks them. All declared parts
    /// of the body are files. The handler reads the upload.
    ///
    /// ```
    /// use kit_runtime::{Error, FilePart, Request, Uploads};
    ///
    /// async fn archives(request: &Request) -> Result<Uploads, Error> {
    ///     let declared = [FilePart::many("archives").streamed()];
    ///     Ok(request.multipart_upload_files(&declared).await?.uploads())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// The same as of [`Self::multipart_upload`].
    pub async fn multipart_upload_files(&self, files: &[FilePart]) -> Result<Files, Error> {
        let opened = self.open_upload(files, Vec::new(), "multipart").await?;
        let mut found = multipart::read_files(&opened.parts, files, opened.failures)?;
        found.upload = opened.upload;
        Ok(found)
    }

    async fn open_upload(
        &self,
        files: &[FilePart],
        names: Vec<&'static str>,
        schema: &'static str,
    ) -> Result<Opened, Error> {
        let boundary = self.boundary(schema)?;
        uploads::open(self.body.chunks()?, &boundary, files, names, schema).await
    }

    /// Returns a body of bytes that the handler reads while they arrive. `media_types` are the types or ranges that the body may
    /// have.
    ///
    /// ```
    /// use kit_runtime::{Error, Request};
    ///
    /// async fn size(request: &Request) -> Result<usize, Error> {
    ///     let mut body = request.chunks(&["video/*"])?;
    ///     let mut bytes = 0;
    ///     while let Some(chunk) = body.next_chunk().await? {
    ///         bytes += chunk.len();
    ///     }
    ///     Ok(bytes)
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// 415 if the content type is another one, 500 if the body was read before.
    pub fn chunks(&self, media_types: &[&str]) -> Result<RequestChunks, Error> {
        self.begin_body();
        let media_type = self.accept(media_types, false)?;
        let name = media_type.map_or_else(|| "application/octet-stream".to_owned(), |found| found.essence);
        Ok(RequestChunks::new(self.body.chunks()?, name))
    }

    /// Returns the lines of a body of JSON Lines. Each line is checked when it is read.
    ///
    /// ```
    /// use kit_runtime::{Contract, Error, Request};
    ///
    /// async fn count<Row: Contract>(request: &Request) -> Result<usize, Error> {
    ///     let mut rows = request.lines::<Row>()?;
    ///     let mut count = 0;
    ///     while let Some(row) = rows.next().await {
    ///         let _row: Row = row?;
    ///         count += 1;
    ///     }
    ///     Ok(count)
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// 415 if the content type is another one, 500 if the body was read before.
    pub fn lines<T: Contract>(&self) -> Result<RequestLines<T>, Error> {
        self.begin_body();
        self.accept(&LINES, true)?;
        Ok(RequestLines::new(self.body.chunks()?))
    }

    fn parts(&self, schema: &'static str) -> Result<Vec<parser::Part>, Error> {
        let boundary = self.boundary(schema)?;
        let parts = parser::parse(self.body.whole()?, &boundary);
        parts.map_err(|mistake| Error::invalid(Slot::Body, schema, vec![framing_failure(mistake)]))
    }

    /// Begins to read a multipart body. Returns its boundary.
    fn boundary(&self, schema: &'static str) -> Result<String, Error> {
        const MULTIPART: &str = "multipart/form-data";
        self.begin_body();
        let Some(media_type) = self.accept(&[MULTIPART], false)? else {
            let failure = Failure {
                path: "$".to_owned(),
                expected: MULTIPART.into(),
                received: "nothing".to_owned(),
                value: Some(Value::Null),
                rule: Rule::Required,
                limit: None,
                suggestion: Some("Send the body as multipart/form-data".to_owned()),
            };
            return Err(Error::invalid(Slot::Body, schema, vec![failure]));
        };
        let boundary = parser::boundary_of(&media_type).map(str::to_owned);
        boundary.map_err(|mistake| Error::invalid(Slot::Body, schema, vec![framing_failure(mistake)]))
    }

    /// Checks the content type. Returns `None` for an empty body, which clients send without a content type.
    fn accept(&self, accepted: &[&str], is_text: bool) -> Result<Option<MediaType>, Error> {
        if self.body.is_empty() {
            return Ok(None);
        }
        let encoding = text_of(self.headers(), header::CONTENT_ENCODING);
        let encoding = encoding.map(|value| trim(&value).to_ascii_lowercase());
        if !matches!(encoding.as_deref(), None | Some("" | "identity")) {
            return Err(unsupported(
                "Compressed bodies are not accepted; send the body without compression",
            ));
        }
        let found = text_of(self.headers(), header::CONTENT_TYPE);
        // A body without a content type is any type (RFC 9110, 8.3).
        let any = || {
            if accepted.contains(&"*/*") {
                "application/octet-stream"
            } else {
                ""
            }
        };
        let media_type = MediaType::parse(found.as_deref().unwrap_or_else(any));
        match media_type {
            Some(media_type) if is_in_ranges(&media_type.essence, accepted) => {
                if is_text && !media_type.is_utf8() {
                    let essence = &media_type.essence;
                    let message = format!("The body has another charset; send {essence} in UTF-8");
                    return Err(unsupported(message));
                }
                Ok(Some(media_type))
            }
            media_type => {
                let found = match (found, media_type) {
                    (None, _) => "The request has no content type",
                    (Some(_), None) => "The request's content type is not a media type",
                    (Some(_), Some(_)) => "The request has another content type",
                };
                Err(unsupported(format!("{found}; send {}", accepted.join(" or "))))
            }
        }
    }

    /// Returns the text of the body.
    fn body_text(&self, schema: &'static str) -> Result<&str, Error> {
        std::str::from_utf8(self.body.whole()?).map_err(|_| {
            let failure = Failure {
                path: "$".to_owned(),
                expected: "text in UTF-8".into(),
                received: "bytes that are not valid UTF-8".to_owned(),
                value: None,
                rule: Rule::Encoding,
                limit: Some("utf-8".into()),
                suggestion: None,
            };
            Error::invalid(Slot::Body, schema, vec![failure])
        })
    }

    /// Begins to read the body.
    pub(super) fn begin_body(&self) {
        self.warn_of_query(None);
        self.context.enter_validation(Phase::Body);
        self.has_body.store(true, Ordering::Relaxed);
    }
}

pub(super) fn unsupported(message: impl Into<String>) -> Error {
    Error::new(
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        "UNSUPPORTED_MEDIA_TYPE",
        message,
    )
}
