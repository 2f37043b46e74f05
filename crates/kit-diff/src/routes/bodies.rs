//! Comparison of request bodies.

use kit_ir::{BodyFormat, FilePart, FormatChoice, Route};
use serde_json::json;

use super::Comparison;
use crate::explain::property_path;
use crate::graph::{Graph, State, Travel};
use crate::media_type::{covers, matches_any};
use crate::report::Consequence;

impl Comparison<'_> {
    pub(super) fn body(&mut self, old: &Route, new: &Route) {
        match (old.has_body(), new.has_body()) {
            (false, true) => {
                let message = "requests need a body now";
                return self.add(Consequence::BreaksRequests, "body-added", "body", message, None);
            }
            (true, false) => {
                let message = "the server ignores the body of requests now";
                return self.add(Consequence::Compatible, "body-removed", "body", message, None);
            }
            (false, false) => return,
            (true, true) => {}
        }
        let after = new.body_format.choices(new.slots.body);
        for choice in old.body_format.choices(old.slots.body) {
            let types: Vec<String> = choice
                .format
                .accepted_media_types()
                .into_iter()
                .map(str::to_owned)
                .collect();
            for media_type in types {
                let same = after
                    .iter()
                    .find(|other| matches_any(&other.format.accepted_media_types(), &media_type));
                let Some(same) = same else {
                    let message = format!("requests may not have the media type `{media_type}` any more");
                    self.add(
                        Consequence::BreaksRequests,
                        "media-type-removed",
                        &format!("body {media_type}"),
                        message,
                        Some(json!(media_type)),
                    );
                    continue;
                };
                // All media types of a format have the same type.
                if Some(media_type.as_str()) == choice.format.accepted_media_types().first().copied() {
                    self.request_format(&choice, same);
                }
            }
        }
    }

    fn request_format(&mut self, old: &FormatChoice, new: &FormatChoice) {
        use BodyFormat::{Bytes, Form, Json, Lines, Multipart, Raw, Text};
        let travel = match (&old.format, &new.format) {
            (_, Raw { .. } | Bytes { .. } | Text { .. }) => return,
            (Json, Json) | (Lines, Lines) => Travel::Request,
            (Form, Form) => Travel::Text,
            (Multipart { files: before }, Multipart { files: after }) => {
                let (before, after) = (before.clone(), after.clone());
                self.files(&before, &after);
                Travel::Parts
            }
            _ => {
                let message = format!(
                    "the body was `{}`, and is `{}`",
                    old.format.name(),
                    new.format.name()
                );
                return self.add(Consequence::BreaksRequests, "body-format", "body", message, None);
            }
        };
        let Some(after) = new.body else { return };
        let before = old
            .body
            .map(|id| self.solver.graph.declared(State::Old, travel, id));
        let before = before.unwrap_or(Graph::NO_PROPERTIES);
        let after = self.solver.graph.declared(State::New, travel, after);
        let place = if matches!(new.format, Lines) {
            "body[]"
        } else {
            "body"
        };
        self.explain(Consequence::BreaksRequests, place, before, after);
    }

    fn files(&mut self, old: &[FilePart], new: &[FilePart]) {
        for file in new {
            let place = format!("body{}", property_path(&file.name));
            let mut refuse = |rule, message: String, value| {
                self.add(Consequence::BreaksRequests, rule, &place, message, value);
            };
            let before = old.iter().find(|other| other.name == file.name);
            let is_required = !file.optional && file.min_items != Some(0);
            let Some(before) = before else {
                if is_required {
                    refuse(
                        "file-added",
                        format!("the new file `{}` is required", file.name),
                        None,
                    );
                }
                continue;
            };
            if before.optional && is_required {
                refuse(
                    "file-required",
                    format!("the file `{}` is required now", file.name),
                    None,
                );
            }
            if before.many && !file.many {
                refuse(
                    "file-count",
                    "requests may have only one file now".to_owned(),
                    Some(json!(2)),
                );
            }
            let (least, most) = (file.min_items.unwrap_or(0), file.max_items.unwrap_or(u64::MAX));
            if file.many && before.many && least > before.min_items.unwrap_or(0) {
                let value = Some(json!(before.min_items.unwrap_or(0)));
                refuse(
                    "file-count",
                    format!("requests need at least {least} files now"),
                    value,
                );
            }
            if file.many && most < before.max_items.unwrap_or(u64::MAX) {
                refuse(
                    "file-count",
                    format!("requests may have at most {most} files now"),
                    Some(json!(most + 1)),
                );
            }
            if let Some(most) = file.max_bytes
                && before.max_bytes.is_none_or(|before| before > most)
            {
                refuse(
                    "file-size",
                    format!("files may have at most {most} bytes now"),
                    Some(json!(most + 1)),
                );
            }
            let all = vec!["*/*".to_owned()];
            let types = |file: &FilePart| {
                if file.media_types.is_empty() {
                    all.clone()
                } else {
                    file.media_types.clone()
                }
            };
            let after = types(file);
            let refused = types(before)
                .into_iter()
                .find(|before| !after.iter().any(|after| covers(after, before)));
            if let Some(refused) = refused {
                let message = format!("files of the media type `{refused}` are refused now");
                refuse("file-media-type", message, Some(json!(refused)));
            }
        }
    }
}
