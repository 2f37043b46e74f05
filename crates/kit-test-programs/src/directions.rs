//! Types whose schema differs between request and response, and types whose names collide with the
//! names that kit creates for them.

use kit_ir::{DeclarationId, DefaultValue, LiteralValue, Method, Program, RouteSlots, TypeKind};

use super::{Builder, tagged};

/// Returns the program with types whose forms in requests and responses differ.
pub fn program() -> Program {
    let mut b = Builder::new("src/directions.types.ts");
    // `Note` and its request component, and another type that already has the name `NoteInput`.
    let note = differing(&mut b, "Note");
    let note_input = differing(&mut b, "NoteInput");
    // Another type already has the name `TaskOutput`, which the response component would get.
    let task_input = differing(&mut b, "TaskInput");
    let string = b.string();
    let title = b.property("title", string);
    b.interface("TaskOutput", vec![title]);
    // Two other types already have the names `DraftInput` and `DraftInput2`.
    let draft = differing(&mut b, "Draft");
    b.interface("DraftInput", Vec::new());
    b.interface("DraftInput2", Vec::new());
    // `Folder` itself does not differ, but the types to which it refers do.
    let (to_note, to_note_input) = (b.reference(note), b.reference(note_input));
    let notes = b.array(to_note);
    let properties = vec![b.property("notes", notes), b.property("input", to_note_input)];
    let folder = b.interface("Folder", properties);
    // `Label` is equal in both directions. `SentInput` is used in requests only.
    let title = b.property("title", string);
    let label = b.interface("Label", vec![title]);
    let sent = differing(&mut b, "SentInput");

    b.file("src/directions.routes.ts");
    let both = [
        ("/notes", note),
        ("/note-inputs", note_input),
        ("/tasks", task_input),
        ("/drafts", draft),
        ("/folders", folder),
        ("/labels", label),
    ];
    for (path, id) in both {
        route(&mut b, path, id, Some(id));
    }
    route(&mut b, "/sent", sent, None);
    b.program
}

/// Declares a type with a default value. A request may omit the property, and a response always contains it.
fn differing(b: &mut Builder, name: &str) -> DeclarationId {
    let (string, boolean) = (b.string(), b.kind(TypeKind::Boolean));
    let done = tagged(b.property("done", boolean), |tags| {
        tags.default = Some(DefaultValue::Literal(LiteralValue::Boolean(false)));
    });
    let title = b.property("title", string);
    b.interface(name, vec![title, done])
}

fn route(b: &mut Builder, path: &str, body: DeclarationId, response: Option<DeclarationId>) {
    let slots = RouteSlots {
        body: Some(body),
        response,
        ..RouteSlots::default()
    };
    let route = b.route(Method::Post, path, "DirectionRoutes", slots);
    b.program.routes.push(route);
}
