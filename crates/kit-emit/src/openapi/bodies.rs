//! Content of requests and responses in an OpenAPI document: one entry for each media type of the body's format.

use indexmap::IndexMap;
use kit_analysis::{is_json_part, resolve};
use kit_ir::{BodyFormat, DeclarationId, DeclaredEvent, FilePart, Property, Route, TypeKind};
use serde_json::{Number, Value};

use super::document::{Encoding, MediaType, RequestBody, with_example};
use crate::context::Context;
use crate::direction::Direction;
use crate::json_schema::{Items, Schema, Schemas, documented};
use crate::options::OpenApiVersion;

/// Media type of bytes whose media type is unknown.
const ANY_BYTES: &str = "application/octet-stream";

/// Creates the content of bodies.
#[derive(Clone, Copy)]
pub(super) struct Bodies<'a> {
    pub(super) context: Context<'a>,
}

impl Bodies<'_> {
    /// Returns the request body of a route; `None` if requests have none. `example` creates an example of a type.
    pub(super) fn request(
        self,
        route: &Route,
        example: impl Fn(DeclarationId) -> Option<Value>,
    ) -> Option<RequestBody> {
        if !route.has_body() {
            return None;
        }
        let choices = route.body_format.choices(route.slots.body).into_iter();
        let content = choices
            .flat_map(|choice| self.request_content(&choice.format, choice.body, &example))
            .collect();
        Some(RequestBody {
            required: self.is_required(route),
            content,
        })
    }

    fn request_content(
        self,
        format: &BodyFormat,
        body: Option<DeclarationId>,
        example: impl Fn(DeclarationId) -> Option<Value>,
    ) -> IndexMap<String, MediaType> {
        let schemas = self.context.schemas(Direction::Input);
        match (format, body) {
            (BodyFormat::Form, Some(id)) => {
                let media_type = MediaType {
                    encoding: self.form_encoding(id),
                    ..with_example(schemas.reference(id), example(id))
                };
                for_each(format, &media_type)
            }
            (BodyFormat::Multipart { files }, body) => {
                let example = body.filter(|_| files.is_empty()).and_then(example);
                let media_type = MediaType {
                    encoding: self.part_encoding(body, files),
                    ..with_example(multipart(schemas, body, files), example)
                };
                for_each(format, &media_type)
            }
            (format, body) => self.content(format, body, schemas, &example),
        }
    }

    /// Returns the content of a body by media type; empty if there is no body.
    pub(super) fn content(
        self,
        format: &BodyFormat,
        body: Option<DeclarationId>,
        schemas: Schemas<'_>,
        example: &dyn Fn(DeclarationId) -> Option<Value>,
    ) -> IndexMap<String, MediaType> {
        let has_items = self.context.options.openapi == OpenApiVersion::V3_2;
        let stream = |item: Schema, description: String| {
            if has_items {
                return MediaType::of_items(item);
            }
            let whole = Schema {
                r#type: Some("array"),
                items: Some(Items::Each(Box::new(item))),
                ..Schema::default()
            };
            let text = Schema {
                description: Some(description),
                r#type: Some("string"),
                content_media_type: format.media_types().first().map(|name| (*name).to_owned()),
                content_schema: Some(Box::new(whole)),
                ..Schema::default()
            };
            with_example(text, None)
        };
        match (format, body) {
            (BodyFormat::OneOf { choices }, _) => choices
                .iter()
                .flat_map(|choice| self.content(&choice.format, choice.body, schemas, example))
                .collect(),
            (BodyFormat::Lines, Some(id)) => {
                let description = format!("JSON Lines: one `{}` on each line.", name(schemas, id));
                for_each(format, &stream(schemas.reference(id), description))
            }
            (BodyFormat::Events { events }, _) => {
                let events_text: Vec<_> = events.iter().map(|event| described(schemas, event)).collect();
                let description = format!("Server-Sent Events: {}.", events_text.join(", "));
                for_each(format, &stream(event(schemas, events), description))
            }
            (BodyFormat::Text { .. }, _) => for_each(format, &with_example(of_type("string"), None)),
            (
                BodyFormat::Raw { media_types }
                | BodyFormat::Chunks { media_types }
                | BodyFormat::Bytes { media_types, .. },
                _,
            ) => media_types
                .iter()
                .map(|name| (name.clone(), with_example(bytes(name), None)))
                .collect(),
            (_, Some(id)) => for_each(format, &with_example(schemas.reference(id), example(id))),
            (_, None) => IndexMap::new(),
        }
    }

    /// Returns false if the server also accepts a request without body: text and bytes of the length 0, no lines, and a form
    /// that needs no field.
    fn is_required(self, route: &Route) -> bool {
        match &route.body_format {
            BodyFormat::Form => self
                .properties(route.slots.body)
                .iter()
                .any(|property| !property.optional_in_input()),
            BodyFormat::Raw { .. }
            | BodyFormat::Chunks { .. }
            | BodyFormat::Text { .. }
            | BodyFormat::Bytes { .. }
            | BodyFormat::Lines => false,
            _ => true,
        }
    }

    fn properties(&self, body: Option<DeclarationId>) -> &[Property] {
        let program = self.context.program;
        body.map_or(&[], |id| program.properties(program.declarations[id].r#type))
    }

    /// Returns the encoding of the arrays in a form: a repeated field. Other fields have the default encoding.
    fn form_encoding(self, id: DeclarationId) -> IndexMap<String, Encoding> {
        let program = self.context.program;
        let is_array = |property: &&Property| {
            let kind = &program.types[resolve(program, property.r#type)].kind;
            matches!(kind, TypeKind::Array { .. })
        };
        let repeated = Encoding {
            content_type: None,
            style: Some("form"),
            explode: Some(true),
        };
        let arrays = self.properties(Some(id)).iter().filter(is_array);
        arrays
            .map(|property| (property.name.clone(), repeated.clone()))
            .collect()
    }

    /// Returns the encoding of parts whose media type is not the default of OpenAPI: JSON, and files with `@mime`.
    fn part_encoding(self, body: Option<DeclarationId>, files: &[FilePart]) -> IndexMap<String, Encoding> {
        let program = self.context.program;
        let of_type = |content_type: String| Encoding {
            content_type: Some(content_type),
            style: None,
            explode: None,
        };
        let json = self
            .properties(body)
            .iter()
            .filter(|property| is_json_part(program, property.r#type))
            .map(|property| (property.name.clone(), of_type("application/json".to_owned())));
        let files = files
            .iter()
            .filter(|file| !file.media_types.is_empty())
            .map(|file| (file.name.clone(), of_type(file.media_types.join(", "))));
        json.chain(files).collect()
    }
}

/// Returns the schema of a multipart body: an object with one property for each part.
fn multipart(schemas: Schemas<'_>, body: Option<DeclarationId>, files: &[FilePart]) -> Schema {
    if files.is_empty()
        && let Some(id) = body
    {
        return schemas.reference(id);
    }
    let mut schema = body.map_or_else(|| of_type("object"), |id| schemas.declaration(id));
    let mut properties = schema.properties.take().unwrap_or_default();
    // Clients send the parts in the order of the properties.
    let (uploads, others): (Vec<_>, Vec<_>) = files.iter().partition(|file| file.streamed);
    for file in others.into_iter().chain(uploads) {
        properties.insert(file.name.clone(), file_schema(file));
        if !file.optional {
            schema.required.push(file.name.clone());
        }
    }
    schema.properties = Some(properties);
    schema
}

fn file_schema(file: &FilePart) -> Schema {
    let media_type = match file.media_types.as_slice() {
        [only] => only.as_str(),
        _ => ANY_BYTES,
    };
    let one = Schema {
        // The standard allows `maxLength` as the number of bytes of a binary value (OpenAPI 3.1.1, section 4.8.14.4).
        max_length: file.max_bytes,
        ..bytes(media_type)
    };
    let schema = if file.many {
        Schema {
            items: Some(Items::Each(Box::new(one))),
            min_items: file.min_items,
            max_items: file.max_items,
            ..of_type("array")
        }
    } else {
        one
    };
    let schema = documented(schema, &file.documentation);
    if !file.streamed {
        return schema;
    }
    let place = "Comes after all other parts of the body.";
    let description = match schema.description {
        Some(text) => format!("{text}\n\n{place}"),
        None => place.to_owned(),
    };
    Schema {
        description: Some(description),
        ..schema
    }
}

/// Returns the schema of bytes. Such a schema has no type, because bytes are no value of JSON.
fn bytes(media_type: &str) -> Schema {
    let known = if media_type.contains('*') {
        ANY_BYTES
    } else {
        media_type
    };
    Schema {
        content_media_type: Some(known.to_owned()),
        ..Schema::default()
    }
}

/// Returns the schema of one event as OpenAPI 3.2 models it: an object with the fields of the event stream.
fn event(schemas: Schemas<'_>, events: &[DeclaredEvent]) -> Schema {
    let retry = Schema {
        minimum: Some(Number::from(0)),
        ..of_type("integer")
    };
    let fields = [
        ("event", of_type("string")),
        ("data", of_type("string")),
        ("id", of_type("string")),
        ("retry", retry),
    ];
    Schema {
        properties: Some(named(fields)),
        required: vec!["event".to_owned(), "data".to_owned()],
        one_of: events.iter().map(|event| named_event(schemas, event)).collect(),
        ..of_type("object")
    }
}

fn named_event(schemas: Schemas<'_>, event: &DeclaredEvent) -> Schema {
    let name = Schema {
        constant: Some(Value::from(event.name.as_str())),
        ..Schema::default()
    };
    let data = event.data.map(|id| Schema {
        content_media_type: Some("application/json".to_owned()),
        content_schema: Some(Box::new(schemas.reference(id))),
        ..Schema::default()
    });
    let data = data.map(|data| ("data", data));
    Schema {
        properties: Some(named([("event", name)].into_iter().chain(data))),
        required: vec!["event".to_owned()],
        ..Schema::default()
    }
}

/// Returns the name of an event with the component of its data.
fn described(schemas: Schemas<'_>, event: &DeclaredEvent) -> String {
    let data = event
        .data
        .map(|id| format!(" with the data `{}`", name(schemas, id)));
    format!("`{}`{}", event.name, data.unwrap_or_default())
}

/// Returns the name of a declaration's component.
fn name(schemas: Schemas<'_>, id: DeclarationId) -> &str {
    schemas.names.name(schemas.program, (id, schemas.direction))
}

/// Returns the same content for each media type of a format.
fn for_each(format: &BodyFormat, media_type: &MediaType) -> IndexMap<String, MediaType> {
    let names = format.media_types().into_iter();
    names.map(|name| (name.to_owned(), media_type.clone())).collect()
}

fn named<'a>(schemas: impl IntoIterator<Item = (&'a str, Schema)>) -> IndexMap<String, Schema> {
    let schemas = schemas.into_iter();
    schemas.map(|(name, schema)| (name.to_owned(), schema)).collect()
}

fn of_type(name: &'static str) -> Schema {
    Schema {
        r#type: Some(name),
        ..Schema::default()
    }
}
