//! Describes bodies that are not JSON in contract tests: the format of a request, and the content of a response.

use kit_analysis::is_json_part;
use kit_ir::{BodyFormat, DeclarationId, FilePart, Program, Route, Subprotocols};
use serde_json::Value;

use super::data::Data;
use super::rules::{RequestValue, Rule, Rules, Step, ValueOrigin};

/// Contract of a route with one format of its request body.
pub(super) struct Variant {
    pub(super) route: Route,
    /// Media types of all formats of the contract. Empty if the contract has one format.
    pub(super) all: Vec<String>,
    /// True for the first format.
    pub(super) is_first: bool,
}

/// Returns the route once for each format of its request body, because each format has valid requests and rules of its own.
pub(super) fn variants(route: &Route) -> Vec<Variant> {
    let choices = route.body_format.choices(route.slots.body);
    let all: Vec<String> = if route.body_format.is_union() {
        let names = route.body_format.accepted_media_types().into_iter();
        names.map(str::to_owned).collect()
    } else {
        Vec::new()
    };
    let variants = choices.into_iter().enumerate().map(|(index, choice)| {
        let mut route = route.clone();
        (route.body_format, route.slots.body) = (choice.format, choice.body);
        Variant {
            route,
            all: all.clone(),
            is_first: index == 0,
        }
    });
    variants.collect()
}

/// Returns the format of a route's request body; `None` if the body is JSON or does not exist.
pub(super) fn format(program: &Program, route: &Route) -> Option<Data> {
    let format = &route.body_format;
    if format.is_json() {
        return None;
    }
    let mut fields = vec![
        ("kind", Data::text(format.name().to_lowercase())),
        ("types", Data::texts(format.media_types())),
    ];
    if let BodyFormat::Multipart { files } = format {
        let json: Vec<_> = route.slots.body.map_or(Vec::new(), |id| json_parts(program, id));
        fields.push(("json", Data::texts(json)));
        fields.push(("files", Data::List(files.iter().map(file).collect())));
    }
    Some(Data::object(fields))
}

fn json_parts(program: &Program, id: DeclarationId) -> Vec<&str> {
    let properties = program.properties(program.declarations[id].r#type).iter();
    let json = properties.filter(|property| is_json_part(program, property.r#type));
    json.map(|property| property.name.as_str()).collect()
}

fn file(file: &FilePart) -> Data {
    let mut fields = vec![("name", Data::text(&file.name))];
    let marks = [
        ("optional", file.optional),
        ("many", file.many),
        ("streamed", file.streamed),
    ];
    for (name, is_set) in marks {
        fields.extend(is_set.then(|| (name, Data::Value(true.into()))));
    }
    let numbers = [
        ("minItems", file.min_items.map(Value::from)),
        ("maxItems", file.max_items.map(Value::from)),
        ("maxBytes", file.max_bytes.map(Value::from)),
    ];
    for (name, number) in numbers {
        fields.extend(number.map(|number| (name, Data::Value(number))));
    }
    if !file.media_types.is_empty() {
        fields.push(("types", Data::texts(&file.media_types)));
    }
    Data::object(fields)
}

/// Returns the content of a response that is not JSON; `None` if the response is JSON.
pub(super) fn content(format: &BodyFormat, body: Option<DeclarationId>) -> Option<Data> {
    (!format.is_json()).then(|| content_of(format, body))
}

fn content_of(format: &BodyFormat, body: Option<DeclarationId>) -> Data {
    let media_type = format.media_types().first().copied().unwrap_or_default();
    let mut fields = vec![
        ("kind", Data::text(format.name().to_lowercase())),
        ("type", Data::text(media_type)),
    ];
    match format {
        BodyFormat::Json => fields.extend(body.map(|id| ("json", Data::Shape(id)))),
        BodyFormat::Lines => fields.extend(body.map(|id| ("line", Data::Shape(id)))),
        BodyFormat::OneOf { choices } => {
            let choices = choices
                .iter()
                .map(|choice| content_of(&choice.format, choice.body));
            fields.push(("choices", Data::List(choices.collect())));
        }
        BodyFormat::Events { events } => {
            let events = events
                .iter()
                .map(|event| (event.name.as_str(), Data::shape(event.data)));
            fields.push(("events", Data::object(events)));
        }
        _ => {}
    }
    Data::object(fields)
}

/// Returns the valid body of a request for a valid value of the slot: one line for JSON Lines.
pub(super) fn value(format: &BodyFormat, sample: Value) -> Value {
    match format {
        BodyFormat::Lines => Value::Array(vec![sample]),
        _ => sample,
    }
}

/// Returns the tests of a request body: each changes one value of `sample`, which is a valid body.
pub(super) fn rules(program: &Program, format: &BodyFormat, id: DeclarationId, sample: &Value) -> Vec<Rule> {
    let r#type = program.declarations[id].r#type;
    let of = |origin| Rules::new(program, origin).of_slot(r#type, sample);
    match format {
        BodyFormat::Form => of(ValueOrigin::Query),
        BodyFormat::Multipart { .. } => {
            let json = json_parts(program, id);
            let is_json = |rule: &Rule| matches!(rule.path.first(), Some(Step::Key(key)) if json.contains(&key.as_str()));
            let text = of(ValueOrigin::Query).into_iter().filter(|rule| !is_json(rule));
            text.chain(of(ValueOrigin::Body).into_iter().filter(is_json))
                .collect()
        }
        BodyFormat::Lines => of(ValueOrigin::Body)
            .into_iter()
            // A line that is missing is no line.
            .filter(|rule| !(rule.path.is_empty() && rule.given == RequestValue::Missing))
            .map(|rule| rule.below(Step::Index(0)))
            .collect(),
        BodyFormat::Socket { .. } => of(ValueOrigin::Body)
            .into_iter()
            // A message that is missing is no message.
            .filter(|rule| !(rule.path.is_empty() && rule.given == RequestValue::Missing))
            .collect(),
        _ => of(ValueOrigin::Body),
    }
}

/// Returns the description of a socket: the shape of the JSON messages that the application sends, the kinds of messages, and
/// the subprotocols.
pub(super) fn socket(route: &Route) -> Data {
    let protocols = route
        .subprotocols
        .as_ref()
        .map(|Subprotocols { names, optional }| {
            let optional = Data::Value((*optional).into());
            Data::object([("names", Data::texts(names)), ("optional", optional)])
        });
    let protocols = protocols.map(|protocols| ("protocols", protocols));
    let kinds = [
        ("in", route.body_format.message_kinds(route.slots.body)),
        ("out", route.response_format.message_kinds(route.slots.response)),
    ];
    let has_kinds = kinds.iter().any(|(_, kinds)| kinds.is_some());
    let kinds = kinds.map(|(side, kinds)| (side, Data::texts(kinds.unwrap_or_else(|| vec!["json"]))));
    let kinds = has_kinds.then(|| ("kinds", Data::object(kinds)));
    Data::object(
        [("out", Data::shape(route.slots.response))]
            .into_iter()
            .chain(kinds)
            .chain(protocols),
    )
}
