//! Rules of types, properties and routes as Markdown.

use std::fmt::Write as _;
use std::ops::Range;

use kit_analysis::describe;
use kit_build::{TypeName, written_tags};
use kit_ir::{Declaration, DeclarationId, Documentation, Program, Property, Route, Slot, TypeKind};

use crate::view::View;
use crate::{definition, tags};

/// Maximum number of properties or routes that a text lists.
const MAX_ITEMS: usize = 40;

/// Returns the text about the name at an offset, and the range of the name. Returns `None` if kit knows nothing about the
/// name.
pub(crate) fn hover(view: &View<'_>, offset: usize) -> Option<(String, Range<usize>)> {
    if let Some((mention, route)) = view.route_at(offset) {
        return Some((about_route(view, route), mention.range));
    }
    if let Some((name, range)) = tags::tag_at(&view.text, offset) {
        return Some((tags::about(name)?, range));
    }
    if let Some((owner, property)) = property_at(view, offset) {
        if view.is_uncertain(property.span) {
            return None;
        }
        let range = property.span.start as usize..property.span.end as usize;
        return Some((about_property(view, owner, property), range));
    }
    let files = std::sync::Arc::new(view.files.clone());
    let name = view.session.type_name(view.root, files, &view.path, offset)?;
    let program = view.program();
    let declarations = program.declarations.iter_ids();
    let declared = declarations.into_iter().find(|(_, declaration)| {
        declaration.span.start == name.start && program.path(declaration.span) == name.path
    });
    let text = match declared {
        Some((id, _)) => about_type(view, id),
        None => about_group(view, &name)?,
    };
    Some((text, name.range))
}

/// Returns the text about an interface whose properties are contracts. Returns `None` for another type.
fn about_group(view: &View<'_>, name: &TypeName) -> Option<String> {
    let program = view.program();
    let source = view.text_of(&name.path)?;
    let declared = definition::word_at(&source, name.start as usize)?;
    let routes: Vec<&Route> = program
        .routes
        .iter()
        .filter(|route| route.group == declared && program.path(route.span) == name.path)
        .collect();
    if routes.is_empty() {
        return None;
    }
    let mut text = code(&format!("interface {declared}"));
    if let Some(group) = program.groups.iter().find(|group| group.name == declared) {
        describe_documentation(&mut text, &group.documentation);
    }
    text.push('\n');
    for route in routes.iter().take(MAX_ITEMS) {
        let _ = write!(text, "- {}", inline(&route.reference()));
        if let Some(summary) = &route.summary {
            let _ = write!(text, " {summary}");
        }
        text.push('\n');
    }
    more(&mut text, routes.len());
    Some(text)
}

/// Adds a line with the number of items that a list of this length leaves out, if any.
fn more(text: &mut String, length: usize) {
    let left_out = length.checked_sub(MAX_ITEMS);
    if let Some(left_out) = left_out.filter(|count| *count > 0) {
        let _ = writeln!(text, "- … and {left_out} more");
    }
}

/// Returns the property whose name is at an offset, with the declaration that contains the property, if any.
fn property_at<'a>(view: &View<'a>, offset: usize) -> Option<(Option<&'a Declaration>, &'a Property)> {
    let program = view.program();
    let here = |property: &&Property| view.contains(property.span, offset);
    // The properties of a declaration in this file come first: other types may have the same property, such as those that
    // `Pick` makes.
    let declared = program.declarations.iter().filter(|declaration| {
        declaration.span.start as usize <= offset && program.path(declaration.span) == view.display
    });
    let declared = declared.filter_map(|declaration| {
        let property = program.properties(declaration.r#type).iter().find(here)?;
        Some((Some(declaration), property))
    });
    let anonymous = || {
        program.types.iter().find_map(|r#type| match &r#type.kind {
            TypeKind::Object(object) => object
                .properties
                .iter()
                .find(here)
                .map(|property| (None, property)),
            _ => None,
        })
    };
    declared
        .max_by_key(|(declaration, _)| declaration.map(|declaration| declaration.span.start))
        .or_else(anonymous)
}

fn code(text: &str) -> String {
    format!("```ts\n{text}\n```\n")
}

/// Returns an inline code span. Backticks in the text would end the span, so they become apostrophes.
fn inline(text: &str) -> String {
    format!("`{}`", text.replace('`', "'"))
}

fn describe_documentation(text: &mut String, documentation: &Documentation) {
    if let Some(description) = &documentation.description {
        let _ = write!(text, "\n{description}\n");
    }
    if let Some(reason) = &documentation.deprecated {
        let _ = write!(text, "\n**Deprecated** {reason}\n");
    }
}

fn about_property(view: &View<'_>, owner: Option<&Declaration>, property: &Property) -> String {
    let program = view.program();
    let mut text = code(&signature(program, property));
    describe_documentation(&mut text, &property.documentation);
    let tags = tags(program, property);
    if !tags.is_empty() {
        let _ = write!(text, "\nRules: {}\n", tags.join(" "));
    }
    let table = owner.and_then(|owner| {
        view.analysis
            .schema
            .tables
            .iter()
            .find(|table| table.entity == owner.name)
    });
    if let Some((table, column)) = table.and_then(|table| Some((table, table.column_of(&property.name)?))) {
        let nullable = if column.nullable { "" } else { " not null" };
        let column = format!("{} {}{nullable}", column.name, column.r#type);
        let _ = write!(text, "\nColumn: {} of {}\n", inline(&column), inline(&table.name));
    }
    text
}

fn signature(program: &Program, property: &Property) -> String {
    let mark = if property.optional { "?" } else { "" };
    format!("{}{mark}: {}", property.name, describe(program, property.r#type))
}

/// Returns the tags of a property, each as an inline code span. Leaves out the tags for readers.
fn tags(program: &Program, property: &Property) -> Vec<String> {
    let tags = written_tags(program, property);
    let rules = tags
        .iter()
        .filter(|tag| !tag.starts_with("@deprecated") && !tag.starts_with("@example"));
    rules.map(|tag| inline(tag)).collect()
}

fn about_type(view: &View<'_>, id: DeclarationId) -> String {
    let program = view.program();
    let declaration = &program.declarations[id];
    let properties = program.properties(declaration.r#type);
    let head = if properties.is_empty() {
        format!(
            "type {} = {}",
            declaration.name,
            describe(program, declaration.r#type)
        )
    } else {
        format!("interface {}", declaration.name)
    };
    let mut text = code(&head);
    describe_documentation(&mut text, &declaration.documentation);
    if let Some(entity) = program.entities.iter().find(|entity| entity.declaration == id) {
        let _ = write!(text, "\nTable: {}\n", inline(&entity.table));
    }
    if !properties.is_empty() {
        text.push('\n');
    }
    for property in properties
        .iter()
        .take(MAX_ITEMS)
        .filter(|property| !view.is_uncertain(property.span))
    {
        let mut line = inline(&signature(program, property));
        for tag in tags(program, property) {
            let _ = write!(line, " {tag}");
        }
        let _ = writeln!(text, "- {line}");
    }
    more(&mut text, properties.len());
    text
}

fn about_route(view: &View<'_>, route: &Route) -> String {
    let program = view.program();
    let mut text = code(&route.reference());
    if let Some(summary) = &route.summary {
        let _ = write!(text, "\n{summary}\n");
    }
    describe_documentation(&mut text, &route.documentation);
    text.push('\n');
    let name = |id: DeclarationId| inline(&type_text(program, id));
    for slot in Slot::ALL {
        if slot != Slot::Response
            && let Some(id) = route.slots.get(slot)
        {
            let _ = writeln!(text, "- {}: {}", slot.name(), name(id));
        }
    }
    for reply in route.responses() {
        let body = reply.body.map_or_else(String::new, |id| format!(" {}", name(id)));
        let _ = writeln!(text, "- {}{body}", reply.status);
    }
    for error in &route.throws {
        let details = error.description.as_deref().unwrap_or_default();
        let _ = writeln!(text, "- {} {} {details}", error.status, inline(&error.code));
    }
    if !route.middleware.is_empty() {
        let names: Vec<String> = route.middleware.iter().map(|name| inline(name)).collect();
        let _ = writeln!(text, "- middleware: {}", names.join(", "));
    }
    if !route.scopes.is_empty() {
        let choices: Vec<String> = route
            .scopes
            .iter()
            .map(|scopes| inline(&scopes.join(" ")))
            .collect();
        let _ = writeln!(text, "- scopes: {}", choices.join(" or "));
    }
    match &route.handler {
        Some(handler) => {
            let place = format!("{}:{}", program.path(handler.span), handler.span.line);
            let _ = writeln!(text, "- handler: {} in {place}", inline(&handler.export));
        }
        None => text.push_str("- handler: none\n"),
    }
    text
}

/// Returns the name of a declared type, or the type itself if the contract declares it without a name.
fn type_text(program: &Program, id: DeclarationId) -> String {
    let declaration = &program.declarations[id];
    match &declaration.origin {
        kit_ir::DeclarationOrigin::Named { export } => export.clone(),
        kit_ir::DeclarationOrigin::Instance { expression } => expression.clone(),
        kit_ir::DeclarationOrigin::Slot => describe(program, declaration.r#type),
    }
}
