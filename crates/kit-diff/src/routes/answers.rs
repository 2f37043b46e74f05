//! Comparison of responses and declared errors.

use kit_ir::{BodyFormat, DeclarationId, DeclaredReply, FormatChoice, Route};
use serde_json::json;

use super::Comparison;
use crate::graph::{Graph, State, Travel};
use crate::report::Consequence;

impl Comparison<'_, '_> {
    pub(super) fn answers(&mut self, old: &Route, new: &Route) {
        let before = old.responses();
        for reply in new.responses() {
            let status = reply.status;
            let Some(same) = before.iter().find(|other| other.status == status) else {
                let message = format!("the route may answer with the status {status} now");
                self.add(
                    Consequence::BreaksAnswers,
                    "status-added",
                    &format!("response {status}"),
                    message,
                    Some(json!(status)),
                );
                continue;
            };
            let has_one = before.len() == 1;
            let place = if has_one {
                "response".to_owned()
            } else {
                format!("response {status}")
            };
            self.answer(&place, same, &reply);
        }
    }

    fn answer(&mut self, place: &str, old: &DeclaredReply, new: &DeclaredReply) {
        if let Some(before) = old.headers {
            let sent = match new.headers {
                // The values of headers are texts.
                Some(after) => self.solver.graph.declared(State::New, Travel::Text, after),
                None => Graph::NO_PROPERTIES,
            };
            let accepted = self.solver.graph.declared(State::Old, Travel::Text, before);
            self.explain(
                Consequence::BreaksAnswers,
                &format!("{place} headers"),
                sent,
                accepted,
            );
        }
        match (old.has_body(), new.has_body()) {
            (true, false) => {
                let message = "answers have no body any more";
                return self.add(Consequence::BreaksAnswers, "body-removed", place, message, None);
            }
            (false, _) => return,
            (true, true) => {}
        }
        let before = old.format.choices(old.body);
        let after = new.format.choices(new.body);
        for choice in &before {
            for media_type in choice.format.media_types() {
                let same = after
                    .iter()
                    .find(|other| other.format.media_types().contains(&media_type));
                let Some(same) = same else {
                    let message = format!("answers cannot have the media type `{media_type}` any more");
                    self.add(
                        Consequence::BreaksAnswers,
                        "media-type-removed",
                        &format!("{place} {media_type}"),
                        message,
                        Some(json!(media_type)),
                    );
                    continue;
                };
                self.answer_format(place, choice, same);
            }
        }
        if old.format.is_download() && !new.format.is_download() {
            let message = "clients cannot ask for ranges any more";
            self.add(Consequence::BreaksAnswers, "ranges-removed", place, message, None);
        }
        let first = |choices: &[FormatChoice]| choices.first().map(|choice| choice.format.names());
        if first(&before) != first(&after) && after.len() > 1 {
            let message = format!(
                "without the header `accept`, answers were `{}`, and are `{}`",
                first(&before).unwrap_or_default(),
                first(&after).unwrap_or_default()
            );
            self.add(Consequence::BreaksAnswers, "default-format", place, message, None);
        }
    }

    fn answer_format(&mut self, place: &str, old: &FormatChoice, new: &FormatChoice) {
        if let (Some(before), Some(after)) = (old.format.events(), new.format.events()) {
            for event in after {
                let place = format!("{place} event {}", event.name);
                match before.iter().find(|other| other.name == event.name) {
                    None => {
                        let message = format!("the server may send the event `{}` now", event.name);
                        self.add(
                            Consequence::BreaksAnswers,
                            "event-added",
                            &place,
                            message,
                            Some(json!(event.name)),
                        );
                    }
                    Some(same) => self.written(&place, same.data, event.data),
                }
            }
            return;
        }
        let place = if old.format == BodyFormat::Lines {
            format!("{place}[]")
        } else {
            place.to_owned()
        };
        self.written(&place, old.body, new.body);
    }

    /// Compares a type that the new server writes with the type that clients expect.
    pub(super) fn written(&mut self, place: &str, old: Option<DeclarationId>, new: Option<DeclarationId>) {
        match (old, new) {
            (Some(old), Some(new)) => {
                let sent = self.solver.graph.declared(State::New, Travel::Written, new);
                let accepted = self.solver.graph.declared(State::Old, Travel::Read, old);
                self.explain(Consequence::BreaksAnswers, place, sent, accepted);
            }
            (Some(_), None) => {
                let message = "the value has no type any more";
                self.add(Consequence::BreaksAnswers, "type-removed", place, message, None);
            }
            (None, _) => {}
        }
    }

    /// Compares the errors that the contracts declare. A client must expect errors that no contract declares, so a new error
    /// code breaks nothing.
    pub(super) fn errors(&mut self, old: &Route, new: &Route) {
        for error in &new.throws {
            let place = format!("error {}", error.code);
            let Some(before) = old.throws.iter().find(|other| other.code == error.code) else {
                let message = format!(
                    "the route may fail with `{}` and the status {}",
                    error.code, error.status
                );
                self.add(Consequence::Compatible, "error-added", &place, message, None);
                continue;
            };
            let (status, was) = (error.status, before.status);
            if status != was {
                let message = format!("the error had the status {was}, and has {status}");
                self.add(
                    Consequence::BreaksAnswers,
                    "error-status",
                    &place,
                    message,
                    Some(json!(status)),
                );
            }
            self.written(&format!("{place} details"), before.details, error.details);
        }
    }
}
