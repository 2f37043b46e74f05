//! Server for the cases of options such as `cors` and `compression`, which `tests/conformance/edge-columns.ts` starts.
//! Each option has a variable with its value as JSON, such as `COMPRESSION`. The variable `SECURITY_HEADERS` has a list of
//! names and values.

use std::process::ExitCode;

use kit_runtime::{
    Application, Coding, Compression, Context, Cors, Csrf, Error, ErrorFormat, Etag, Failure, HeaderName,
    HeaderValue, Reply, Request, RequestLog, Response, Routes, Segment, Site, StatusCode, Value, header,
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
    let variables = [
        "CORS",
        "SECURITY_HEADERS",
        "COMPRESSION",
        "ETAG",
        "CSRF",
        "REQUEST_LOG",
        "STATIC_FILES",
    ];
    let values = variables.map(json);
    let [
        Some(cors),
        Some(headers),
        Some(compression),
        Some(etag),
        Some(csrf),
        Some(log),
        Some(sites),
    ] = values
    else {
        eprintln!("error: the variables {} must have JSON", variables.join(", "));
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
    if let Some(errors) =
        json("ERRORS").filter(|errors| errors.as_object().is_some_and(|errors| !errors.is_empty()))
    {
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
    if compression != false {
        routes = routes.compression(compression_of(&compression));
    }
    if etag != false {
        let is_generated = etag.get("generate") != Some(&Value::Bool(false));
        let rules = Etag::new();
        routes = routes.etag(if is_generated {
            rules
        } else {
            rules.own_tags_only()
        });
    }
    if csrf != false {
        routes = routes.csrf(csrf_of(&csrf));
    }
    if log != false {
        routes = routes.request_log(request_log_of(&log));
    }
    for site in sites.as_array().into_iter().flatten() {
        routes = routes.static_files(site_of(site));
    }
    let sized_path = &[Segment::Static("sized"), Segment::Parameter("bytes")];
    let received_path = &[Segment::Static("received")];
    let answer_path = &[
        Segment::Static("answer"),
        Segment::Parameter("status"),
        Segment::Parameter("port"),
    ];
    let router = routes
        .route(
            "GET /reset/:token",
            &[Segment::Static("reset"), Segment::Parameter("token")],
            note_without_total,
        )
        .route("GET /sized/:bytes", sized_path, sized)
        .route("POST /sized/:bytes", sized_path, sized)
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
        .route("GET /received", received_path, received)
        .route("PUT /received", received_path, received)
        .route("PATCH /received", received_path, received)
        .route("DELETE /received", received_path, received)
        .route("GET /answer/:status/:port", answer_path, answered)
        .route("POST /answer/:status/:port", answer_path, answered)
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

fn csrf_of(option: &Value) -> Csrf {
    let mut csrf = Csrf::new();
    if let Some(origins) = option.get("origins") {
        csrf = csrf.origins(Vec::leak(strings(origins)));
    }
    if let Some(token) = option.get("token") {
        let name = |name| &*String::leak(token[name].as_str().unwrap_or_default().to_owned());
        csrf = csrf.token(name("cookie"), name("header"));
    }
    csrf
}

fn request_log_of(option: &Value) -> RequestLog {
    let mut log = RequestLog::new();
    if let Some(paths) = option.get("skipPaths") {
        log = log.skip_paths(Vec::leak(strings(paths)));
    }
    if let Some(rate) = option.get("sampleRate").and_then(Value::as_f64) {
        log = log.sample_rate(rate);
    }
    if option.get("userAgent") == Some(&Value::Bool(true)) {
        log = log.user_agent();
    }
    log
}

/// Creates the rules from JSON: `true` or an object.
fn compression_of(option: &Value) -> Compression {
    let mut compression = Compression::new();
    if let Some(names) = option.get("encodings") {
        let codings: Vec<Coding> = strings(names)
            .into_iter()
            .map(|name| {
                if name == "br" {
                    Coding::Brotli
                } else {
                    Coding::Gzip
                }
            })
            .collect();
        compression = compression.encodings(Vec::leak(codings));
    }
    if let Some(bytes) = option.get("minBytes").and_then(Value::as_u64) {
        compression = compression.min_bytes(bytes);
    }
    compression
}

/// Creates a directory of static files from JSON, as the generated router does.
fn site_of(option: &Value) -> Site {
    let text = |name: &str| option.get(name).and_then(Value::as_str);
    let is_on = |name: &str| option.get(name) == Some(&Value::Bool(true));
    let mut site = Site::new(text("dir").unwrap_or_default())
        .prefix(text("prefix").unwrap_or_default())
        .header("cache-control", text("cacheControl").unwrap_or("no-cache"));
    for (name, value) in option.get("headers").and_then(Value::as_object).into_iter().flatten() {
        site = site.header(&name.to_lowercase(), value.as_str().unwrap_or_default());
    }
    if let Some(file) = text("spa") {
        let except = option.get("spaExcept").map(strings).unwrap_or_default();
        site = site.spa(file, &except);
    }
    if is_on("precompressed") {
        site = site.precompressed();
    }
    if is_on("dotFiles") {
        site = site.dot_files();
    }
    if is_on("followSymlinks") {
        site = site.follow_symlinks();
    }
    site
}

fn strings(list: &Value) -> Vec<&'static str> {
    let texts = list.as_array().into_iter().flatten().filter_map(Value::as_str);
    texts.map(|text| &*String::leak(text.to_owned())).collect()
}

fn names_of(list: &Value) -> &'static str {
    String::leak(strings(list).join(", ").to_lowercase())
}

fn answer(context: &Context, status: StatusCode) -> Result<Response, Error> {
    Response::reply(
        context,
        status,
        Reply::json(&serde_json::json!({ "title": "a" }))?,
    )
}

async fn note(_app: App, request: Request) -> Result<Response, Error> {
    counted(&request.into_context()?, StatusCode::OK)
}

async fn note_without_total(_app: App, request: Request) -> Result<Response, Error> {
    answer(&request.into_context()?, StatusCode::OK)
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

/// Responds with a text of the length in the path, as `sized` of `tests/conformance/edge-columns.ts` does.
async fn sized(_app: App, request: Request) -> Result<Response, Error> {
    let context = request.into_context()?;
    let bytes = context
        .path()
        .rsplit('/')
        .next()
        .and_then(|text| text.parse().ok());
    let text = text_of(bytes.unwrap_or(0));
    if let Some(status) = context.header("x-status").and_then(|text| text.parse().ok()) {
        context.set_status(status);
    }
    let headers: Value = context
        .header("x-headers")
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    for (name, value) in headers.as_object().into_iter().flatten() {
        let value = value.as_str().and_then(|value| HeaderValue::from_str(value).ok());
        if let (Ok(name), Some(value)) = (name.parse::<HeaderName>(), value) {
            context.set_header(name, value);
        }
    }
    let r#type = context.header("x-type");
    let r#type = r#type.as_deref().unwrap_or("text/plain; charset=utf-8");
    let stream = context.header("x-stream").map(std::borrow::Cow::into_owned);
    let reply = match stream.as_deref() {
        None => Reply::text(text),
        Some(kind) => {
            let (is_open, length) = (kind == "open", text.len());
            let reply = Reply::stream(async move |mut chunks| {
                for chunk in text.as_bytes().chunks(1000) {
                    chunks.send(chunk.to_vec()).await?;
                }
                if is_open {
                    std::future::pending::<()>().await;
                }
                Ok(())
            });
            if kind == "length" {
                reply.length(u64::try_from(length).unwrap_or(0))
            } else {
                reply
            }
        }
    };
    Response::reply(&context, StatusCode::OK, reply.content_type(r#type))
}

/// Responds with the headers of the request, as JSON in the title of a note.
async fn received(_app: App, request: Request) -> Result<Response, Error> {
    let context = request.into_context()?;
    let headers: serde_json::Map<String, Value> = context
        .headers()
        .keys()
        .filter_map(|name| {
            let value = context.header(name.as_str())?;
            Some((name.to_string(), value.into_owned().into()))
        })
        .collect();
    let reply = Reply::json(&serde_json::json!({ "title": Value::from(headers).to_string() }))?;
    Response::reply(&context, StatusCode::OK, reply)
}

/// Responds with the status in the path. A port other than 0 redirects to `/received` on this port.
async fn answered(_app: App, request: Request) -> Result<Response, Error> {
    let context = request.into_context()?;
    let mut numbers = context
        .path()
        .rsplit('/')
        .map(|text| text.parse().unwrap_or(0u16));
    let (port, status) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if port != 0 {
        let location = HeaderValue::from_str(&format!("http://127.0.0.1:{port}/received"));
        context.set_header(
            header::LOCATION,
            location.map_err(|_| Error::internal("a bad location"))?,
        );
    }
    let status = StatusCode::from_u16(status).map_err(|_| Error::internal("a bad status"))?;
    let reply = Reply::text("answered".to_owned()).content_type("text/plain; charset=utf-8");
    Response::reply(&context, status, reply)
}

/// Returns the text of a body of this length.
fn text_of(bytes: usize) -> String {
    "abcdefghij".chars().cycle().take(bytes).collect()
}

async fn slow(_app: App, _request: Request) -> Result<Response, Error> {
    std::future::pending().await
}
