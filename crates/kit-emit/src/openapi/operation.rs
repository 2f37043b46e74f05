//! Emits one OpenAPI operation per route.

use heck::ToLowerCamelCase;
use indexmap::{IndexMap, IndexSet};
use kit_ir::{DeclarationId, Program, Property, Route, SOCKET_METHOD, Security, Slot, Subprotocols};
use serde_json::Value;

use super::bodies::Bodies;
use super::document::{Header, Operation, Parameter, Response, Tag, text_schema};
use super::downloads;
use super::error_body::{self, error};
use super::failures::{Failure, Failures, is_of_kit};
use super::preconditions;
use super::security::SecuritySchemes;
use super::shared_responses;
use super::status::description;
use crate::analysis::DocumentFacts;
use crate::context::Context;
use crate::direction::Direction;
use crate::json_schema::{Items, Schema, Schemas};
use crate::samples::{Purpose, SampleOptions, Samples};
use crate::subprotocols::offered_protocols;

/// Maximum length of an example of a body, in bytes of JSON.
const LONGEST_EXAMPLE: usize = 2000;

/// Header with the subprotocols of a WebSocket (RFC 6455, section 11.3.4).
const SUBPROTOCOL: &str = "sec-websocket-protocol";

/// Headers that OpenAPI does not allow as parameters (OpenAPI 3.1, section 4.8.12), because media types and
/// security schemes describe them.
const NO_PARAMETERS: [&str; 3] = ["accept", "content-type", "authorization"];

/// Creates operations.
pub(crate) struct Operations<'a> {
    context: Context<'a>,
    error_name: String,
    facts: &'a DocumentFacts,
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
            facts: super::facts(context),
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

    /// Returns the names of all security schemes that occur in these requirements.
    pub(crate) fn names_of(&self, security: &[Vec<Security>]) -> Vec<&str> {
        let asked = security.iter().flatten();
        asked.map(|asked| self.schemes.name(&asked.scheme)).collect()
    }

    /// Returns true if a route certainly requires no authentication. If the route has middleware, this is
    /// certain only if some middleware of the project has the tag `@security`.
    pub(crate) fn is_open(&self, route: &Route) -> bool {
        route.security.is_empty() && (route.middleware.is_empty() || !self.schemes.is_empty())
    }

    /// Returns the `operationId` of a route.
    pub(crate) fn id(&self, route: &Route) -> &str {
        self.facts.ids.get(&route.reference()).map_or("", String::as_str)
    }

    /// Returns the names of the parameters in the path of a route in order.
    pub(crate) fn parameter_names(&self, route: &Route) -> &'a [String] {
        self.facts.parameter_names.of(route)
    }

    pub(crate) fn operation(&self, route: &Route) -> Operation {
        let input = self.context.schemas(Direction::Input);
        let text = Slot::INPUTS.into_iter().filter(|slot| slot.is_text());
        let parameters = text
            .flat_map(|slot| self.parameters(route, slot, input))
            .chain(route.subprotocols.as_ref().map(offered_subprotocols))
            .collect::<Vec<_>>();
        let parameters = if route.response_format.is_download() {
            downloads::with_ranges(parameters)
        } else {
            parameters
        };
        Operation {
            id: self.id(route).to_owned(),
            tags: tags_of(route),
            summary: route.summary.clone(),
            description: route.documentation.description.clone(),
            deprecated: route.documentation.deprecated.is_some().then_some(true),
            deprecated_since: route.lifecycle.deprecated_since.clone(),
            sunset: route.lifecycle.sunset.clone(),
            successor: route.lifecycle.successor.clone(),
            parameters,
            request_body: self
                .bodies()
                .request(route, |id| self.example(id, Purpose::Request)),
            responses: self.responses(route),
            security: match route.security.as_slice() {
                [] => self.is_open(route).then(Vec::new),
                asked => Some(self.schemes.requirements(asked, &route.scopes)),
            },
        }
    }

    fn bodies(&self) -> Bodies<'a> {
        Bodies {
            context: self.context,
        }
    }

    fn parameters(&self, route: &Route, slot: Slot, schemas: Schemas<'_>) -> Vec<Parameter> {
        let program = self.context.program;
        let declared = route
            .slots
            .get(slot)
            .map_or(&[][..], |id| program.properties(program.declarations[id].r#type));
        let location = match slot {
            Slot::Query => "query",
            Slot::Headers => "header",
            Slot::Cookies => "cookie",
            Slot::Params | Slot::Body | Slot::Response => "path",
        };
        if location != "path" {
            return declared
                .iter()
                .filter(|property| slot != Slot::Headers || !NO_PARAMETERS.contains(&property.name.as_str()))
                .filter(|property| route.subprotocols.is_none() || property.name != SUBPROTOCOL)
                .map(|property| parameter(property, location, None, schemas))
                .collect();
        }
        let wildcard = route.path.wildcard();
        route
            .parameters
            .iter()
            .zip(self.parameter_names(route))
            .filter_map(|(own, name)| {
                let property = declared.iter().find(|property| property.name == *own)?;
                let note = (wildcard == Some(own.as_str()))
                    .then_some("Matches the rest of the path, including slashes.");
                let name = name.clone();
                Some(Parameter {
                    name,
                    ..parameter(property, "path", note, schemas)
                })
            })
            .collect()
    }

    fn responses(&self, route: &Route) -> IndexMap<String, Response> {
        let output = self.context.schemas(Direction::Output);
        let mut responses = IndexMap::new();
        for reply in route.responses() {
            let response = Response {
                description: description(reply.status).to_owned(),
                headers: reply
                    .headers
                    .map(|id| self.headers(id, output))
                    .unwrap_or_default(),
                content: self.bodies().content(&reply.format, reply.body, output, &|id| {
                    self.example(id, Purpose::Response)
                }),
                ..Response::default()
            };
            responses.insert(reply.status.to_string(), response);
        }
        if let (Some(subprotocols), Some(response)) = (&route.subprotocols, responses.get_mut("101")) {
            let header = chosen_subprotocol(subprotocols);
            response.headers.insert(SUBPROTOCOL.to_owned(), header);
        }
        let program = self.context.program;
        let has_preconditions = preconditions::are_evaluated(program, route);
        if route.response_format.is_download() {
            downloads::add_partial(&mut responses);
        }
        if has_preconditions {
            add_not_modified(&mut responses);
        }
        let rules = program.application.error_rules();
        let reference = self.error_reference(output);
        let shares = self.shares_responses(route);
        for (status, failures) in Failures::of(route, rules, has_preconditions).by_status() {
            if let Some(name) = shared_responses::name(&failures).filter(|_| shares) {
                responses.insert(status.to_string(), Response::component(name));
                continue;
            }
            let descriptions: Vec<_> = failures.iter().map(Failure::described).collect();
            let declared = failures.iter().filter(|failure| failure.declared);
            let examples = declared.filter_map(|failure| {
                let details = match failure.details {
                    // An example without the declared details would not fit its schema.
                    Some(id) => Some(self.example(id, Purpose::Response)?),
                    None => error_body::missing_scopes(route, failure.code),
                };
                Some((failure.code.to_owned(), failure.example(rules, status, details)?))
            });
            let examples = examples.collect();
            let is_of_kit = is_of_kit(status, rules)
                || (status == 412 && has_preconditions)
                || (status == 416 && route.response_format.is_download())
                || (status == 406 && route.negotiates());
            let schema = super::failures::schema(rules, &failures, is_of_kit, output, reference.clone());
            let mut response = error(rules, descriptions.join("; "), schema, examples);
            if status == 416 && route.response_format.is_download() {
                downloads::add_size(&mut response);
            }
            responses.insert(status.to_string(), response);
        }
        let other = if shares {
            Response::component(shared_responses::OTHER)
        } else {
            shared_responses::other(rules, reference)
        };
        responses.insert("default".to_owned(), other);
        if route.negotiates() {
            for (status, response) in &mut responses {
                // The HTTP engine sends some errors before the route is known.
                let is_required = status.starts_with(['2', '3']);
                let header = response.headers.entry("vary".to_owned());
                header.or_insert_with(|| vary(is_required));
            }
        }
        responses
    }

    /// Returns true if error responses of a route that other routes have too are components. Routes that negotiate have more
    /// headers in each response. Documents of OpenAPI 3.0 list the statuses of `default` one by one.
    fn shares_responses(&self, route: &Route) -> bool {
        let context = self.context;
        context.analysis.is_large() && context.options.openapi.has_json_schema() && !route.negotiates()
    }

    /// Returns the names of a route's responses that are components. Adds the responses that `known` lacks.
    pub(crate) fn shared_responses(
        &self,
        route: &Route,
        known: &mut IndexMap<&'static str, Response>,
    ) -> Vec<&'static str> {
        let mut names = Vec::new();
        if !self.shares_responses(route) {
            return names;
        }
        let program = self.context.program;
        let rules = program.application.error_rules();
        let schema = || self.error_reference(self.context.schemas(Direction::Output));
        let has_preconditions = preconditions::are_evaluated(program, route);
        for (_, failures) in Failures::of(route, rules, has_preconditions).by_status() {
            let Some(name) = shared_responses::name(&failures) else {
                continue;
            };
            known.entry(name).or_insert_with(|| {
                let descriptions = failures.iter().map(Failure::described).collect();
                error(rules, descriptions, schema(), IndexMap::new())
            });
            names.push(name);
        }
        let other = known.entry(shared_responses::OTHER);
        other.or_insert_with(|| shared_responses::other(rules, schema()));
        names.push(shared_responses::OTHER);
        names
    }

    /// Returns the headers of a reply, except for `content-type`: OpenAPI takes the content type from the key
    /// of the content (OpenAPI 3.1, section 4.8.17).
    fn headers(&self, id: DeclarationId, schemas: Schemas<'_>) -> IndexMap<String, Header> {
        let program = self.context.program;
        let properties = program.properties(program.declarations[id].r#type);
        properties
            .iter()
            .filter(|property| property.name != "content-type")
            .map(|property| {
                let mut schema = schemas.property(property);
                // Each cookie is a header of its own, and OpenAPI describes one of them.
                if property.name == "set-cookie"
                    && let Some(Items::Each(item)) = schema.items.take()
                {
                    schema = Schema {
                        description: schema.description,
                        deprecated: schema.deprecated,
                        ..*item
                    };
                }
                let header = Header {
                    description: schema.description.take(),
                    required: !property.optional,
                    deprecated: schema.deprecated.take(),
                    schema,
                };
                (property.name.clone(), header)
            })
            .collect()
    }

    /// Returns an example of a complete body. Its values come from `@example` tags, or are generated. Returns `None` in a large
    /// program, whose document would be a sixth longer. Viewers of documents make examples from schemas, which contain the values
    /// of `@example` tags.
    fn example(&self, id: DeclarationId, purpose: Purpose) -> Option<Value> {
        if self.context.analysis.is_large() {
            return None;
        }
        let program = self.context.program;
        let wanted = SampleOptions::named("value").inside(id).purpose(purpose);
        let value = Samples::new(program).sample(program.declarations[id].r#type, &wanted)?;
        // Leave out a long example: it helps no reader, and every document with the route would contain a copy.
        (value.to_string().len() <= LONGEST_EXAMPLE).then_some(value)
    }

    /// Returns the schema of an error response for errors without declared details.
    fn error_reference(&self, schemas: Schemas<'_>) -> Schema {
        if let Some(declared) = self.context.program.application.declared_format() {
            return schemas.reference(declared.body);
        }
        Schema {
            reference: Some(format!("#/components/schemas/{}", self.error_name)),
            ..Schema::default()
        }
    }
}

/// Adds the header `etag` to the response 200, and adds the response 304 if the contract does not declare it.
fn add_not_modified(responses: &mut IndexMap<String, Response>) {
    if let Some(response) = responses.get_mut("200") {
        let tag = response.headers.entry("etag".to_owned());
        tag.or_insert_with(preconditions::tag);
    }
    responses.entry("304".to_owned()).or_insert_with(|| Response {
        description: description(304).to_owned(),
        headers: IndexMap::from([("etag".to_owned(), preconditions::tag())]),
        ..Response::default()
    });
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

/// Returns the parameter for the subprotocols that a client offers.
fn offered_subprotocols(subprotocols: &Subprotocols) -> Parameter {
    Parameter {
        name: SUBPROTOCOL.to_owned(),
        location: "header",
        description: Some(offered_protocols(subprotocols)),
        required: !subprotocols.optional,
        deprecated: None,
        schema: text_schema(),
    }
}

/// Returns the description of the header that names the chosen subprotocol.
fn chosen_subprotocol(subprotocols: &Subprotocols) -> Header {
    let names = subprotocols.names.iter().map(|name| Value::from(name.as_str()));
    Header {
        description: Some("Subprotocol of the WebSocket".to_owned()),
        required: !subprotocols.optional,
        deprecated: None,
        schema: Schema {
            choices: Some(names.collect()),
            ..text_schema()
        },
    }
}

/// Returns the description of the header with which caches keep the formats of a response apart.
fn vary(is_required: bool) -> Header {
    Header {
        description: Some(
            "Contains `accept`, because this header chooses the format of the response".to_owned(),
        ),
        required: is_required,
        deprecated: None,
        schema: text_schema(),
    }
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

/// Returns a unique `operationId` for each route: the name of `@operation`, or a name made from the method and the segments of
/// the path. Example: `getNotesById`.
pub(crate) fn operation_ids(program: &Program) -> IndexMap<String, String> {
    let mut taken = IndexSet::new();
    let mut ids = IndexMap::new();
    // Names of the contracts first, so that a made name never takes one of them.
    for route in &program.routes {
        if let Some(name) = &route.operation {
            taken.insert(name.clone());
            ids.insert(route.reference(), name.clone());
        }
    }
    for route in program.routes.iter().filter(|route| route.operation.is_none()) {
        let name = route.path.name(heck::ToUpperCamelCase::to_upper_camel_case);
        let method = if route.is_socket() {
            SOCKET_METHOD
        } else {
            route.method.name()
        };
        let base = format!("{}{name}", method.to_lowercase());
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
