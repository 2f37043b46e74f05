//! Comparison of request bodies.

use kit_ir::{BodyFormat, FilePart, FormatChoice, Route};
use serde_json::json;

use super::Comparison;
use crate::finding::property_path;
use crate::graph::{Graph, Node, State, Travel};
use crate::media_type::{covers, matches_any};
use crate::report::Consequence;

impl Comparison<'_, '_> {
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
        use BodyFormat::{Bytes, Chunks, Form, Json, Lines, Multipart, Raw, Text};
        let travel = match (&old.format, &new.format) {
            (Text { .. }, Text { .. }) | (_, Raw { .. } | Chunks { .. } | Bytes { .. }) => return,
            (Raw { .. } | Chunks { .. } | Bytes { .. }, Text { .. }) => {
                let message = "requests must be UTF-8 text now, and could have any bytes";
                return self.add(Consequence::BreaksRequests, "body-format", "body", message, None);
            }
            (Json, Json) | (Lines, Lines) => Travel::Request,
            (Form, Form) => Travel::Text,
            (Multipart { files: before }, Multipart { files: after }) => {
                self.files(before, after);
                self.parts_of_other_kind((old, before), (new, after));
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

    /// Reports parts that were a field and are a file, or the other way around.
    fn parts_of_other_kind(
        &mut self,
        (old, old_files): (&FormatChoice, &[FilePart]),
        (new, new_files): (&FormatChoice, &[FilePart]),
    ) {
        for (state, choice, files) in [(State::Old, old, new_files), (State::New, new, old_files)] {
            let Some(body) = choice.body else { continue };
            let fields = self.solver.graph.declared(state, Travel::Parts, body);
            for file in files {
                let is_field = match self.solver.graph.node(fields) {
                    Node::Object(object) => object.field(&file.name).is_some(),
                    _ => false,
                };
                if is_field {
                    let (was, is) = if state == State::Old {
                        ("a field", "a file")
                    } else {
                        ("a file", "a field")
                    };
                    let message = format!("the part `{}` was {was}, and is {is}", file.name);
                    let place = format!("body{}", property_path(&file.name));
                    self.add(Consequence::BreaksRequests, "part-kind", &place, message, None);
                }
            }
        }
    }

    fn files(&mut self, old: &[FilePart], new: &[FilePart]) {
        for file in new {
            let place = format!("body{}", property_path(&file.name));
            let mut refuse = |rule, message: String, value| {
                self.add(Consequence::BreaksRequests, rule, &place, message, value);
            };
            let before = old.iter().find(|other| other.name == file.name);
            let (least, most) = counts(file);
            let Some(before) = before else {
                if least > 0 {
                    refuse(
                        "file-added",
                        format!("the new file `{}` is required", file.name),
                        None,
                    );
                }
                continue;
            };
            let (old_least, old_most) = counts(before);
            if old_least == 0 && least > 0 {
                refuse(
                    "file-required",
                    format!("the file `{}` is required now", file.name),
                    None,
                );
            } else if least > old_least {
                let message = format!("requests need more files now: at least {least}");
                refuse("file-count", message, Some(json!(old_least)));
            }
            if most < old_most {
                let message = format!("requests may have fewer files now: at most {most}");
                refuse("file-count", message, Some(json!(most + 1)));
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

/// Returns the minimum and the maximum number of files of a part.
fn counts(file: &FilePart) -> (u64, u64) {
    match (file.many, file.optional) {
        (false, optional) => (u64::from(!optional), 1),
        (true, true) => (0, file.max_items.unwrap_or(u64::MAX)),
        (true, false) => (file.min_items.unwrap_or(0), file.max_items.unwrap_or(u64::MAX)),
    }
}
