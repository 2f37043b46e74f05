//! The IR of the Notes application, the example in the documentation.

use kit_ir::{
    DeclarationOrigin, DeclaredError, DefaultValue, Entity, EntityOwner, GeneratedKind, HandlerSource,
    LiteralValue, Method, MiddlewareKind, MiddlewareSource, Program, Property, RouteSlots, Security,
    SecurityScheme, TypeKind,
};

use super::{Builder, described, optional, tagged};

struct Columns {
    id: Property,
    title: Property,
    content: Property,
    author: Property,
    archived: Property,
    created: Property,
    updated: Property,
}

/// Returns the program of the Notes example.
pub fn program() -> Program {
    let mut b = Builder::new("src/notes.types.ts");
    let Columns {
        id,
        title,
        content,
        author,
        archived,
        created,
        updated,
    } = columns(&mut b);
    let note_properties = vec![
        id.clone(),
        title.clone(),
        content.clone(),
        author.clone(),
        archived.clone(),
        created.clone(),
        updated,
    ];
    let note = b.interface("Note", note_properties);
    b.program.declarations[note].documentation.description = Some("A note of a user.".to_owned());
    b.program.entities.push(Entity {
        declaration: note,
        table: "notes".to_owned(),
        renamed_from: None,
        indexes: Vec::new(),
        uniques: Vec::new(),
        references: Vec::new(),
        checks: Vec::new(),
        tenant: None,
        owner: Some(EntityOwner::None),
    });
    b.interface(
        "CreateNoteInput",
        vec![title.clone(), content.clone(), author, archived.clone()],
    );
    let update = [&title, &content, &archived].map(|property| optional(property.clone()));
    let update = b.interface("UpdateNoteInput", update.to_vec());
    let summary = b.interface(
        "NoteSummary",
        vec![id.clone(), title.clone(), archived.clone(), created],
    );
    let number = b.kind(TypeKind::Number);
    let fields = ["total", "page", "pageSize", "totalPages"].map(|name| b.property(name, number));
    let pagination = b.object(fields.to_vec());
    let summary = b.reference(summary);
    let data = b.array(summary);
    let properties = vec![b.property("data", data), b.property("pagination", pagination)];
    let page = b.object(properties);
    let page = b.declare_as(
        "PaginatedResponseOfNoteSummary",
        page,
        DeclarationOrigin::Instance {
            expression: "PaginatedResponse<NoteSummary>".to_owned(),
        },
    );

    b.file("src/notes.routes.ts");
    let post_body = b.slot("PostNotesBody", vec![title, content, archived]);
    let (page_number, page_size) = (b.positive(None), b.positive(Some(100.0)));
    let query = vec![
        optional(b.property("page", page_number)),
        optional(b.property("pageSize", page_size)),
    ];
    let query = b.slot("GetNotesQuery", query);
    let string = b.string();
    let mut params = |name| {
        let id = b.property("id", string);
        b.slot(name, vec![id])
    };
    let (get_params, put_params, delete_params) = (
        params("GetNotesByIdParams"),
        params("PutNotesByIdParams"),
        params("DeleteNotesByIdParams"),
    );

    let slots = |params, query, body, response| RouteSlots {
        params,
        query,
        body,
        response,
        ..RouteSlots::default()
    };
    let mut routes = vec![
        b.route(
            Method::Post,
            "/notes",
            "NoteRoutes",
            slots(None, None, Some(post_body), Some(note)),
        ),
        b.route(
            Method::Get,
            "/notes",
            "NoteRoutes",
            slots(None, Some(query), None, Some(page)),
        ),
        b.route(
            Method::Get,
            "/notes/:id",
            "NoteRoutes",
            slots(Some(get_params), None, None, Some(note)),
        ),
        b.route(
            Method::Put,
            "/notes/:id",
            "NoteRoutes",
            slots(Some(put_params), None, Some(update), Some(note)),
        ),
        b.route(
            Method::Delete,
            "/notes/:id",
            "NoteRoutes",
            slots(Some(delete_params), None, None, None),
        ),
    ];
    routes[0].summary = Some("Writes a note.".to_owned());
    b.file("src/notes.handlers.ts");
    for route in &mut routes {
        route.middleware = vec!["requireAuth".to_owned()];
        route.security = vec![security()];
        route.handler = Some(HandlerSource {
            export: "noteHandlers".to_owned(),
            span: b.span(),
        });
        if !route.parameters.is_empty() {
            route.throws.push(DeclaredError {
                code: "NOTE_NOT_FOUND".to_owned(),
                status: 404,
                description: Some("There is no note of that id.".to_owned()),
                details: None,
            });
        }
    }
    for route in routes {
        b.program.routes.push(route);
    }
    let span = b.span();
    b.program.application.middleware.push(MiddlewareSource {
        name: "requireAuth".to_owned(),
        priority: 10.0,
        kind: MiddlewareKind::Route,
        security: security(),
        added_context: Vec::new(),
        is_wrapper: false,
        span,
    });
    b.program
}

fn security() -> Vec<Security> {
    vec![Security {
        scheme: SecurityScheme::Bearer { format: None },
        description: Some("Lets users pass.".to_owned()),
    }]
}

fn columns(b: &mut Builder) -> Columns {
    let (boolean, date) = (b.kind(TypeKind::Boolean), b.kind(TypeKind::Date));
    let uuid = b.uuid();
    let (title, content, author) = (b.text(1, 200), b.text(0, 10_000), b.text(0, 100));
    let now = |property: Property| tagged(property, |tags| tags.generated = Some(GeneratedKind::Now));
    Columns {
        id: tagged(b.property("id", uuid), |tags| {
            tags.id = true;
            tags.generated = Some(GeneratedKind::Uuid);
        }),
        title: described(b.property("title", title), "Subject of the note."),
        content: b.property("content", content),
        author: b.property("authorId", author),
        archived: tagged(b.property("archived", boolean), |tags| {
            tags.default = Some(DefaultValue::Literal(LiteralValue::Boolean(false)));
        }),
        created: now(b.property("createdAt", date)),
        updated: tagged(now(b.property("updatedAt", date)), |tags| {
            tags.on_update_now = true;
        }),
    }
}
