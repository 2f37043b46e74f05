//! Checks of routes that need the IR of their types: the parameters of the path, the names and types of values
//! that are text, and the names of operations.

use kit_analysis::{is_json_part, is_text};
use kit_diagnostics::{Code, Diagnostic, codes};
use kit_ir::{BodyFormat, DeclarationId, EnvironmentVariables, Program, Route, TypeId, TypeKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::declared::{location, properties};
use super::{cursors, data_only, fields};
use crate::lower::Lowering;
use crate::modules::Location;
use crate::print::{key_text, type_text};

/// Part of a contract whose values are text on the wire: params, query, headers or cookies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum TextPart {
    Params,
    Query,
    Headers,
    Cookies,
    Form,
    Multipart,
    ReplyHeaders(u16),
}

impl TextPart {
    /// Returns the words by which messages name the part, such as `query`.
    fn name(self) -> String {
        match self {
            Self::Params => "params".to_owned(),
            Self::Query => "query".to_owned(),
            Self::Headers => "headers".to_owned(),
            Self::Cookies => "cookies".to_owned(),
            Self::Form => "form".to_owned(),
            Self::Multipart => "multipart body".to_owned(),
            Self::ReplyHeaders(status) => format!("headers of the reply {status}"),
        }
    }

    /// Returns true if a value may be a list.
    fn has_lists(self) -> bool {
        !matches!(self, Self::Params | Self::Cookies)
    }

    /// Returns the mistake in a name that the contract declares in this part. Returns `None` if the name is
    /// allowed.
    fn name_mistake(self, name: &str) -> Option<fields::Mistake> {
        match self {
            Self::Params | Self::Query | Self::Form | Self::Multipart => None,
            Self::Headers => fields::request_header(name),
            Self::Cookies => fields::cookie(name),
            Self::ReplyHeaders(_) => fields::reply_header(name),
        }
    }

    /// Returns true if the values of a property are secrets. kit treats them as values with `@sensitive`.
    fn is_secret(self, name: &str) -> bool {
        match self {
            Self::Params | Self::Query | Self::Form | Self::Multipart => false,
            Self::Headers => name == "authorization",
            Self::Cookies => true,
            Self::ReplyHeaders(_) => name == "set-cookie",
        }
    }
}

/// Returns the parts of a route whose values are text on the wire, with their types.
fn text_parts(route: &Route) -> Vec<(TextPart, DeclarationId)> {
    let slots = [
        (TextPart::Params, route.slots.params),
        (TextPart::Query, route.slots.query),
        (TextPart::Headers, route.slots.headers),
        (TextPart::Cookies, route.slots.cookies),
    ];
    let bodies = route.body_format.choices(route.slots.body).into_iter();
    let bodies = bodies.filter_map(|choice| match choice.format {
        BodyFormat::Form => Some((TextPart::Form, choice.body)),
        BodyFormat::Multipart { .. } => Some((TextPart::Multipart, choice.body)),
        _ => None,
    });
    let replies = route
        .declared_replies()
        .map(|reply| (TextPart::ReplyHeaders(reply.status), reply.headers));
    slots
        .into_iter()
        .chain(bodies)
        .chain(replies)
        .filter_map(|(part, declaration)| declaration.map(|declaration| (part, declaration)))
        .collect()
}

/// Adds an error about a call of `env`.
pub(crate) fn environment_mistake(
    lowering: &mut Lowering<'_>,
    location: Location,
    message: String,
    help: &str,
) {
    let diagnostic = lowering
        .eval
        .diagnostic(codes::INVALID_ENVIRONMENT, location, message)
        .help(help);
    lowering.report(diagnostic);
}

/// Checks the type of `env`: an object whose properties are variables that text can represent.
pub(crate) fn check_environment(lowering: &mut Lowering<'_>, environment: &EnvironmentVariables) {
    const TYPES: &str =
        "use a string, number, boolean, bigint, `Date`, a union of literals, or an array of one of these";
    let at = location(environment.span);
    let program = &lowering.program;
    let found = program.declarations[environment.declaration].r#type;
    let mut mistakes: Vec<(Location, String, &str)> = Vec::new();
    match &program.types[found].kind {
        TypeKind::Object(object) => {
            if !object.index.is_empty() {
                let message = "the type of `env` may have any key".to_owned();
                mistakes.push((at, message, "name the variables: `{ PORT: number }`"));
            }
            for property in &object.properties {
                let name = &property.name;
                let at = location(property.span);
                if !is_variable_name(name) {
                    let message = format!("`{name}` is not the name of an environment variable");
                    let help =
                        "use letters, digits and underscores, and begin with a letter or an underscore";
                    mistakes.push((at, message, help));
                } else if !is_text(program, property.r#type, true) {
                    let text = type_text(program, property.r#type);
                    let message =
                        format!("text cannot be coerced to `{text}`, the type of the variable `{name}`");
                    mistakes.push((at, message, TYPES));
                }
            }
        }
        // This type stands for one with a mistake that was already reported.
        TypeKind::Unknown if lowering.diagnostics.has_errors() => {}
        _ => {
            let message = format!(
                "the type of `env` must be an object, not `{}`",
                type_text(program, found)
            );
            mistakes.push((
                at,
                message,
                "write an interface with one property for each variable",
            ));
        }
    }
    for (at, message, help) in mistakes {
        environment_mistake(lowering, at, message, help);
    }
    data_only::check_read(
        lowering,
        environment.declaration,
        "values of `env`",
        environment.span,
    );
}

/// Returns true if shells accept a name for a variable.
fn is_variable_name(name: &str) -> bool {
    let is_first = |letter: char| letter.is_ascii_alphabetic() || letter == '_';
    name.starts_with(is_first)
        && name
            .chars()
            .all(|letter| is_first(letter) || letter.is_ascii_digit())
}

/// Checks all routes of the program.
pub(crate) fn check(lowering: &mut Lowering<'_>) {
    let routes: Vec<Route> = lowering.program.routes.iter().cloned().collect();
    // Several routes may use one type, and a mistake in its names is reported once.
    let mut named = FxHashSet::default();
    for route in &routes {
        check_params(lowering, route);
        for (part, declaration) in text_parts(route) {
            check_text(lowering, route, part, declaration);
            let kind = std::mem::discriminant(&part);
            if named.insert((kind, declaration)) {
                check_names(lowering, part, declaration);
                hide_secrets(lowering, part, declaration);
            }
        }
        data_only::check(lowering, route);
        for body in route.body_types() {
            check_body(lowering, route, body);
        }
        if route.is_list {
            cursors::check(lowering, route);
        }
    }
    data_only::check_entities(lowering);
    check_operations(lowering, &routes);
}

/// Reports names of headers and cookies that a contract cannot declare.
fn check_names(lowering: &mut Lowering<'_>, part: TextPart, declaration: DeclarationId) {
    let program = &lowering.program;
    let mut problems: Vec<Diagnostic> = Vec::new();
    for property in properties(program, declaration).unwrap_or_default() {
        let mut report = |code: Code, message: String, help: &str| {
            let label = lowering.eval.graph.label(location(property.span));
            problems.push(Diagnostic::new(code, message).label(label).help(help));
        };
        if let Some((message, help)) = part.name_mistake(&property.name) {
            report(codes::INVALID_FIELD_NAME, message, &help);
        } else if matches!(part, TextPart::Headers | TextPart::ReplyHeaders(_))
            && fields::is_http_date(&property.name)
            && holds_date(program, property.r#type)
        {
            let message = format!(
                "`{}` is not a `Date` of kit, which is written in the form of ISO 8601",
                property.name
            );
            let help = "declare a string: the value looks like `Sun, 06 Nov 1994 08:49:37 GMT`, as `Date.toUTCString()` returns it";
            report(codes::UNSUPPORTED_PARAMETER_TYPE, message, help);
        }
    }
    lowering.report_all(problems);
}

fn holds_date(program: &Program, id: TypeId) -> bool {
    match &program.resolve(id).kind {
        TypeKind::Date => true,
        TypeKind::Array { element } => holds_date(program, *element),
        _ => false,
    }
}

/// Marks the properties of a type whose values are secrets, as `@sensitive` does.
fn hide_secrets(lowering: &mut Lowering<'_>, part: TextPart, declaration: DeclarationId) {
    let id = lowering.program.declarations[declaration].r#type;
    if let TypeKind::Object(object) = &mut lowering.program.types[id].kind {
        for property in &mut object.properties {
            property.tags.sensitive |= part.is_secret(&property.name);
        }
    }
}

/// Reports operations with equal names. Names that differ only in case or in `_` count as equal, because the
/// languages of generated code write names in different ways.
fn check_operations(lowering: &mut Lowering<'_>, routes: &[Route]) {
    let plain = |name: &str| name.replace('_', "").to_ascii_lowercase();
    let mut known: FxHashMap<String, &Route> = FxHashMap::default();
    for route in routes {
        let Some(name) = &route.operation else { continue };
        let Some(first) = known.get(&plain(name)) else {
            known.insert(plain(name), route);
            continue;
        };
        let mut earlier = lowering
            .graph()
            .label(location(first.span))
            .message("the first one");
        earlier.primary = false;
        let message = format!(
            "`{}` and `{}` have the same `@operation {name}`",
            first.reference(),
            route.reference()
        );
        let diagnostic = lowering
            .eval
            .diagnostic(codes::DUPLICATE_OPERATION, location(route.span), message)
            .label(earlier)
            .help("give one of the two operations another name");
        lowering.report(diagnostic);
    }
}

fn check_params(lowering: &mut Lowering<'_>, route: &Route) {
    let known: Vec<&str> = match route.slots.params {
        None => Vec::new(),
        Some(declaration) => match properties(&lowering.program, declaration) {
            Some(properties) => properties.iter().map(|property| property.name.as_str()).collect(),
            // `check_text` reports this.
            None => return,
        },
    };
    let list = |names: &[&str]| {
        names
            .iter()
            .map(|name| format!("`{name}`"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let missing: Vec<&str> = route
        .parameters
        .iter()
        .map(String::as_str)
        .filter(|name| !known.contains(name))
        .collect();
    let extra: Vec<&str> = known
        .iter()
        .copied()
        .filter(|name| !route.parameters.iter().any(|parameter| parameter == name))
        .collect();
    if missing.is_empty() && extra.is_empty() {
        return;
    }
    let message = match (missing.is_empty(), extra.is_empty()) {
        (false, true) => format!(
            "`{}` has {}, but the params of the contract do not",
            route.path,
            list(&missing)
        ),
        (true, _) => format!(
            "the params of the contract have {}, but `{}` does not",
            list(&extra),
            route.path
        ),
        (false, false) => {
            format!(
                "`{}` has {}, but the params of the contract have {}",
                route.path,
                list(&missing),
                list(&extra)
            )
        }
    };
    let wanted: Vec<String> = route
        .parameters
        .iter()
        .map(|name| format!("{}: string", key_text(name)))
        .collect();
    let help = if wanted.is_empty() {
        "remove the params from the contract: write `void`, or leave the slot `params` out".to_owned()
    } else {
        format!(
            "write `{{ {} }}` as the params of the contract",
            wanted.join("; ")
        )
    };
    let diagnostic = lowering
        .eval
        .diagnostic(codes::PARAMETER_MISMATCH, location(route.span), message)
        .help(help);
    lowering.report(diagnostic);
}

/// Reports params, a query, headers or cookies that cannot be read from text or written as text. These slots
/// must be objects whose properties are scalars. In a query and in headers, properties may also be arrays of
/// scalars.
fn check_text(lowering: &mut Lowering<'_>, route: &Route, part: TextPart, declaration: DeclarationId) {
    let program = &lowering.program;
    let found = program.declarations[declaration].r#type;
    let mut problems: Vec<Diagnostic> = Vec::new();
    let mut report = |at: kit_ir::Span, message: String, help: &str| {
        problems.push(
            Diagnostic::new(codes::UNSUPPORTED_PARAMETER_TYPE, message)
                .label(lowering.eval.graph.label(location(at)))
                .help(help),
        );
    };
    match &program.types[found].kind {
        TypeKind::Object(object) => {
            if !object.index.is_empty() {
                let message = format!("the {} of `{}` may have any key", part.name(), route.key);
                let help = match part {
                    TextPart::Headers | TextPart::ReplyHeaders(_) => {
                        "name the headers: `{ \"x-tenant\": string }`"
                    }
                    TextPart::Cookies => "name the cookies: `{ sid: string }`",
                    TextPart::Params | TextPart::Query => "name the keys: `{ page?: number }`",
                    TextPart::Form | TextPart::Multipart => "name the fields: `{ title: string }`",
                };
                report(route.span, message, help);
            }
            for property in &object.properties {
                let is_readable = is_text(program, property.r#type, part.has_lists())
                    || (part == TextPart::Multipart && is_json_part(program, property.r#type));
                if !is_readable {
                    let text = type_text(program, property.r#type);
                    let place = format!(
                        "the type of `{}` in the {} of `{}`",
                        property.name,
                        part.name(),
                        route.key
                    );
                    let message = if matches!(part, TextPart::ReplyHeaders(_)) {
                        format!("`{text}`, {place}, cannot be written as text")
                    } else {
                        format!("text cannot be coerced to `{text}`, {place}")
                    };
                    let help = if part == TextPart::Multipart {
                        "use a string, number, boolean, bigint, `Date`, a union of literals, an array of one of these, `File`, `File[]`, `Upload`, `Uploads`, or an object type, which is sent as JSON"
                    } else if part.has_lists() {
                        "use a string, number, boolean, bigint, `Date`, a union of literals, or an array of one of these"
                    } else {
                        "use a string, number, boolean, bigint, `Date` or a union of literals"
                    };
                    report(property.span, message, help);
                }
            }
        }
        // This type stands for one with a mistake that was already reported.
        TypeKind::Unknown if lowering.diagnostics.has_errors() => {}
        _ => {
            let text = type_text(program, found);
            let message = format!(
                "the {} of `{}` must be an object, not `{text}`",
                part.name(),
                route.key
            );
            report(route.span, message, "write an object type, or `void`");
        }
    }
    lowering.report_all(problems);
}

fn check_body(lowering: &mut Lowering<'_>, route: &Route, body: DeclarationId) {
    let Some(properties) = properties(&lowering.program, body) else {
        return;
    };
    let generated: Vec<String> = properties
        .iter()
        .filter(|property| property.tags.generated.is_some())
        .map(|property| format!("\"{}\"", property.name))
        .collect();
    if generated.is_empty() {
        return;
    }
    let declaration = &lowering.program.declarations[body];
    let name = match declaration.origin {
        kit_ir::DeclarationOrigin::Slot => "…",
        _ => declaration.name.as_str(),
    };
    let message = format!(
        "the body of `{}` has {}, which kit or the database generates",
        route.key,
        generated.join(", ")
    );
    let diagnostic = Diagnostic::warning(codes::GENERATED_IN_BODY, message)
        .label(lowering.graph().label(location(route.span)))
        .note("clients may leave these properties out; if a client sends a value, kit accepts the value")
        .help(format!(
            "write `Omit<{name}, {}>` as the body",
            generated.join(" | ")
        ));
    lowering.report(diagnostic);
}
