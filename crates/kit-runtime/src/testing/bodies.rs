//! Tests of bodies that the application refuses before it checks their values.

use serde_json::Value;

use super::case::{FileTest, Kind, LARGEST, OTHER_TYPE, other_type_of};
use super::contents::{self, Body, Part};
use super::document::{Format, Table};
use super::fixture::Fixture;
use super::outcome::{Checked, Stop};
use super::request::{Change, slots_of};
use super::run::Running;
use super::values::Slot;
use crate::settings::settings;

/// Number of nested lists that overflows the stack of every recursive parser of JSON.
const NESTED_LISTS: usize = 100_000;

impl Running {
    /// Runs a test of a body that the application refuses before it checks the values.
    pub(super) async fn body(&self, table: &Table, kind: Kind) -> Checked {
        let valid = slots_of(table, &Fixture::new(), &[]).remove(&Slot::Body);
        let body = match &table.format {
            Some(format) => contents::body_of(format, valid.as_ref()),
            None => Body::text("application/json", valid.clone().unwrap_or_default().to_string()),
        };
        match kind {
            Kind::OtherType => {
                let other = other_type_of(table);
                let content = if table.format.is_some() {
                    "x".into()
                } else {
                    body.bytes
                };
                let answer = self
                    .send_invalid(table, &[], Some(Body::new(other, content)))
                    .await?;
                self.expect
                    .error(table, &answer, 415, &["UNSUPPORTED_MEDIA_TYPE"])?;
                Ok(())
            }
            Kind::TooLarge => self.too_large(table, body).await,
            Kind::CutBody => {
                let text = String::from_utf8_lossy(&body.bytes);
                let cut = format!(
                    "{{ \"cut\": {}",
                    text.get(..text.len().saturating_sub(1)).unwrap_or_default()
                );
                self.refused_body(table, Body::text("application/json", cut), "$", false)
                    .await
            }
            Kind::MissingBody if table.format.is_none() => {
                let missing = Change {
                    slot: Slot::Body,
                    path: "$".to_owned(),
                    given: None,
                };
                let answer = self.send_invalid(table, &[missing], None).await?;
                self.expect.refused(table, &answer, "$", false)
            }
            Kind::NestedLists => self.nested_lists(table).await,
            Kind::BadLine => {
                let mut bytes = body.bytes.to_vec();
                bytes.extend_from_slice(b"{ \"cut\"\n");
                self.refused_body(table, Body::new(body.media_type, bytes), "$[1]", false)
                    .await
            }
            Kind::BadText => {
                self.refused_body(table, Body::new(body.media_type, vec![0xff, 0xfe]), "$", false)
                    .await
            }
            Kind::MissingBody => {
                self.refused_body(table, Body::new(body.media_type, Vec::new()), "$", false)
                    .await
            }
            Kind::NoBoundary => {
                self.refused_body(table, Body::text("multipart/form-data", "x"), "$", false)
                    .await
            }
            Kind::NoLastBoundary => {
                let end = body.bytes.len().saturating_sub(8);
                let cut = body.bytes.slice(..end);
                self.refused_body(table, Body::new(body.media_type, cut), "$", false)
                    .await
            }
            Kind::File(index, test) => self.file(table, index, test, valid.as_ref()).await,
            _ => Ok(()),
        }
    }

    async fn refused_body(&self, table: &Table, body: Body, path: &str, is_within: bool) -> Checked {
        let answer = self.send_invalid(table, &[], Some(body)).await?;
        self.expect.refused(table, &answer, path, is_within)
    }

    async fn too_large(&self, table: &Table, body: Body) -> Checked {
        let limit = body_limit(table);
        if limit > LARGEST {
            return Err(Stop::Ignored(
                "the limit of the body is too large to send more".to_owned(),
            ));
        }
        let mut bytes = if table.format.is_some() {
            Vec::new()
        } else {
            body.bytes.to_vec()
        };
        bytes.resize(limit + 1, if table.format.is_some() { b'a' } else { b' ' });
        let answer = self
            .send_invalid(table, &[], Some(Body::new(body.media_type, bytes)))
            .await?;
        self.expect.error(table, &answer, 413, &["PAYLOAD_TOO_LARGE"])?;
        Ok(())
    }

    async fn nested_lists(&self, table: &Table) -> Checked {
        if table.accepts_nested_lists {
            return Err(Stop::Ignored("the contract allows nested lists".to_owned()));
        }
        let text = format!("{}{}", "[".repeat(NESTED_LISTS), "]".repeat(NESTED_LISTS));
        let body = Body::text("application/json", text);
        let answer = self.send_invalid(table, &[], Some(body)).await?;
        if answer.status == 413 {
            self.expect.error(table, &answer, 413, &["PAYLOAD_TOO_LARGE"])?;
            return Ok(());
        }
        self.expect.refused(table, &answer, "$", true)
    }

    async fn file(&self, table: &Table, index: usize, test: FileTest, fields: Option<&Value>) -> Checked {
        let Some((format, file)) = table
            .format
            .as_ref()
            .and_then(|format: &Format| Some((format, format.files.get(index)?)))
        else {
            return Ok(());
        };
        let path = contents::path_of(&file.name);
        let first = if file.many {
            format!("{path}[0]")
        } else {
            path.clone()
        };
        let enough = |one: Part| {
            let mut parts = vec![one];
            if file.many {
                parts.extend(contents::several(file, file.min_items.saturating_sub(1)));
            }
            parts
        };
        let mut changed = contents::file_of(file);
        let (parts, path) = match test {
            FileTest::Missing => (Vec::new(), path),
            FileTest::Text => (vec![Part::Text("text".to_owned())], first),
            FileTest::Two => (contents::several(file, 2), path),
            FileTest::TooMany(count) | FileTest::TooFew(count) => (contents::several(file, count), path),
            FileTest::TooLarge(bytes) => {
                // The limit of the whole body would refuse the request first.
                if body_limit(table) < bytes + 4096 {
                    let reason = "the limit of the whole body is less than that of the file";
                    return Err(Stop::Ignored(reason.to_owned()));
                }
                changed.bytes = vec![0; bytes];
                (enough(Part::File(changed)), first)
            }
            FileTest::OtherType => {
                OTHER_TYPE.clone_into(&mut changed.media_type);
                changed.bytes = b"text".to_vec();
                (enough(Part::File(changed)), first)
            }
        };
        let body = contents::multipart_of(format, fields, &[(&file.name, parts)]);
        self.refused_body(table, body, &path, false).await
    }
}

/// Returns the maximum size of a body in bytes.
pub(super) fn body_limit(table: &Table) -> usize {
    table.body_bytes.unwrap_or(settings().body_bytes)
}
