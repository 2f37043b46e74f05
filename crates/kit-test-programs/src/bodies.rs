//! Routes whose bodies are not JSON: each format in requests, in responses and in replies.

use kit_ir::{
    BodyFormat, Constraints, DeclarationId, DeclaredEvent, DeclaredReply, Documentation, FilePart, Method,
    Program, Route, RouteSlots, TypeKind,
};

use crate::{Builder, optional};

/// Returns the program.
pub fn program() -> Program {
    let mut b = Builder::new("src/photos.types.ts");
    let types = Types::declare(&mut b);
    b.file("src/photos.routes.ts");
    let mut routes = forms(&mut b, &types);
    routes.extend(uploads(&mut b, &types));
    routes.extend(unchanged_bodies(&mut b));
    routes.extend(imports(&mut b, &types));
    routes.extend(responses(&mut b, &types));
    for route in routes {
        b.program.routes.push(route);
    }
    b.program
}

/// Types that several routes use.
struct Types {
    album: DeclarationId,
    photo: DeclarationId,
    book: DeclarationId,
    progress: DeclarationId,
}

impl Types {
    fn declare(b: &mut Builder) -> Self {
        let (date, name) = (b.kind(TypeKind::Date), b.text(1, 40));
        let number = b.kind(TypeKind::Number);
        let album = vec![b.property("name", name), optional(b.property("opened", date))];
        let album = b.interface("Album", album);
        let (uuid, count) = (b.uuid(), b.positive(None));
        let photo = vec![b.property("id", uuid), b.property("title", name)];
        let photo = b.interface("Photo", photo);
        let book = vec![
            b.property("title", name),
            b.property("pages", count),
            b.property("printed", date),
        ];
        let book = b.interface("Book", book);
        let progress = vec![b.property("percent", number)];
        let progress = b.interface("Progress", progress);
        Self {
            album,
            photo,
            book,
            progress,
        }
    }
}

/// Creates a route whose body has a format, and that answers with the type of `response`.
fn with_body(
    b: &mut Builder,
    (method, path): (Method, &str),
    format: BodyFormat,
    body: Option<DeclarationId>,
    response: Option<DeclarationId>,
) -> Route {
    let slots = RouteSlots {
        body,
        response,
        ..RouteSlots::default()
    };
    Route {
        body_format: format,
        ..b.route(method, path, "PhotoRoutes", slots)
    }
}

fn file(name: &str) -> FilePart {
    FilePart {
        name: name.to_owned(),
        optional: false,
        many: false,
        streamed: false,
        min_items: None,
        max_items: None,
        max_bytes: None,
        media_types: Vec::new(),
        documentation: Documentation::default(),
    }
}

fn forms(b: &mut Builder, types: &Types) -> Vec<Route> {
    let (email, boolean) = (b.text(3, 100), b.kind(TypeKind::Boolean));
    let count = b.positive(Some(9.0));
    let topics = b.literals(&["news", "offers"]);
    let topics = b.array(topics);
    let session = vec![
        b.property("email", email),
        b.property("count", count),
        optional(b.property("remember", boolean)),
        optional(b.property("topics", topics)),
    ];
    let session = b.slot("PostSessionsBody", session);
    let (title, date, string) = (b.text(1, 100), b.kind(TypeKind::Date), b.string());
    let tags = TypeKind::Array { element: string };
    let tags = b.constrained(
        tags,
        Constraints {
            max_items: Some(3),
            ..Constraints::default()
        },
    );
    let album = b.reference(types.album);
    let parts = vec![
        b.property("title", title),
        optional(b.property("taken", date)),
        optional(b.property("tags", tags)),
        b.property("album", album),
    ];
    let parts = b.slot("PostPhotosBody", parts);
    let files = vec![
        FilePart {
            max_bytes: Some(5 << 20),
            media_types: vec!["image/png".to_owned(), "image/jpeg".to_owned()],
            documentation: Documentation {
                description: Some("Picture.".to_owned()),
                ..Documentation::default()
            },
            ..file("photo")
        },
        FilePart {
            optional: true,
            many: true,
            max_items: Some(3),
            media_types: vec!["image/*".to_owned()],
            ..file("more")
        },
    ];
    let photos = BodyFormat::Multipart { files };
    let only = BodyFormat::Multipart {
        files: vec![FilePart {
            max_bytes: Some(1000),
            ..file("file")
        }],
    };
    let comment = vec![b.property("text", title), b.property("stars", count)];
    let comment = b.slot("PostCommentsBody", comment);
    let texts = BodyFormat::Multipart { files: Vec::new() };
    vec![
        with_body(
            b,
            (Method::Post, "/sessions"),
            BodyFormat::Form,
            Some(session),
            None,
        ),
        with_body(
            b,
            (Method::Post, "/photos"),
            photos,
            Some(parts),
            Some(types.photo),
        ),
        with_body(b, (Method::Post, "/files"), only, None, None),
        with_body(b, (Method::Post, "/comments"), texts, Some(comment), None),
    ]
}

/// Creates routes with a file that the handler reads while the file arrives.
fn uploads(b: &mut Builder, types: &Types) -> Vec<Route> {
    let (title, album) = (b.text(1, 100), b.reference(types.album));
    let fields = vec![b.property("title", title), optional(b.property("album", album))];
    let fields = b.slot("PostVideosBody", fields);
    let upload = |name: &str, max_bytes| FilePart {
        streamed: true,
        max_bytes: Some(max_bytes),
        ..file(name)
    };
    let video = FilePart {
        media_types: vec!["video/webm".to_owned(), "text/*".to_owned()],
        documentation: Documentation {
            description: Some("Film.".to_owned()),
            ..Documentation::default()
        },
        ..upload("video", 200_000)
    };
    let cover = FilePart {
        optional: true,
        max_bytes: Some(1000),
        media_types: vec!["image/png".to_owned()],
        ..file("cover")
    };
    let archives = FilePart {
        many: true,
        min_items: Some(2),
        max_items: Some(3),
        ..upload("archives", 1000)
    };
    let avatar = FilePart {
        optional: true,
        ..upload("avatar", 1 << 40)
    };
    let bodies = [
        ("/videos", vec![video, cover], Some(fields)),
        ("/archives", vec![archives], None),
        ("/avatars", vec![avatar], None),
    ];
    bodies
        .into_iter()
        .map(|(path, files, fields)| {
            let format = BodyFormat::Multipart { files };
            with_body(b, (Method::Post, path), format, fields, None)
        })
        .collect()
}

fn unchanged_bodies(b: &mut Builder) -> Vec<Route> {
    let types = |types: &[&str]| types.iter().map(|name| (*name).to_owned()).collect();
    let formats = [
        (
            "/hooks",
            BodyFormat::Raw {
                media_types: types(&["application/json"]),
            },
        ),
        (
            "/blobs",
            BodyFormat::Raw {
                media_types: types(&["*/*"]),
            },
        ),
        (
            "/tables",
            BodyFormat::Text {
                media_types: types(&["text/csv", "text/tab-separated-values"]),
            },
        ),
        (
            "/images",
            BodyFormat::Bytes {
                media_types: types(&["image/*"]),
                ranges: false,
            },
        ),
        (
            "/icons",
            BodyFormat::Bytes {
                media_types: types(&["image/png"]),
                ranges: false,
            },
        ),
    ];
    formats
        .into_iter()
        .map(|(path, format)| with_body(b, (Method::Post, path), format, None, None))
        .collect()
}

fn imports(b: &mut Builder, types: &Types) -> Vec<Route> {
    let number = b.kind(TypeKind::Number);
    let imported = vec![b.property("imported", number)];
    let imported = b.slot("PostImportsResponse", imported);
    let lines = with_body(
        b,
        (Method::Post, "/imports"),
        BodyFormat::Lines,
        Some(types.book),
        Some(imported),
    );
    vec![lines]
}

fn responses(b: &mut Builder, types: &Types) -> Vec<Route> {
    let csv = BodyFormat::Text {
        media_types: vec!["text/csv".to_owned()],
    };
    let png = BodyFormat::Bytes {
        media_types: vec!["image/png".to_owned()],
        ranges: false,
    };
    let film = BodyFormat::Bytes {
        media_types: vec!["video/mp4".to_owned()],
        ranges: true,
    };
    let event = |name: &str, data| DeclaredEvent {
        name: name.to_owned(),
        data,
    };
    let events = BodyFormat::Events {
        events: vec![
            event("progress", Some(types.progress)),
            event("done", Some(types.book)),
            event("stopped", None),
        ],
    };
    let answered = |b: &mut Builder, path: &str, format, response| {
        let slots = RouteSlots {
            response,
            ..RouteSlots::default()
        };
        Route {
            response_format: format,
            status: 200,
            ..b.route(Method::Get, path, "PhotoRoutes", slots)
        }
    };
    let reply = |status, body, format| DeclaredReply {
        status,
        body,
        format,
        headers: None,
    };
    let replies = vec![
        reply(200, None, csv.clone()),
        reply(202, Some(types.progress), BodyFormat::Json),
        reply(203, Some(types.book), BodyFormat::Lines),
        reply(207, None, events.clone()),
    ];
    let report = Route {
        replies,
        ..answered(b, "/report", BodyFormat::Json, None)
    };
    vec![
        answered(b, "/table", csv, None),
        answered(b, "/image", png, None),
        answered(b, "/books", BodyFormat::Lines, Some(types.book)),
        answered(b, "/events", events, None),
        answered(b, "/film", film, None),
        report,
    ]
}
