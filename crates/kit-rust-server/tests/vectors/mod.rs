//! Runs the conformance vectors, which every runtime of kit must pass, on generated models.

use kit_runtime::Contract;
use kit_runtime::check::{Failure, explain, explain_briefly};
use kit_runtime::coerce::{coerce_params, coerce_query};
use kit_runtime::json::{Json, from_json, parse, read_valid, to_text};
use kit_runtime::shape::Shape;
use serde::Deserialize;
use serde_json::Value;

/// A generated type: its name, its shape, and functions that decode a value.
pub struct Generated {
    pub name: &'static str,
    shape: fn() -> &'static Shape,
    /// Decodes checked JSON and returns it as text. `None` for a type that occurs only in responses.
    read: Option<Read>,
    /// Decodes JSON text on the fast path of the runtime. Returns `None` if that path does not support the text.
    read_valid: fn(&str) -> Option<String>,
}

type Read = fn(&Json) -> Result<String, String>;

impl Generated {
    pub fn of<T: Contract>() -> Self {
        Self {
            name: T::NAME,
            shape: T::shape,
            read: Some(|json| {
                let value: T = from_json(json).map_err(|error| error.to_string())?;
                to_text(&value).map_err(|error| error.to_string())
            }),
            read_valid: |text| read_valid::<T>(text).map(|value| to_text(&value).unwrap()),
        }
    }

    /// Creates the entry for a type that occurs only in responses.
    #[allow(dead_code)] // one of the programs has none
    pub fn of_answers<T: Contract>() -> Self {
        Self {
            read: None,
            ..Self::of::<T>()
        }
    }
}

#[derive(Deserialize)]
struct Vectors {
    cases: Vec<Case>,
    text: Vec<TextCase>,
}

#[derive(Deserialize)]
struct Case {
    app: String,
    r#type: String,
    input: Option<Box<serde_json::value::RawValue>>,
    text: Option<String>,
    nested: Option<Nested>,
    ok: bool,
    failures: Option<Vec<Value>>,
    decoded: Option<Value>,
}

#[derive(Deserialize)]
struct Nested {
    open: String,
    close: String,
    inner: Option<String>,
    times: usize,
}

#[derive(Deserialize)]
struct TextCase {
    app: String,
    coercer: String,
    query: Option<String>,
    params: Option<Vec<String>>,
    value: Value,
    ok: bool,
    #[serde(default)]
    failures: Vec<Value>,
}

/// Runs the vectors of an application. `types` must contain every type that occurs in them.
pub fn run(app: &str, types: &[Generated]) {
    // Some values have the maximum depth that a server accepts, so the thread needs as much stack as a thread of a
    // server.
    std::thread::scope(|scope| {
        let worker = std::thread::Builder::new().stack_size(64 << 20);
        let ran = worker.spawn_scoped(scope, || run_all(app, types)).unwrap().join();
        if let Err(panic) = ran {
            std::panic::resume_unwind(panic);
        }
    });
}

fn run_all(app: &str, types: &[Generated]) {
    let vectors: Vectors =
        serde_json::from_str(include_str!("../../../../conformance/validation.json")).unwrap();
    let mut wrong = Vec::new();
    let mut count = 0;
    let mut in_one_pass = (0, 0);
    for case in vectors.cases.iter().filter(|case| case.app == app) {
        let Some(generated) = types.iter().find(|known| known.name == case.r#type) else {
            wrong.push(format!("{} is not generated", case.r#type));
            continue;
        };
        count += 1;
        let (text, json, shown) = input(case);
        for spoiled in spoiled(&text) {
            if let Some(difference) = difference_in_one_pass(generated, &spoiled) {
                wrong.push(format!("{} {spoiled:.200}: {difference}", case.r#type));
            }
        }
        if case.ok && generated.read.is_some() {
            in_one_pass.0 += usize::from((generated.read_valid)(&text).is_some());
            in_one_pass.1 += 1;
        }
        if let Some(difference) = difference(generated, case, &json) {
            wrong.push(format!("{} {shown}: {difference}", case.r#type));
        }
    }
    for case in vectors.text.iter().filter(|case| case.app == app) {
        let Some(generated) = types.iter().find(|known| known.name == case.coercer) else {
            wrong.push(format!("{} is not generated", case.coercer));
            continue;
        };
        count += 1;
        let shape = (generated.shape)();
        let json = match (&case.query, &case.params) {
            (Some(query), _) => coerce_query(shape, query),
            (None, params) => coerce_params(shape, &["a", "b"], params.as_deref().unwrap_or_default()),
        };
        let value: Value = from_json(&json).unwrap();
        let failures = explain(shape, &json);
        let ok = failures.is_empty();
        if (to_text(&value).unwrap(), ok) != (without_proto(&case.value), case.ok) {
            wrong.push(format!("{} {:?}: {value} {ok}", case.coercer, case.query));
        }
        if let Some(difference) = difference_in_words(&failures, &case.failures) {
            wrong.push(format!("{} {:?}: {difference}", case.coercer, case.query));
        }
    }
    // The fast path must support most values.
    assert!(
        in_one_pass.0 * 10 >= in_one_pass.1 * 7,
        "{in_one_pass:?} are read in one pass"
    );
    assert!(
        wrong.is_empty(),
        "{} of {count} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Returns a JSON text and many variants of it: cut off, with a byte removed or replaced, or with a repeated
/// property.
fn spoiled(text: &str) -> Vec<String> {
    let mut all = vec![
        text.to_owned(),
        format!(" {text}\n"),
        format!("{text}x"),
        text.replace(':', " : "),
    ];
    if let Some(inner) = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) {
        all.push(format!("{{{inner},{inner}}}"));
        all.push(format!("{{{inner},}}"));
        all.push(format!("{{\"__proto__\":1,\"unknown\":[{{}}],{inner}}}"));
    }
    // Large texts are skipped, because only their size is tested.
    if text.len() < 300 && text.is_ascii() {
        for at in 0..text.len() {
            all.push(text[..at].to_owned());
            for other in ["", "0", "\"", "}", "\\n", "\\u0000", "null"] {
                all.push(format!("{}{other}{}", &text[..at], &text[at + 1..]));
            }
        }
    }
    all
}

/// Returns a description of the difference between the failures for clients in production and the complete failures.
/// Returns `None` if there is no unexpected difference.
fn difference_in_brief(failures: &[Failure], brief: &[Failure]) -> Option<String> {
    let told = |all: &[Failure]| -> Vec<String> {
        let all = all.iter().enumerate();
        all.map(|(index, failure)| {
            let received = Some(&failure.received).filter(|_| index == 0);
            format!(
                "{} {} {received:?} {:?} {:?} {:?}",
                failure.path, failure.expected, failure.value, failure.rule, failure.limit
            )
        })
        .collect()
    };
    (told(failures) != told(brief)).then(|| format!("{brief:?} in brief, not {failures:?}"))
}

/// Returns a description of the difference between the value from the fast path and the value from the slow path.
/// Returns `None` if they are equal, or if the fast path does not support the text.
fn difference_in_one_pass(generated: &Generated, text: &str) -> Option<String> {
    let found = (generated.read_valid)(text)?;
    let Ok(json) = parse(text) else {
        return Some(format!("read as {found}, which is no JSON"));
    };
    let failures = explain((generated.shape)(), &json);
    if !failures.is_empty() {
        return Some(format!("read as {found} in spite of {failures:?}"));
    }
    let expected = match generated.read?(&json) {
        Ok(expected) => expected,
        Err(error) => error,
    };
    (found != expected).then(|| format!("read as {found}, not {expected}"))
}

fn input(case: &Case) -> (String, Json, String) {
    let text = match (&case.input, &case.text, &case.nested) {
        (Some(input), ..) => input.get().to_owned(),
        (_, Some(text), _) => text.clone(),
        (.., Some(nested)) => {
            let inner = nested.inner.as_deref().unwrap_or_default();
            format!(
                "{}{inner}{}",
                nested.open.repeat(nested.times),
                nested.close.repeat(nested.times)
            )
        }
        _ => "null".to_owned(),
    };
    let shown = text.chars().take(200).collect();
    let json = parse(&text).unwrap();
    (text, json, shown)
}

fn difference(generated: &Generated, case: &Case, json: &Json) -> Option<String> {
    let failures = explain((generated.shape)(), json);
    if let Some(difference) = difference_in_brief(&failures, &explain_briefly((generated.shape)(), json)) {
        return Some(difference);
    }
    if failures.is_empty() != case.ok {
        return Some(format!("ok is {}, {failures:?}", failures.is_empty()));
    }
    if let Some(expected) = &case.failures
        && let Some(difference) = difference_in_words(&failures, expected)
    {
        return Some(difference);
    }
    if !case.ok || case.nested.is_some() {
        return None;
    }
    let read = match generated.read?(json) {
        Ok(read) => read,
        Err(error) => return Some(format!("it is not read: {error}")),
    };
    let expected = match (&case.decoded, &case.input, &case.text) {
        (Some(decoded), ..) => on_the_wire(decoded),
        (None, Some(input), _) => serde_json::from_str(input.get()).unwrap(),
        (None, _, text) => serde_json::from_str(text.as_deref().unwrap_or("null")).unwrap(),
    };
    let read: Value = serde_json::from_str(&read).unwrap();
    let expected: Value = serde_json::from_str(&to_text(&expected).unwrap()).unwrap();
    (sorted(&read) != sorted(&expected)).then(|| format!("read as {read}, not {expected}"))
}

/// Returns the first failure that differs from the one of the other runtimes, in its path, a description, the shown
/// value or the suggestion.
fn difference_in_words(failures: &[Failure], expected: &[Value]) -> Option<String> {
    let told: Vec<String> = failures.iter().map(told).collect();
    let expected: Vec<String> = expected.iter().map(|failure| to_text(failure).unwrap()).collect();
    let pairs = told.iter().zip(&expected);
    let different = pairs.into_iter().find(|(told, expected)| told != expected);
    match different {
        Some((told, expected)) => Some(format!("{told}, not {expected}")),
        None if told.len() == expected.len() => None,
        None => Some(format!("{told:?}, not {expected:?}")),
    }
}

/// Returns a failure as JSON, in the same form as in a response.
fn told(failure: &Failure) -> String {
    let mut members = serde_json::Map::new();
    members.insert("path".to_owned(), failure.path.as_str().into());
    members.insert("expected".to_owned(), failure.expected.as_ref().into());
    members.insert("received".to_owned(), failure.received.as_str().into());
    if let Some(value) = &failure.value {
        members.insert("value".to_owned(), value.clone());
    }
    members.insert("rule".to_owned(), failure.rule.name().into());
    if let Some(limit) = &failure.limit {
        members.insert("limit".to_owned(), limit.clone());
    }
    if let Some(suggestion) = &failure.suggestion {
        members.insert("suggestion".to_owned(), suggestion.as_str().into());
    }
    to_text(&members).unwrap()
}

/// Returns the JSON form of a value that a handler returns.
fn on_the_wire(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            if let Some(text) = ["$date", "$bytes", "$bigint"]
                .iter()
                .find_map(|key| members.get(*key))
            {
                return text.clone();
            }
            Value::Object(
                members
                    .iter()
                    .map(|(key, value)| (key.clone(), on_the_wire(value)))
                    .collect(),
            )
        }
        Value::Array(items) => Value::Array(items.iter().map(on_the_wire).collect()),
        other => other.clone(),
    }
}

/// Returns a text that is the same for all equal values, whatever the order of their keys.
fn sorted(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let mut parts: Vec<String> = members
                .iter()
                .map(|(key, value)| format!("{key:?}:{}", sorted(value)))
                .collect();
            parts.sort();
            parts.join(",")
        }
        Value::Array(items) => items.iter().map(sorted).collect::<Vec<_>>().join(";"),
        other => other.to_string(),
    }
}

/// Removes the key `__proto__`. Decoding as `unknown` drops it, and this test prints values in this way.
fn without_proto(value: &Value) -> String {
    let mut value = value.clone();
    if let Value::Object(members) = &mut value {
        members.shift_remove("__proto__");
    }
    to_text(&value).unwrap()
}
