//! Tests that follow from a table.

use super::document::{Row, SocketTable, Table};
use super::random::Randomness;
use super::values::Slot;

/// Largest body or file, in bytes, that tests send to reach a limit.
pub(super) const LARGEST: usize = 16 * 1024 * 1024;

/// Media type that no contract declares.
pub(super) const OTHER_TYPE: &str = "application/x-kit-other";

/// Test of a table. A number is the index of a row, of a file or of a media type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    LeftOut,
    WrongMethod,
    Untested,
    Socket(SocketTest),
    Valid,
    Lifecycle,
    FollowsCursors,
    ForgedCursors,
    NoCredentials,
    NoScopes,
    Takes(usize),
    Refuses(usize),
    Drops(Slot),
    OtherType,
    TooLarge,
    CutBody,
    MissingBody,
    NestedLists,
    BadLine,
    BadText,
    NoBoundary,
    NoLastBoundary,
    File(usize, FileTest),
    Accepts(usize),
    Prefers,
    AcceptsOther,
    Download(DownloadTest),
    TakesRandom(Randomness),
    RefusesRandom(Randomness),
}

/// Test of a WebSocket that no row of the table describes. A number is the index of a subprotocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SocketTest {
    NoHandshake,
    Protocol(usize),
    UnknownProtocol,
    NoProtocol,
    TakesJson,
    TakesText,
    TakesBytes,
    NotJson,
    NotStorable,
    OtherText,
    OtherBytes,
}

/// Test of a download.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DownloadTest {
    FirstByte,
    AfterEnd,
    Head,
}

/// Test of a part of a multipart body that is a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileTest {
    Missing,
    Text,
    Two,
    TooMany(usize),
    TooFew(usize),
    TooLarge(usize),
    OtherType,
}

/// Returns the tests of a table with their names, in the order in which they run.
pub(super) fn cases_of(table: &Table) -> Vec<(Kind, String)> {
    let mut cases = Vec::new();
    let mut add = |kind: Kind, name: String| cases.push((kind, name));
    if table.skip.is_some() {
        add(Kind::LeftOut, "is left out".to_owned());
        return cases;
    }
    if let Some(wrong) = &table.wrong_method {
        add(Kind::WrongMethod, format!("refuses {}", wrong.method));
    }
    if table.untested.is_some() {
        add(Kind::Untested, "is tested".to_owned());
        return cases;
    }
    if let Some(socket) = &table.socket {
        cases.extend(of_socket(table, socket));
        return cases;
    }
    add(Kind::Valid, "answers a valid request".to_owned());
    if !table.lifecycle.is_empty() {
        add(Kind::Lifecycle, "announces its end in headers".to_owned());
    }
    if table.list.is_some() {
        add(
            Kind::FollowsCursors,
            "follows cursors without repeating or losing an item".to_owned(),
        );
        add(
            Kind::ForgedCursors,
            "refuses cursors that the server did not make".to_owned(),
        );
    }
    cases.extend(of_credentials(table));
    cases.extend(of_rows(table));
    let mut add = |kind: Kind, name: String| cases.push((kind, name));
    for slot in [Slot::Query, Slot::Body] {
        if table.closed.iter().any(|(of, _)| *of == slot) {
            add(
                Kind::Drops(slot),
                format!("drops undeclared properties of {}", slot.name()),
            );
        }
    }
    if table.format.is_some() {
        cases.extend(of_format(table));
    } else if table.request.contains_key(&Slot::Body) {
        cases.extend(of_json(table));
    }
    cases.extend(of_accept(table));
    if table.is_download() {
        let tests = [
            (DownloadTest::FirstByte, "answers a range of the first byte"),
            (DownloadTest::AfterEnd, "refuses a range after the end"),
            (DownloadTest::Head, "answers HEAD like GET, without the body"),
        ];
        cases.extend(tests.map(|(test, name)| (Kind::Download(test), name.to_owned())));
    }
    cases
}

/// Returns the tests of a table with random requests.
pub(super) fn random_cases_of(table: &Table, randomness: Randomness) -> Vec<(Kind, String)> {
    if table.shapes.is_empty() {
        return Vec::new();
    }
    let mut cases = vec![(Kind::TakesRandom(randomness), random_name("takes", randomness))];
    // Some routes have no rule that a request can break, for example if their only input is a string in the path.
    if table
        .refuses
        .iter()
        .any(|row| table.shapes.contains_key(&row.slot))
    {
        cases.push((
            Kind::RefusesRandom(randomness),
            random_name("refuses", randomness),
        ));
    }
    cases
}

/// Returns the name of a test with random requests.
pub(super) fn random_name(verb: &str, Randomness { runs, .. }: Randomness) -> String {
    format!("{verb} {runs} random requests")
}

/// Returns the tests of a route whose middleware authenticates the caller.
fn of_credentials(table: &Table) -> Vec<(Kind, String)> {
    let Some(auth) = &table.auth else {
        return Vec::new();
    };
    let tests = [
        (
            auth.unauthorized.is_some(),
            Kind::NoCredentials,
            "refuses a request without credentials",
        ),
        (
            auth.scopes.is_some(),
            Kind::NoScopes,
            "refuses a caller without the required scopes",
        ),
    ];
    let tests = tests.into_iter().filter(|(is_there, ..)| *is_there);
    tests.map(|(_, kind, name)| (kind, name.to_owned())).collect()
}

/// Returns the tests of the rows of a table.
fn of_rows(table: &Table) -> impl Iterator<Item = (Kind, String)> {
    let name = |verb: &str, row: &Row| {
        let slot = match row.slot {
            Slot::Body if table.socket.is_some() => "message",
            slot => slot.name(),
        };
        format!("{verb} {slot} {}: {}", row.path, row.what)
    };
    let takes = table.accepts.iter().enumerate();
    let refuses = table.refuses.iter().enumerate();
    takes
        .map(move |(index, row)| (Kind::Takes(index), name("takes", row)))
        .chain(refuses.map(move |(index, row)| (Kind::Refuses(index), name("refuses", row))))
}

/// Returns the tests of a WebSocket.
fn of_socket(table: &Table, socket: &SocketTable) -> Vec<(Kind, String)> {
    let test = |test: SocketTest, name: &str| (Kind::Socket(test), name.to_owned());
    let mut cases = vec![test(
        SocketTest::NoHandshake,
        "answers a request that is no handshake with 426",
    )];
    cases.extend(of_credentials(table));
    if let Some(protocols) = &socket.protocols {
        for (index, name) in protocols.names.iter().enumerate() {
            let name = format!("chooses the subprotocol {name} if the client offers it");
            cases.push(test(SocketTest::Protocol(index), &name));
        }
        cases.push(test(
            SocketTest::UnknownProtocol,
            "refuses an unknown subprotocol",
        ));
        let verb = if protocols.optional { "takes" } else { "refuses" };
        let name = format!("{verb} a client without a subprotocol");
        cases.push(test(SocketTest::NoProtocol, &name));
    }
    let (json, text, bytes) = (socket.takes("json"), socket.takes("text"), socket.takes("bytes"));
    if json {
        cases.push(test(SocketTest::TakesJson, "takes a valid message"));
    }
    if text {
        cases.push(test(SocketTest::TakesText, "takes a text message"));
    }
    if bytes {
        cases.push(test(SocketTest::TakesBytes, "takes a binary message"));
    }
    cases.extend(of_rows(table));
    cases.push(if json {
        test(SocketTest::NotJson, "refuses text that is not JSON")
    } else if text {
        test(
            SocketTest::NotStorable,
            "refuses text that databases cannot store",
        )
    } else {
        test(SocketTest::OtherText, "refuses a text message")
    });
    if !bytes {
        cases.push(test(SocketTest::OtherBytes, "refuses a binary message"));
    }
    cases
}

/// Returns the tests of a JSON body before its values are checked.
fn of_json(table: &Table) -> Vec<(Kind, String)> {
    let other = other_type_of(table);
    [
        (Kind::CutBody, "refuses a body that is cut off"),
        (Kind::MissingBody, "refuses a missing body"),
        (Kind::OtherType, &format!("refuses {other}")),
        (Kind::NestedLists, "refuses a body of deeply nested lists"),
        (Kind::TooLarge, "refuses a body that is too large"),
    ]
    .map(|(kind, name)| (kind, name.to_owned()))
    .into()
}

/// Returns a media type that the table does not accept.
pub(super) fn other_type_of(table: &Table) -> &'static str {
    if table.format.is_none() && table.choice.is_none() {
        "text/plain"
    } else {
        OTHER_TYPE
    }
}

/// Returns the tests of a body that is not JSON: its content type, its size, its framing and its files.
fn of_format(table: &Table) -> Vec<(Kind, String)> {
    let Some(format) = &table.format else {
        return Vec::new();
    };
    let mut cases = Vec::new();
    if !format.types.iter().any(|media_type| media_type == "*/*") {
        cases.push((Kind::OtherType, format!("refuses {OTHER_TYPE}")));
    }
    cases.push((Kind::TooLarge, "refuses a body that is too large".to_owned()));
    match format.kind.as_str() {
        "lines" => cases.push((Kind::BadLine, "refuses a line that is not JSON".to_owned())),
        "text" => cases.push((Kind::BadText, "refuses bytes that are not UTF-8".to_owned())),
        "multipart" => {
            cases.push((Kind::MissingBody, "refuses body $: missing".to_owned()));
            cases.push((Kind::NoBoundary, "refuses body $: no boundary".to_owned()));
            cases.push((
                Kind::NoLastBoundary,
                "refuses body $: without its last boundary".to_owned(),
            ));
        }
        _ => {}
    }
    for (index, file) in format.files.iter().enumerate() {
        let path = super::contents::path_of(&file.name);
        let first = if file.many {
            format!("{path}[0]")
        } else {
            path.clone()
        };
        let mut add = |test: FileTest, path: &str, what: String| {
            cases.push((Kind::File(index, test), format!("refuses body {path}: {what}")));
        };
        if !file.optional && (!file.many || file.min_items > 0) {
            add(FileTest::Missing, &path, "missing".to_owned());
        }
        add(FileTest::Text, &first, "a text instead of a file".to_owned());
        if !file.many {
            add(FileTest::Two, &path, "two files".to_owned());
        }
        if let Some(most) = file.max_items.filter(|most| *most < 100) {
            add(
                FileTest::TooMany(most + 1),
                &path,
                format!("{} files (maximum {most})", most + 1),
            );
        }
        let least = file.min_items;
        if least > 1 {
            add(
                FileTest::TooFew(least - 1),
                &path,
                format!("{} files (minimum {least})", least - 1),
            );
        }
        if let Some(most) = file.max_bytes.filter(|most| *most < LARGEST) {
            add(
                FileTest::TooLarge(most + 1),
                &first,
                format!("{} bytes (maximum {most})", most + 1),
            );
        }
        if !file.types.is_empty() && !file.types.iter().any(|media_type| media_type == "*/*") {
            add(
                FileTest::OtherType,
                &first,
                format!("a file of the type {OTHER_TYPE}"),
            );
        }
    }
    cases
}

/// Returns the tests of the header `accept`, if it chooses the format of a response.
fn of_accept(table: &Table) -> Vec<(Kind, String)> {
    // The formats of requests do not change the formats of responses.
    let is_first = |choice: &super::document::Choice| choice.all.first() == Some(&choice.r#type);
    if table.choice.as_ref().is_some_and(|choice| !is_first(choice)) {
        return Vec::new();
    }
    let types = types_of(table);
    let [first, second, ..] = types.as_slice() else {
        return Vec::new();
    };
    let mut cases: Vec<_> = types
        .iter()
        .enumerate()
        .map(|(index, media_type)| {
            let name = format!("answers with {media_type} if the request accepts only this type");
            (Kind::Accepts(index), name)
        })
        .collect();
    cases.push((
        Kind::Prefers,
        format!("answers with {second} if the request prefers it to {first}"),
    ));
    cases.push((
        Kind::AcceptsOther,
        format!("refuses a request that accepts only {OTHER_TYPE}"),
    ));
    cases
}

/// Returns the media types of the first reply with several formats, because a request may prefer only types of the same reply.
pub(super) fn types_of(table: &Table) -> Vec<&str> {
    let contents = table.replies.iter().filter_map(|reply| reply.content.as_ref());
    let union = contents.into_iter().find(|content| content.kind == "oneof");
    union.map_or_else(Vec::new, |content| {
        content
            .choices
            .iter()
            .map(|choice| choice.r#type.as_str())
            .collect()
    })
}
