//! Types that differ between request and response, and names that the two forms compete for.

use kit_ir::{DeclarationId, DefaultValue, LiteralValue, Method, Program, RouteSlots, TypeKind};

use super::{Builder, tagged};

/// Returns the program with types whose forms in requests and responses differ.
pub fn program() -> Program {
    let mut b = Builder::new("src/directions.types.ts");
    // Both forms of a type, and another type with the default name of the request's form.
    let note = differing(&mut b, "Note");
    let note_input = differing(&mut b, "NoteInput");
    // Another type has the default name of the response's form.
    let task_input = differing(&mut b, "TaskInput");
    let string = b.string();
    let title = b.property("title", string);
    b.interface("TaskOutput", vec![title]);
    // Another type also has the name with the first number.
    let draft = differing(&mut b, "Draft");
    b.interface("DraftInput", Vec::new());
    b.interface("DraftInput2", Vec::new());
    // Differs only by the types that it refers to.
    let (to_note, to_note_input) = (b.reference(note), b.reference(note_input));
    let notes = b.array(to_note);
    let properties = vec![b.property("notes", notes), b.property("input", to_note_input)];
    let folder = b.interface("Folder", properties);
    // A type that is equal in both directions, and a type that is used in one direction only.
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

/// Declares a type with a default, which a request may omit.
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
