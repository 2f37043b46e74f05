//! Types that differ as request and as response, and the names that their two forms compete for.

use kit_ir::{DeclarationId, DefaultValue, LiteralValue, Method, Program, RouteSlots, TypeKind};

use super::{Builder, tagged};

pub fn program() -> Program {
    let mut b = Builder::new("src/directions.types.ts");
    // Both forms of one type, and a type of the project that has the name which the request's form would get.
    let note = differing(&mut b, "Note");
    let note_input = differing(&mut b, "NoteInput");
    // The response's form would get the name of another type.
    let task_input = differing(&mut b, "TaskInput");
    let string = b.string();
    let title = b.property("title", string);
    b.interface("TaskOutput", vec![title]);
    // A number is taken as well.
    let draft = differing(&mut b, "Draft");
    b.interface("DraftInput", Vec::new());
    b.interface("DraftInput2", Vec::new());
    // Differs by what it holds only.
    let (to_note, to_note_input) = (b.reference(note), b.reference(note_input));
    let notes = b.array(to_note);
    let properties = vec![b.property("notes", notes), b.property("input", to_note_input)];
    let folder = b.interface("Folder", properties);
    // Alike in both directions, and different in one direction alone.
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

/// A type whose request may leave out what its response has.
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
