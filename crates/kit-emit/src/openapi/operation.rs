//! Emits one OpenAPI operation per route.

use heck::ToLowerCamelCase;
use indexmap::{IndexMap, IndexSet};
use kit_ir::{DeclarationId, Program, Property, Route, RoutePath, Security, Slot};
use serde_json::{Value, json};

use super::document::{Example, MediaType, Operation, Parameter, RequestBody, Response, Tag, json_content};
use super::security::SecuritySchemes;
use crate::context::Context;
use crate::direction::Direction;
use crate::json_schema::{Schema, Schemas};
use crate::samples::{Purpose, SampleOptions, Samples};

/// Maximum length of an example of a body, in bytes of JSON.
const LONGEST_EXAMPLE: usize = 2000;

/// Creates operations.
pub(crate) struct Operations<'a> {
    context: Context<'a>,
    error_name: String,
    ids: IndexMap<String, String>,
    schemes: SecuritySchemes<'a>,
}

impl<'a> Operations<'a> {
    pub(crate) fn new(context: Context<'a>) -> Self {
        let program = context.program;
        // The program may declare a type `Error`, so the component of error responses may need another name.
        let mut error_name = "Error".to_owned();
        while context.analysis.declares(&error_name) {
            error_name.insert_str(0, "Kit");
        }
        Self {
            context,
            error_name,
            ids: operation_ids(program),
            schemes: SecuritySchemes::new(program),
        }
    }

    /// Returns the name of the component that describes error responses.
    pub(crate) fn error_name(&self) -> &str {
        &self.error_name
    }

    /// Returns the security schemes of all routes.
    pub(crate) fn into_schemes(self) -> SecuritySchemes<'a> {
        self.schemes
    }

    /// Returns the names of the security schemes that these requirements contain.
    pub(crate) fn names_of(&self, security: &[Vec<Security>]) -> Vec<&str> {
        let asked = security.iter().flatten();
        asked.map(|asked| self.schemes.name(&asked.scheme)).collect()
    }

    /// Returns true if a route is known to require no authentication. If the route has middleware, this is known only if
    /// some middleware of the project declares its requirements.
    pub(crate) fn is_open(&self, route: &Route) -> bool {
        route.security.is_empty() && (route.middleware.is_empty() || !self.schemes.is_empty())
    }

    /// Returns the `operationId` of a route.
    pub(crate) fn id(&self, route: &Route) -> &str {
        self.ids.get(&route.reference()).map_or("", String::as_str)
    }

    pub(crate) fn operation(&self, route: &Route) -> Operation {
        let input = self.context.schemas(Direction::Input);
        let mut parameters = self.parameters(route, Slot::Params, input);
        parameters.extend(self.parameters(route, Slot::Query, input));
        Operation {
            id: self.id(route).to_owned(),
            tags: tags_of(route),
            summary: route.summary.clone(),
            description: route.documentation.description.clone(),
            deprecated: route.documentation.deprecated.is_some().then_some(true),
            parameters,
            request_body: route.slots.body.map(|id| RequestBody {
                required: true,
                content: json_content(input.reference(id), self.example(id, Purpose::Request)),
            }),
            responses: self.responses(route),
            security: match route.security.as_slice() {
                [] => self.is_open(route).then(Vec::new),
                asked => Some(self.schemes.requirements(asked)),
            },
        }
    }

    fn parameters(&self, route: &Route, slot: Slot, schemas: Schemas<'_>) -> Vec<Parameter> {
        let program = self.context.program;
        let declared = route
            .slots
            .get(slot)
            .map_or(&[][..], |id| program.properties(program.declarations[id].r#type));
        if slot == Slot::Query {
            return declared
                .iter()
                .map(|property| parameter(property, "query", None, schemas))
                .collect();
        }
        let wildcard = route.path.wildcard();
        route
            .parameters
            .iter()
            .filter_map(|name| {
                let property = declared.iter().find(|property| property.name == *name)?;
                let note = (wildcard == Some(name.as_str()))
                    .then_some("Matches the rest of the path, including slashes.");
                Some(parameter(property, "path", note, schemas))
            })
            .collect()
    }

    fn responses(&self, route: &Route) -> IndexMap<String, Response> {
        let output = self.context.schemas(Direction::Output);
        let success = Response {
            description: success_description(route.status).to_owned(),
            content: route
                .slots
                .response
                .map(|id| json_content(output.reference(id), self.example(id, Purpose::Response)))
                .unwrap_or_default(),
        };
        let mut responses = IndexMap::from([(route.status.to_string(), success)]);
        let mut errors: IndexMap<u16, Vec<Failure<'_>>> = IndexMap::new();
        let mut add = |status: u16, code, description, declared| {
            let known = errors.entry(status).or_default();
            if !known.iter().any(|failure| failure.code == code) {
                known.push(Failure {
                    code,
                    description,
                    declared,
                });
            }
        };
        let reads = [Slot::Params, Slot::Query, Slot::Body];
        if reads.into_iter().any(|slot| route.slots.get(slot).is_some()) {
            let why = "the input does not fit the contract";
            add(400, "VALIDATION_ERROR", Some(why), false);
        }
        if route.slots.body.is_some() {
            add(413, "PAYLOAD_TOO_LARGE", Some("the body is too large"), false);
            add(415, "UNSUPPORTED_MEDIA_TYPE", Some("the body is not JSON"), false);
        }
        for error in &route.throws {
            add(error.status, &error.code, error.description.as_deref(), true);
        }
        errors.sort_keys();
        for (status, failures) in errors {
            let descriptions: Vec<_> = failures.iter().map(Failure::described).collect();
            let declared = failures.iter().filter(|failure| failure.declared);
            let examples = declared.map(|failure| (failure.code.to_owned(), failure.example()));
            let response = self.error(descriptions.join("; "), examples.collect());
            responses.insert(status.to_string(), response);
        }
        let other = self.error("Any other error".to_owned(), IndexMap::new());
        responses.insert("default".to_owned(), other);
        responses
    }

    /// Returns an example of a complete body. Its values come from `@example` tags, or are generated.
    fn example(&self, id: DeclarationId, purpose: Purpose) -> Option<Value> {
        let program = self.context.program;
        let wanted = SampleOptions::named("value").inside(id).purpose(purpose);
        let value = Samples { program }.sample(program.declarations[id].r#type, &wanted)?;
        // Leave out a long example: it helps no reader, and every document with the route would contain a copy.
        (value.to_string().len() <= LONGEST_EXAMPLE).then_some(value)
    }

    fn error(&self, description: String, examples: IndexMap<String, Example>) -> Response {
        let schema = Schema {
            reference: Some(format!("#/components/schemas/{}", self.error_name)),
            ..Schema::default()
        };
        Response {
            description,
            content: IndexMap::from([("application/json", MediaType { schema, examples })]),
        }
    }
}

/// An error that a response with a given status may contain.
struct Failure<'a> {
    code: &'a str,
    description: Option<&'a str>,
    /// True if the project declares the error, false if it is an error of kit itself.
    declared: bool,
}

impl Failure<'_> {
    fn described(&self) -> String {
        // Descriptions are joined with semicolons, so the final period is removed.
        let description = self.description.map(|text| text.trim_end_matches('.'));
        description.map_or_else(
            || format!("`{}`", self.code),
            |text| format!("`{}`: {text}", self.code),
        )
    }

    /// Returns an example of the response body for this error.
    fn example(&self) -> Example {
        let message = self.description.unwrap_or(self.code);
        // The example of a trace id in W3C Trace Context, section 3.2.2.
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
        Example {
            value: json!({ "error": { "code": self.code, "message": message, "traceId": trace } }),
        }
    }
}

/// Returns the document's tags in order of first use. A tag that only one group uses has the description of the group.
pub(crate) fn tags(program: &Program, routes: &[&Route]) -> Vec<Tag> {
    let mut groups: IndexMap<String, IndexSet<&str>> = IndexMap::new();
    for route in routes {
        for tag in tags_of(route) {
            groups.entry(tag).or_default().insert(&route.group);
        }
    }
    let described = |groups: &IndexSet<&str>| {
        let [name] = groups.iter().collect::<Vec<_>>()[..] else {
            return None;
        };
        let group = program.groups.iter().find(|group| group.name == **name)?;
        group.documentation.description.clone()
    };
    groups
        .into_iter()
        .map(|(name, groups)| Tag {
            name,
            description: described(&groups),
        })
        .collect()
}

/// Returns a path pattern in OpenAPI's syntax. OpenAPI has no wildcards, so a wildcard becomes a parameter.
pub(crate) fn path_template(path: &RoutePath) -> String {
    path.with_parameters(|name| format!("{{{name}}}"))
}

/// Returns the tags of a route. The default is the name of its group without `Routes`.
fn tags_of(route: &Route) -> Vec<String> {
    if !route.tags.is_empty() {
        return route.tags.clone();
    }
    let group = route.group.strip_suffix("Routes").filter(|name| !name.is_empty());
    vec![group.unwrap_or(&route.group).to_owned()]
}

fn parameter(
    property: &Property,
    location: &'static str,
    note: Option<&str>,
    schemas: Schemas<'_>,
) -> Parameter {
    let mut schema = schemas.property(property);
    let described = schema
        .description
        .take()
        .into_iter()
        .chain(note.map(str::to_owned));
    let description: Vec<_> = described.collect();
    Parameter {
        name: property.name.clone(),
        location,
        description: (!description.is_empty()).then(|| description.join("\n\n")),
        required: location == "path" || !property.optional_in_input(),
        deprecated: schema.deprecated.take(),
        schema,
    }
}

fn success_description(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        202 => "Accepted",
        203 => "Non-Authoritative Information",
        204 => "No Content",
        205 => "Reset Content",
        206 => "Partial Content",
        _ => "Success",
    }
}

/// Returns a unique `operationId` for each route, made from the method and the segments of its path. Example:
/// `getNotesById`.
fn operation_ids(program: &Program) -> IndexMap<String, String> {
    let mut taken = IndexSet::new();
    let mut ids = IndexMap::new();
    for route in &program.routes {
        let name = route.path.name(heck::ToUpperCamelCase::to_upper_camel_case);
        let base = format!("{}{name}", route.method.name().to_lowercase());
        let base = base.to_lower_camel_case();
        let mut id = base.clone();
        let mut number = 2;
        while !taken.insert(id.clone()) {
            id = format!("{base}{number}");
            number += 1;
        }
        ids.insert(route.reference(), id);
    }
    ids
}
