//! Server for the cases of `conformance/cors.json`, `conformance/security-headers.json` and
//! `conformance/error-formats.json`. The variable `ERRORS` has the value of the option `errors` as JSON, or is empty. The variable `CORS` has the
//! value of the option `cors` as JSON, or `null`. The variable `SECURITY_HEADERS` has a list of names and values.

use std::process::ExitCode;

use kit_runtime::{
    Application, Context, Cors, Error, ErrorFormat, Failure, HeaderName, HeaderValue, Reply, Request, Response, Routes, Segment,
    StatusCode, Value, header,
};
use rust_server::models::OneText;

#[derive(Clone)]
struct App;

impl Application for App {
    async fn ready(&self) -> Result<(), Error> {
        Ok(())
    }
}

fn main() -> ExitCode {
    let [Some(cors), Some(headers)] = ["CORS", "SECURITY_HEADERS"].map(json) else {
        eprintln!("error: the variables CORS and SECURITY_HEADERS must have JSON");
        return ExitCode::FAILURE;
    };
    let mut routes = Routes::new(App);
    if !cors.is_null() {
        let Some(cors) = cors_of(&cors) else {
            eprintln!("error: the variable CORS must have a value of the option `cors`");
            return ExitCode::FAILURE;
        };
        routes = routes.cors(cors);
    }
    if let Some(errors) = json("ERRORS").filter(|errors| errors.as_object().is_some_and(|errors| !errors.is_empty())) {
        let format = match errors.get("format").and_then(Value::as_str) {
            Some("problem-details") => ErrorFormat::problem_details(),
            Some("own") => ErrorFormat::declared("application/vnd.own+json", own_error),
            _ => ErrorFormat::envelope(),
        };
        let status = errors.get("validationStatus").and_then(Value::as_u64);
        routes = routes.errors(format, if status == Some(422) { 422 } else { 400 });
    }
    let headers = strings(&headers);
    if !headers.is_empty() {
        let pairs: Vec<_> = headers.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        routes = routes.security_headers(&pairs);
    }
    let router = routes
        .route("GET /notes", &[Segment::Static("notes")], note)
        .route("POST /notes", &[Segment::Static("notes")], create)
        .route(
            "GET /files/:name",
            &[Segment::Static("files"), Segment::Parameter("name")],
            note,
        )
        .route("GET /vary", &[Segment::Static("vary")], vary)
        .route("GET /fail", &[Segment::Static("fail")], fail)
        .route("GET /bug", &[Segment::Static("bug")], bug)
        .route("OPTIONS /own", &[Segment::Static("own")], own)
        .route("GET /policy", &[Segment::Static("policy")], policy)
        .route("GET /stream", &[Segment::Static("stream")], stream)
        .route("GET /slow", &[Segment::Static("slow")], slow)
        .into_router();
    kit_runtime::run(kit_runtime::serve(router))
}

/// Format `own` in `conformance/error-formats.json`.
fn own_error(failure: &Failure) -> Value {
    let invalid: Vec<_> = failure
        .fields
        .iter()
        .map(|field| format!("{}: {}", field.path, field.rule))
        .collect();
    kit_runtime::value!({
        "failed": {
            "kind": failure.code,
            "text": failure.message,
            "invalid": invalid,
            "request": failure.trace_id,
        },
        "status": failure.status,
    })
}

fn json(variable: &str) -> Option<Value> {
    serde_json::from_str(&std::env::var(variable).ok()?).ok()
}

/// Creates the rules from JSON. The program needs them until its end, so their strings are never freed.
fn cors_of(option: &Value) -> Option<Cors> {
    let origins = option.get("origins")?;
    let mut cors = match origins.as_array() {
        None => Cors::any_origin(),
        Some(_) => Cors::origins(Vec::leak(strings(origins))),
    };
    if option
        .get("credentials")
        .is_some_and(|credentials| credentials == true)
    {
        cors = cors.credentials();
    }
    if let Some(names) = option.get("allowedHeaders") {
        cors = cors.allowed_headers(names_of(names));
    }
    if let Some(names) = option.get("exposedHeaders") {
        cors = cors.exposed_headers(names_of(names));
    }
    if let Some(seconds) = option.get("maxAgeSeconds").and_then(Value::as_u64) {
        cors = cors.max_age_seconds(u32::try_from(seconds).ok()?);
    }
    Some(cors)
}

fn strings(list: &Value) -> Vec<&'static str> {
    let texts = list.as_array().into_iter().flatten().filter_map(Value::as_str);
    texts.map(|text| &*String::leak(text.to_owned())).collect()
}

fn names_of(list: &Value) -> &'static str {
    String::leak(strings(list).join(", ").to_lowercase())
}

fn answer(context: &Context, status: StatusCode) -> Result<Response, Error> {
    Response::json(context, status, &OneText { text: "a".to_owned() })
}

async fn note(_app: App, request: Request) -> Result<Response, Error> {
    counted(&request.into_context()?, StatusCode::OK)
}

async fn create(_app: App, request: Request) -> Result<Response, Error> {
    request.body::<OneText>()?;
    counted(&request.into_context()?, StatusCode::CREATED)
}

fn counted(context: &Context, status: StatusCode) -> Result<Response, Error> {
    let total = HeaderName::from_static("x-total");
    context.set_header(total, HeaderValue::from_static("1"));
    answer(context, status)
}

async fn vary(_app: App, request: Request) -> Result<Response, Error> {
    let context = request.into_context()?;
    context.set_header(header::VARY, HeaderValue::from_static("Accept"));
    let own = HeaderValue::from_static("https://own.example");
    context.set_header(header::ACCESS_CONTROL_ALLOW_ORIGIN, own);
    answer(&context, StatusCode::OK)
}

async fn fail(_app: App, _request: Request) -> Result<Response, Error> {
    Err(Error::new(StatusCode::CONFLICT, "TAKEN", "The title is taken"))
}

async fn bug(_app: App, _request: Request) -> Result<Response, Error> {
    Err(Error::internal("a bug"))
}

async fn own(_app: App, request: Request) -> Result<Response, Error> {
    let context = request.into_context()?;
    context.set_header(
        HeaderName::from_static("x-own"),
        HeaderValue::from_static("handled"),
    );
    answer(&context, StatusCode::OK)
}

async fn policy(_app: App, request: Request) -> Result<Response, Error> {
    let context = request.into_context()?;
    let own = HeaderValue::from_static("default-src 'self'");
    context.set_header(header::CONTENT_SECURITY_POLICY, own);
    answer(&context, StatusCode::OK)
}

async fn stream(_app: App, request: Request) -> Result<Response, Error> {
    let context = request.into_context()?;
    let reply = Reply::stream(async move |mut chunks| {
        chunks.send("a").await?;
        chunks.send("b").await
    });
    Response::reply(&context, StatusCode::OK, reply)
}

async fn slow(_app: App, _request: Request) -> Result<Response, Error> {
    std::future::pending().await
}
