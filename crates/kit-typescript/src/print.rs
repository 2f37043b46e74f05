//! The IR as TypeScript text with rules and doc tags as comments, for messages and tests.

use std::fmt::Write as _;

use kit_analysis::{TypePrinter, literal_source, rule_tags, string_literal};
use kit_ir::{
    BodyFormat, Constraints, DeclarationId, DefaultValue, Digits, GeneratedKind, ObjectType, Program,
    Property, Route, Slot, TypeId, TypeKind,
};

/// Returns a type as TypeScript, without its rules. Named types are written as their names.
pub(crate) fn type_text(program: &Program, id: TypeId) -> String {
    MessagePrinter {
        program,
        constraints: false,
    }
    .part(id)
}

/// Returns a type as TypeScript, with its rules as comments.
pub(crate) fn constrained_text(program: &Program, id: TypeId) -> String {
    MessagePrinter {
        program,
        constraints: true,
    }
    .part(id)
}

/// Returns a program as text: its declarations, then its entities, then its routes, with one line for each
/// property.
///
/// ```
/// use kit_ir::Program;
///
/// assert_eq!(kit_typescript::program_text(&Program::default()), "");
/// ```
pub fn program_text(program: &Program) -> String {
    let printer = MessagePrinter {
        program,
        constraints: true,
    };
    let mut text = String::new();
    for declaration in &program.declarations {
        let body = match &program.types[declaration.r#type].kind {
            TypeKind::Object(object) => printer.lines(object),
            _ => printer.part(declaration.r#type),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "type {} = {body}", declaration.name);
    }
    for entity in &program.entities {
        let owner = entity.owner.as_ref();
        let mut owner = owner.map_or_else(String::new, |owner| format!(" owner {owner}"));
        if let Some(property) = &entity.tenant {
            let _ = write!(owner, " tenant {property}");
        }
        let _ = writeln!(
            text,
            "entity {} = table {}{owner}",
            program.declarations[entity.declaration].name, entity.table
        );
    }
    for route in &program.routes {
        let _ = write!(text, "route {} {}", route.reference(), route.status);
        for slot in Slot::ALL {
            if let Some(declaration) = route.slots.get(slot) {
                let _ = write!(
                    text,
                    " {}: {}",
                    slot.name(),
                    program.declarations[declaration].name
                );
            }
        }
        text.push_str(&contract_text(program, route));
        if !route.middleware.is_empty() {
            let _ = write!(text, " [{}]", route.middleware.join(", "));
        }
        if let Some(handler) = &route.handler {
            let _ = write!(
                text,
                " -> {}:{} {}",
                program.path(handler.span),
                handler.span.line,
                handler.export
            );
        }
        text.push('\n');
    }
    text
}

/// Returns the replies, the errors, the limits and the operation of a route. Errors without details are left
/// out, because most routes only inherit them from middleware.
fn contract_text(program: &Program, route: &Route) -> String {
    let mut text = String::new();
    let name = |id: DeclarationId| program.declarations[id].name.as_str();
    let format = |format: &BodyFormat| format_text(program, format);
    if !route.body_format.is_json() {
        let _ = write!(text, " body as {}", format(&route.body_format));
    }
    if !route.response_format.is_json() {
        let _ = write!(text, " response as {}", format(&route.response_format));
    }
    if route.is_list {
        text.push_str(" list");
    }
    for reply in &route.replies {
        let _ = write!(text, " reply {}", reply.status);
        if !reply.format.is_json() {
            let _ = write!(text, " as {}", format(&reply.format));
        }
        if let Some(body) = reply.body {
            let _ = write!(text, " {}", name(body));
        }
        if let Some(headers) = reply.headers {
            let _ = write!(text, " headers {}", name(headers));
        }
    }
    for wrapper in &route.wrappers {
        let _ = write!(text, " wrapper {}", wrapper.name);
        for reply in &wrapper.replies {
            let _ = write!(text, " reply {}", reply.status);
        }
    }
    for error in &route.throws {
        if let Some(details) = error.details {
            let _ = write!(text, " error {} {} {}", error.status, error.code, name(details));
        }
    }
    if let Some(operation) = &route.operation {
        let _ = write!(text, " operation {operation}");
    }
    if let Some(subprotocols) = &route.subprotocols {
        let mark = if subprotocols.optional { "?" } else { "" };
        let _ = write!(text, " protocols{mark} {}", subprotocols.names.join(" "));
    }
    if let Some(bytes) = route.limits.body_bytes {
        let _ = write!(text, " body {bytes} bytes");
    }
    if let Some(time) = route.limits.timeout_ms {
        let _ = write!(text, " timeout {time} ms");
    }
    if let Some(rate) = route.limits.body_min_bytes_per_second {
        let _ = write!(text, " at least {rate} bytes/s");
    }
    if let Some(time) = route.limits.socket_ping_ms {
        let _ = write!(text, " ping {time} ms");
    }
    if let Some(compression) = route.limits.socket_compression {
        let _ = write!(text, " compression {compression}");
    }
    text
}

/// Returns a format of a body as text, such as `Multipart photo: File (at most 1024 bytes, image/png)`.
fn format_text(program: &Program, format: &BodyFormat) -> String {
    let mut parts = vec![format.name().to_owned()];
    match format {
        BodyFormat::Multipart { files } => parts.extend(files.iter().map(|file| {
            let optional = if file.optional { "?" } else { "" };
            let mut rules: Vec<String> = Vec::new();
            rules.extend(file.min_items.map(|count| format!("at least {count}")));
            rules.extend(file.max_items.map(|count| format!("at most {count}")));
            rules.extend(file.max_bytes.map(|bytes| format!("at most {bytes} bytes")));
            rules.extend(file.media_types.iter().cloned());
            let rules = if rules.is_empty() {
                String::new()
            } else {
                format!(" ({})", rules.join(", "))
            };
            format!("{}{optional}: {}{rules}", file.name, file.type_name())
        })),
        BodyFormat::Raw { .. }
        | BodyFormat::Chunks { .. }
        | BodyFormat::Text { .. }
        | BodyFormat::Bytes { .. } => {
            parts.extend(format.media_types().into_iter().map(str::to_owned));
        }
        BodyFormat::Events { events } => parts.extend(events.iter().map(|event| match event.data {
            Some(data) => format!("{}: {}", event.name, program.declarations[data].name),
            None => event.name.clone(),
        })),
        BodyFormat::OneOf { choices } => {
            let choices = choices.iter().map(|choice| {
                let body = choice
                    .body
                    .map(|id| format!(" {}", program.declarations[id].name));
                let format = format_text(program, &choice.format);
                format!("{format}{}", body.unwrap_or_default())
            });
            parts.push(choices.collect::<Vec<_>>().join(" | "));
        }
        BodyFormat::Socket { text, bytes } => {
            let others = [("Text", text), ("Bytes", bytes)].into_iter();
            let others = others.filter(|(_, is_there)| **is_there);
            parts.extend(others.map(|(name, _)| name.to_owned()));
        }
        BodyFormat::Json | BodyFormat::Form | BodyFormat::Lines => {}
    }
    parts.join(" ")
}

/// Prints types as the project declares them, for messages. Generated code needs other text for some types,
/// such as wider index signatures, which `kit-emit` prints.
struct MessagePrinter<'a> {
    program: &'a Program,
    /// True to print rules and doc tags as comments.
    constraints: bool,
}

impl TypePrinter for MessagePrinter<'_> {
    fn program(&self) -> &Program {
        self.program
    }

    fn object(&self, object: &ObjectType) -> String {
        let members = self.members(object);
        if members.is_empty() {
            "{}".to_owned()
        } else {
            format!("{{ {} }}", members.join("; "))
        }
    }

    /// Returns the text of a type, with its rules.
    fn part(&self, id: TypeId) -> String {
        let mut text = match self.program.types[id].constraints.digits {
            Some(Digits { precision, scale }) => format!("Decimal<{precision}, {scale}>"),
            None => self.text(id),
        };
        if self.constraints {
            let rules = rules(&self.program.types[id].constraints);
            if !rules.is_empty() {
                let _ = write!(text, " /* {} */", rules.join(" "));
            }
        }
        text
    }
}

impl MessagePrinter<'_> {
    fn lines(&self, object: &ObjectType) -> String {
        let mut text = "{\n".to_owned();
        for member in self.members(object) {
            let _ = writeln!(text, "  {member};");
        }
        text + "}"
    }

    fn members(&self, object: &ObjectType) -> Vec<String> {
        let mut members: Vec<String> = object
            .properties
            .iter()
            .map(|property| self.property(property))
            .collect();
        for signature in &object.index {
            let key = self.index_key(&signature.key);
            members.push(format!("[key: {key}]: {}", self.part(signature.value)));
        }
        members
    }

    fn property(&self, property: &Property) -> String {
        let tags = if self.constraints {
            tags(property)
        } else {
            Vec::new()
        };
        let comment = if tags.is_empty() {
            String::new()
        } else {
            format!("/* {} */ ", tags.join(" "))
        };
        let optional = if property.optional { "?" } else { "" };
        format!(
            "{comment}{}{optional}: {}",
            key_text(&property.name),
            self.part(property.r#type)
        )
    }
}

/// Returns a property name as TypeScript writes it: in quotes if it is not an identifier.
pub(crate) fn key_text(name: &str) -> String {
    if is_identifier(name) {
        name.to_owned()
    } else {
        string_literal(name)
    }
}

/// Returns true if a text is an identifier of TypeScript. Letters outside of ASCII are allowed.
pub(crate) fn is_identifier(text: &str) -> bool {
    let is_letter = |letter: char| letter.is_alphabetic() || matches!(letter, '_' | '$');
    text.starts_with(is_letter)
        && text
            .chars()
            .all(|letter| is_letter(letter) || letter.is_numeric())
}

/// Returns each rule as a doc tag, such as `@maxLength 10`.
pub(crate) fn rules(rules: &Constraints) -> Vec<String> {
    let mut texts = rule_tags(rules);
    if rules.is_bigint_column() {
        texts.push("64 bits".to_owned());
    }
    texts
}

fn tags(property: &Property) -> Vec<String> {
    let tags = &property.tags;
    let mut texts = Vec::new();
    let mut add = |present: bool, text: String| {
        if present {
            texts.push(text);
        }
    };
    add(tags.id, "@id".to_owned());
    if let Some(kind) = tags.generated {
        let kind = match kind {
            GeneratedKind::Uuid => " uuid",
            GeneratedKind::UuidV7 => " uuidv7",
            GeneratedKind::Now => " now",
            GeneratedKind::Unspecified => "",
        };
        add(true, format!("@generated{kind}"));
    }
    add(tags.on_update_now, "@onUpdate now".to_owned());
    if let Some(stored) = tags.stored_as {
        let name = tags.enum_type.as_ref().map(|name| format!(" {name}"));
        add(
            true,
            format!("@storedAs {}{}", stored.name(), name.unwrap_or_default()),
        );
    }
    if let Some(default) = &tags.default {
        let value = match default {
            DefaultValue::Literal(value) => literal_source(value),
            DefaultValue::Null => "null".to_owned(),
            DefaultValue::Json(text) => text.clone(),
            DefaultValue::Now => "now".to_owned(),
        };
        add(true, format!("@default {value}"));
    }
    add(tags.unique, "@unique".to_owned());
    add(tags.index, "@index".to_owned());
    add(tags.no_index, "@index none".to_owned());
    for index in &tags.indexes {
        add(true, index.to_string());
    }
    for check in &tags.checks {
        add(true, format!("@check {check}"));
    }
    add(tags.sensitive, "@sensitive".to_owned());
    if let Some(target) = &tags.references {
        add(
            true,
            format!(
                "@references {}.{}{}",
                target.entity, target.property, target.actions
            ),
        );
    }
    if let Some(column) = &tags.column {
        add(true, format!("@column {column}"));
    }
    if let Some(former) = &tags.renamed_from {
        add(true, format!("@renamedFrom {former}"));
    }
    add(
        property.documentation.deprecated.is_some(),
        "@deprecated".to_owned(),
    );
    texts
}
