//! One operation a route.

use heck::{ToLowerCamelCase, ToUpperCamelCase};
use indexmap::{IndexMap, IndexSet};
use kit_ir::{Program, Property, Route, Slot, Throws};

use super::document::{Operation, Parameter, RequestBody, Response, Tag, json_content};
use crate::Context;
use crate::json_schema::{Direction, Schema, Schemas};

/// Makes operations.
pub(crate) struct Operations<'a> {
    context: Context<'a>,
    error_name: String,
    ids: IndexMap<String, String>,
}

impl<'a> Operations<'a> {
    pub(crate) fn new(context: Context<'a>) -> Self {
        let program = context.program;
        // A type of the program may be named like the envelope.
        let mut error_name = "Error".to_owned();
        while context.analysis.declares(&error_name) {
            error_name.insert_str(0, "Kit");
        }
        Self {
            context,
            error_name,
            ids: operation_ids(program),
        }
    }

    /// The component name of the error envelope.
    pub(crate) fn error_name(&self) -> &str {
        &self.error_name
    }

    /// The `operationId` of a route.
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
                content: json_content(input.reference(id)),
            }),
            responses: self.responses(route),
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
        let wildcard = route
            .path
            .rsplit('/')
            .next()
            .and_then(|last| last.strip_prefix('*'));
        route
            .parameters
            .iter()
            .filter_map(|name| {
                let property = declared.iter().find(|property| property.name == *name)?;
                let note = (wildcard == Some(name.as_str()))
                    .then_some("Takes the rest of the path, slashes included.");
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
                .map(|id| json_content(output.reference(id)))
                .unwrap_or_default(),
        };
        let mut responses = IndexMap::from([(route.status.to_string(), success)]);
        let mut errors: IndexMap<u16, IndexSet<String>> = IndexMap::new();
        let reads = [Slot::Params, Slot::Query, Slot::Body];
        if reads.into_iter().any(|slot| route.slots.get(slot).is_some()) {
            errors.entry(400).or_default().insert(described(
                "VALIDATION_ERROR",
                Some("the input does not fit the contract"),
            ));
        }
        if route.slots.body.is_some() {
            errors
                .entry(413)
                .or_default()
                .insert(described("PAYLOAD_TOO_LARGE", Some("the body is too large")));
            errors
                .entry(415)
                .or_default()
                .insert(described("UNSUPPORTED_MEDIA_TYPE", Some("the body is not JSON")));
        }
        for Throws {
            code,
            status,
            description,
        } in &route.throws
        {
            errors
                .entry(*status)
                .or_default()
                .insert(described(code, description.as_deref()));
        }
        errors.sort_keys();
        for (status, codes) in errors {
            let description: Vec<_> = codes.into_iter().collect();
            responses.insert(status.to_string(), self.error(description.join("; ")));
        }
        responses.insert("default".to_owned(), self.error("Any other error".to_owned()));
        responses
    }

    fn error(&self, description: String) -> Response {
        Response {
            description,
            content: json_content(Schema {
                reference: Some(format!("#/components/schemas/{}", self.error_name)),
                ..Schema::default()
            }),
        }
    }
}

/// The document's tags, in order of first use.
pub(crate) fn tags(routes: &[&Route]) -> Vec<Tag> {
    let names: IndexSet<_> = routes.iter().flat_map(|route| tags_of(route)).collect();
    names.into_iter().map(|name| Tag { name }).collect()
}

/// A path with its parameters as OpenAPI writes them; a wildcard, which OpenAPI does not know, as one parameter.
pub(crate) fn path_template(path: &str) -> String {
    let segments: Vec<_> = path
        .split('/')
        .map(|segment| match segment.strip_prefix([':', '*']) {
            Some(name) => format!("{{{name}}}"),
            None => segment.to_owned(),
        })
        .collect();
    segments.join("/")
}

fn described(code: &str, description: Option<&str>) -> String {
    // Several are joined with semicolons, so none ends as a sentence does.
    let description = description.map(|text| text.trim_end_matches('.'));
    description.map_or_else(|| format!("`{code}`"), |text| format!("`{code}`: {text}"))
}

/// The tags of a route; where it has none, its group without the word `Routes`.
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

/// Unique ids, from the method and what the path names: `getNotesById`.
fn operation_ids(program: &Program) -> IndexMap<String, String> {
    let mut taken = IndexSet::new();
    let mut ids = IndexMap::new();
    for route in &program.routes {
        let words: Vec<_> = route
            .path
            .split('/')
            .map(|segment| match segment.strip_prefix([':', '*']) {
                Some(name) => format!("By{}", name.to_upper_camel_case()),
                None => segment.to_upper_camel_case(),
            })
            .collect();
        let base = format!("{}{}", route.method.name().to_lowercase(), words.concat());
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
