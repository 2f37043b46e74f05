//! Coverage of the contracts by tests, as text and as JSON.

use anstyle::AnsiColor;
use serde::Serialize;

use crate::console::Console;
use crate::{ContractItem, Coverage, ItemKind, Stream};

/// Maximum number of uncovered items that the text lists.
const MAX_LINES: usize = 20;

/// Kinds of items in the order of the output, with the singular and the plural of their names.
const KINDS: [(ItemKind, &str, &str); 7] = [
    (ItemKind::Route, "route", "routes"),
    (ItemKind::Response, "response", "responses"),
    (ItemKind::Field, "field", "fields"),
    (ItemKind::Bound, "bound", "bounds"),
    (ItemKind::Member, "member of a union", "members of unions"),
    (ItemKind::Rule, "rule", "rules"),
    (ItemKind::Message, "message", "messages"),
];

/// Coverage of the contracts as `--json` prints it.
#[derive(Debug, Serialize)]
pub(super) struct CoverageReport<'a> {
    routes: Count,
    answers: Count,
    fields: Count,
    bounds: Count,
    members: Count,
    rules: Count,
    messages: Count,
    /// All items, in the order of the contracts.
    items: Vec<SeenItem<'a>>,
}

/// Number of covered items of one kind, and the total.
#[derive(Debug, Clone, Copy, Serialize)]
struct Count {
    seen: usize,
    #[serde(rename = "of")]
    total: usize,
}

#[derive(Debug, Serialize)]
struct SeenItem<'a> {
    #[serde(flatten)]
    item: &'a ContractItem,
    seen: bool,
}

impl<'a> CoverageReport<'a> {
    pub(super) fn new(found: &'a Coverage) -> Self {
        let items: Vec<_> = found
            .items
            .iter()
            .enumerate()
            .map(|(index, item)| SeenItem {
                item,
                seen: found.seen.contains(&index),
            })
            .collect();
        let count = |kind| Count {
            seen: items
                .iter()
                .filter(|one| one.item.kind == kind && one.seen)
                .count(),
            total: items.iter().filter(|one| one.item.kind == kind).count(),
        };
        Self {
            routes: count(ItemKind::Route),
            answers: count(ItemKind::Response),
            fields: count(ItemKind::Field),
            bounds: count(ItemKind::Bound),
            members: count(ItemKind::Member),
            rules: count(ItemKind::Rule),
            messages: count(ItemKind::Message),
            items,
        }
    }

    fn count(&self, kind: ItemKind) -> Count {
        match kind {
            ItemKind::Route => self.routes,
            ItemKind::Response => self.answers,
            ItemKind::Field => self.fields,
            ItemKind::Bound => self.bounds,
            ItemKind::Member => self.members,
            ItemKind::Rule => self.rules,
            ItemKind::Message => self.messages,
        }
    }

    /// Returns lines of text: the number of covered items of each kind, and descriptions of uncovered
    /// items.
    pub(super) fn lines(&self, console: &Console<'_>) -> Vec<String> {
        let counts = KINDS.iter().filter_map(|(kind, one, several)| {
            let Count { seen, total } = self.count(*kind);
            let text = format!("{seen} of {total} {}", if total == 1 { one } else { several });
            let style = AnsiColor::Yellow.on_default();
            let is_whole = seen == total;
            (total > 0).then(|| {
                if is_whole {
                    text
                } else {
                    console.paint(Stream::Out, style, &text)
                }
            })
        });
        let mut lines = vec![format!(
            "contracts covered: {}",
            counts.collect::<Vec<_>>().join(", ")
        )];
        let missing = self.missing();
        if missing.is_empty() {
            return lines;
        }
        lines.push("not covered:".to_owned());
        let more = missing.len().saturating_sub(MAX_LINES);
        lines.extend(
            missing
                .into_iter()
                .take(MAX_LINES)
                .map(|line| format!("  {line}")),
        );
        if more > 0 {
            lines.push(format!("  and {more} more, which --json lists"));
        }
        lines
    }

    /// Describes the uncovered items. All responses of a route share one line.
    fn missing(&self) -> Vec<String> {
        let mut answers: Vec<(&str, Vec<&str>)> = Vec::new();
        let mut lines: Vec<String> = Vec::new();
        for SeenItem { item, .. } in self.items.iter().filter(|one| !one.seen) {
            if item.kind != ItemKind::Response {
                lines.push(missing(item));
                continue;
            }
            let what = item.what.as_deref().unwrap_or_default();
            match answers.iter_mut().find(|(route, _)| *route == item.route) {
                Some((_, known)) => known.push(what),
                None => answers.push((&item.route, vec![what])),
            }
        }
        // Missing responses come last, because a response may need special settings or data, and is
        // hard to test.
        let answers = answers
            .into_iter()
            .map(|(route, known)| format!("{route}: no request got the response {}", known.join(", ")));
        lines.extend(answers);
        lines
    }
}

/// Describes an uncovered item: `POST /notes: no test sends a request that breaks maxLength 200 of body
/// $.title`.
fn missing(item: &ContractItem) -> String {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let (route, what) = (&item.route, text(&item.what));
    let place = format!("{} {}", text(&item.slot), text(&item.path));
    match item.kind {
        ItemKind::Route => format!("{route}: no request succeeded"),
        ItemKind::Response => format!("{route}: no request got the response {what}"),
        ItemKind::Field => format!("{route}: no accepted request had {place}"),
        ItemKind::Bound => format!("{route}: no accepted request was at {what} of {place}"),
        ItemKind::Member => format!("{route}: no accepted request had {what} as {place}"),
        ItemKind::Message => format!("{route}: no test has the message {what}"),
        ItemKind::Rule => format!("{route}: no test sends a request that breaks {what} of {place}"),
    }
}
