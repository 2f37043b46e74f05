//! Comparison of the parts of contracts that are not types: credentials, formats, statuses, files, events, WebSockets.

use kit_diff::{Consequence, compare};
use kit_ir::{
    BodyFormat, DeclaredEvent, DeclaredReply, ErrorFormat, ErrorRules, Errors, FilePart, FormatChoice,
    Program, Route, Security, SecurityScheme, Subprotocols,
};
use kit_test_programs::{bodies, contracts, directions, formats, kitchen_sink, notes, sockets, wrappers};

const TODAY: &str = "2026-01-31";

/// Returns the ids of changes that are not compatible.
fn ids(old: &Program, new: &Program) -> Vec<String> {
    let changes = compare(old, new, TODAY).into_iter();
    changes
        .filter(|change| change.consequence != Consequence::Compatible)
        .map(|change| change.id())
        .collect()
}

/// Returns the route with a key such as `GET /notes`.
fn route<'a>(program: &'a mut Program, key: &str) -> &'a mut Route {
    let id = program
        .routes
        .iter_ids()
        .find(|(_, route)| route.reference() == key)
        .map_or_else(|| panic!("the program has no route {key}"), |(id, _)| id);
    &mut program.routes[id]
}

/// Checks the changes from a program to an edited copy, and those from the copy to the program.
fn check(program: &Program, edit: impl Fn(&mut Program), forward: &[&str], backward: &[&str]) {
    let mut edited = program.clone();
    edit(&mut edited);
    assert_eq!(ids(program, &edited), forward);
    assert_eq!(ids(&edited, program), backward, "in the other direction");
}

#[test]
fn a_program_has_no_changes_from_itself() {
    for program in [
        bodies::program(),
        contracts::program(),
        directions::program(),
        formats::program(),
        kitchen_sink::program(),
        notes::program(),
        sockets::program(),
        wrappers::program(),
    ] {
        assert!(!program.routes.is_empty());
        assert_eq!(ids(&program, &program), [""; 0]);
    }
}

#[test]
fn new_credentials_and_new_scopes_break_requests() {
    let notes = notes::program();
    let key = Security {
        scheme: SecurityScheme::Header {
            name: "x-key".to_owned(),
        },
        description: None,
    };
    check(
        &notes,
        |program| route(program, "GET /notes").security.push(vec![key.clone()]),
        &["GET /notes auth: security-added"],
        &[],
    );
    // One more kind of credentials is a choice for clients.
    check(
        &notes,
        |program| route(program, "GET /notes").security[0].push(key.clone()),
        &[],
        &["GET /notes auth: security-added"],
    );
    let scopes = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    check(
        &notes,
        |program| route(program, "GET /notes").scopes = vec![scopes(&["read"])],
        &["GET /notes auth: scopes-added"],
        &[],
    );
    let mut read = notes.clone();
    route(&mut read, "GET /notes").scopes = vec![scopes(&["read"])];
    check(
        &read,
        |program| route(program, "GET /notes").scopes.push(scopes(&["admin"])),
        &[],
        &["GET /notes auth: scopes-added"],
    );
}

#[test]
fn a_smaller_limit_of_bodies_and_other_names_are_reported() {
    let mut notes = notes::program();
    route(&mut notes, "POST /notes").limits.body_bytes = Some(2000);
    check(
        &notes,
        |program| route(program, "POST /notes").limits.body_bytes = Some(1000),
        &["POST /notes body: body-limit"],
        &[],
    );
    let renamed = "GET /notes: operation-renamed";
    let rename = |program: &mut Program| route(program, "GET /notes").operation = Some("all".to_owned());
    check(&notes, rename, &[renamed], &[renamed]);
    let mut edited = notes.clone();
    rename(&mut edited);
    let changes = compare(&notes, &edited, TODAY);
    assert_eq!(changes[0].consequence, Consequence::RenamesClient);
}

#[test]
fn bodies_and_statuses_are_compared_by_their_presence() {
    let notes = notes::program();
    check(
        &notes,
        |program| route(program, "POST /notes").slots.body = None,
        &[],
        &["POST /notes body: body-added"],
    );
    check(
        &notes,
        |program| route(program, "POST /notes").status = 202,
        &["POST /notes response 202: status-added"],
        &["POST /notes response 201: status-added"],
    );
    check(
        &notes,
        |program| route(program, "POST /notes").slots.response = None,
        &["POST /notes response: body-removed"],
        &[],
    );
}

#[test]
fn files_of_uploads_are_compared_by_their_rules() {
    let bodies = bodies::program();
    let edit = |change: fn(&mut Vec<FilePart>)| {
        move |program: &mut Program| {
            let route = route(program, "POST /photos");
            let BodyFormat::Multipart { files } = &mut route.body_format else {
                panic!("the route has no files");
            };
            change(files);
        }
    };
    let pop_type = |files: &mut Vec<FilePart>| {
        files[0].media_types.pop();
    };
    let pop_file = |files: &mut Vec<FilePart>| {
        files.remove(0);
    };
    let size = edit(|files| files[0].max_bytes = Some(100));
    check(&bodies, size, &["POST /photos body.photo: file-size"], &[]);
    let media_type = &["POST /photos body.photo: file-media-type"];
    check(&bodies, edit(pop_type), media_type, &[]);
    let count = edit(|files| files[1].max_items = Some(2));
    check(&bodies, count, &["POST /photos body.more: file-count"], &[]);
    // A list may be empty.
    check(&bodies, edit(|files| files[1].optional = false), &[], &[]);
    let required = edit(|files| {
        files[1].optional = false;
        files[1].min_items = Some(1);
    });
    check(&bodies, required, &["POST /photos body.more: file-required"], &[]);
    check(
        &bodies,
        edit(pop_file),
        &[],
        &["POST /photos body.photo: file-added"],
    );
}

#[test]
fn a_format_less_breaks_requests() {
    let formats = formats::program();
    let without = |program: &mut Program| {
        let route = route(program, "POST /orders");
        let BodyFormat::OneOf { choices } = &mut route.body_format else {
            panic!("the route has no union of formats");
        };
        choices.remove(2);
    };
    let removed = [
        "POST /orders body text/csv: media-type-removed",
        "POST /orders body text/tab-separated-values: media-type-removed",
    ];
    check(&formats, without, &removed, &[]);
}

#[test]
fn new_events_break_answers() {
    let bodies = bodies::program();
    let key = bodies
        .routes
        .iter()
        .find(|route| matches!(route.response_format, BodyFormat::Events { .. }))
        .map(Route::reference)
        .expect("a route with events");
    let add = |program: &mut Program| {
        let BodyFormat::Events { events } = &mut route(program, &key).response_format else {
            panic!("the route has no events");
        };
        events.push(DeclaredEvent {
            name: "late".to_owned(),
            data: None,
        });
    };
    let added = format!("{key} response event late: event-added");
    check(&bodies, add, &[added.as_str()], &[]);
}

#[test]
fn messages_and_subprotocols_of_sockets_are_compared() {
    let sockets = sockets::program();
    let protocols = |names: &[&str], optional| {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        Some(Subprotocols { names, optional })
    };
    check(
        &sockets,
        |program| route(program, "WS /versions").subprotocols = protocols(&["ping.v2"], false),
        &["WS /versions protocols ping.v1: subprotocol-removed"],
        &[],
    );
    check(
        &sockets,
        |program| route(program, "WS /either").subprotocols = protocols(&["ping.v1"], false),
        &["WS /either protocols: subprotocol-required"],
        &[],
    );
    let kinds = |text, bytes| BodyFormat::Socket { text, bytes };
    check(
        &sockets,
        |program| {
            let text = route(program, "WS /text");
            (text.body_format, text.response_format) = (kinds(true, false), kinds(true, true));
        },
        &[
            "WS /text in: message-kind-removed",
            "WS /text out: message-kind-added",
        ],
        &[],
    );
    // The server sends messages without an author.
    check(
        &sockets,
        |program| {
            let room = route(program, "WS /rooms/:id");
            room.slots.response = room.slots.body;
        },
        &[
            "WS /rooms/:id out.author: property-removed",
            "WS /rooms/:id out.sentAt: property-removed",
        ],
        &["WS /rooms/:id out.text: type"],
    );
}

#[test]
fn formats_and_statuses_of_errors_break_answers() {
    let notes = notes::program();
    let with = |format: ErrorFormat, validation_status| {
        move |program: &mut Program| {
            let span = program.routes.iter().next().expect("a route").span;
            let rules = Some(ErrorRules {
                format: format.clone(),
                validation_status,
            });
            program.application.errors = Some(Errors { rules, span });
        }
    };
    let status = &["errors: validation-status"];
    check(&notes, with(ErrorFormat::Envelope, 422), status, status);
    let format = &["errors: error-format"];
    check(&notes, with(ErrorFormat::ProblemDetails, 400), format, format);
}

#[test]
fn a_reply_with_a_body_may_not_lose_the_body() {
    let contracts = contracts::program();
    let (key, status) = contracts
        .routes
        .iter()
        .find_map(|route| {
            let reply = route.replies.iter().find(|reply| reply.has_body())?;
            Some((route.reference(), reply.status))
        })
        .expect("a reply with a body");
    let mut edited = contracts.clone();
    for reply in &mut route(&mut edited, &key).replies {
        if reply.status == status {
            *reply = DeclaredReply {
                body: None,
                ..reply.clone()
            };
        }
    }
    let found = ids(&contracts, &edited);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].ends_with(": body-removed"), "{found:?}");
}

#[test]
fn a_limit_of_bodies_is_compared_with_the_default_limit() {
    let mut limited = notes::program();
    route(&mut limited, "POST /notes").limits.body_bytes = Some(100);
    let changes = compare(&notes::program(), &limited, TODAY);
    assert_eq!((changes[0].rule, changes[0].certain), ("body-limit", false));
    assert_eq!(ids(&limited, &notes::program()), [""; 0]);
}

#[test]
fn a_part_of_a_form_may_not_become_a_file_and_one_file_may_not_become_several() {
    let bodies = bodies::program();
    let edit = |change: fn(&mut Vec<FilePart>)| {
        move |program: &mut Program| {
            let route = route(program, "POST /photos");
            let BodyFormat::Multipart { files } = &mut route.body_format else {
                panic!("the route has no files");
            };
            change(files);
        }
    };
    let several = edit(|files| {
        files[0].many = true;
        files[0].min_items = Some(2);
    });
    let count = &["POST /photos body.photo: file-count"];
    check(&bodies, several, count, count);
    // The program keeps the field `taken`, which a multipart body cannot have twice.
    let mut edited = bodies.clone();
    edit(|files| files[1].name = "taken".to_owned())(&mut edited);
    assert!(ids(&bodies, &edited).contains(&"POST /photos body.taken: part-kind".to_owned()));
}

#[test]
fn bytes_may_become_a_download_and_a_download_bytes_without_ranges() {
    let bodies = bodies::program();
    let set = |ranges: bool, key: &'static str| {
        move |program: &mut Program| {
            let BodyFormat::Bytes { ranges: own, .. } = &mut route(program, key).response_format else {
                panic!("the route does not answer with bytes");
            };
            *own = ranges;
        }
    };
    let removed = &["GET /image response: ranges-removed"];
    check(&bodies, set(true, "GET /image"), &[], removed);
    let removed = &["GET /film response: ranges-removed"];
    check(&bodies, set(false, "GET /film"), removed, &[]);
}

#[test]
fn another_first_format_of_answers_breaks_clients_without_accept() {
    let notes = notes::program();
    check(
        &notes,
        |program| {
            let route = route(program, "GET /notes/:id");
            let json = FormatChoice {
                format: BodyFormat::Json,
                body: route.slots.response.take(),
            };
            let media_types = vec!["text/csv".to_owned()];
            let text = FormatChoice {
                format: BodyFormat::Text { media_types },
                body: None,
            };
            route.response_format = BodyFormat::OneOf {
                choices: vec![text, json],
            };
        },
        &["GET /notes/:id response: default-format"],
        &["GET /notes/:id response text/csv: media-type-removed"],
    );
}
