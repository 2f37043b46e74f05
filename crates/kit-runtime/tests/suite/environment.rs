//! Tests behavior that environment variables determine: hidden values in the log, `/openapi.json`, and the size of error
//! responses in production and in development.

#![cfg(unix)]
#![allow(clippy::unwrap_used)] // helper functions of tests may unwrap like tests

use crate::process::Server;
use kit_runtime::shape::{Format, Index, Keys, Property, Shape};
use kit_runtime::{Application, Contract, Error, Request, Response, Routes, Segment, StatusCode, Value};
use serde::{Deserialize, Serialize};

#[derive(Clone)]
struct App;

impl Application for App {
    async fn ready(&self) -> Result<(), Error> {
        Ok(())
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct Login {
    password: String,
    iban: String,
}

impl Contract for Login {
    const NAME: &'static str = "Login";

    fn shape() -> &'static Shape {
        static SHAPE: Shape = Shape::object(
            "Login",
            &[
                Property::required("password", Shape::TEXT.max_length(30)),
                Property::required("iban", Shape::TEXT),
            ],
        );
        &SHAPE
    }
}

async fn login(_app: App, request: Request) -> Result<Response, Error> {
    let login: Login = request.body()?;
    let span = tracing::info_span!("login", jwt = "secret-span", step = 1);
    span.in_scope(|| {
        tracing::info!(token = login.password, "A field");
        tracing::info!(
            user.token = login.password,
            api_key = 7_110_001,
            "A field of an object"
        );
        tracing::info!(headers = ?request.headers(), login = ?login, "Debug output");
        tracing::info!("$.password: expected string, received \"{}\"", login.password);
        tracing::info!(
            iban = login.iban,
            login.pin = "secret-pin",
            kept = "shown",
            "A configured name"
        );
    });
    let context = request.into_context()?;
    Ok(Response::empty(&context, StatusCode::NO_CONTENT))
}

/// Value that only the program knows. It has a field with the name of a sensitive property.
#[derive(Debug)]
#[allow(dead_code)] // the fields are read by `Debug` only
struct Payment {
    card_number: &'static str,
    amount: u32,
}

async fn pay(_app: App, request: Request) -> Result<Response, Error> {
    let payment = Payment {
        card_number: "secret-debug",
        amount: 7_110_002,
    };
    let span = tracing::info_span!("pay", card_number = "secret-span");
    span.in_scope(|| {
        tracing::info!(
            cardNumber = "secret-property",
            payment.card_number = "secret-nested",
            r#type = "secret-keyword",
            card_numbers = "shown-field",
            "Fields of the handler"
        );
        tracing::info!(payment = ?payment, "Debug output");
        tracing::info!("$.cards[0].cardNumber: expected number, received \"secret-message\"");
    });
    let context = request.into_context()?;
    Ok(Response::empty(&context, StatusCode::NO_CONTENT))
}

/// Any JSON value. The shape describes an object with many kinds of properties.
#[derive(Serialize, Deserialize)]
struct Document(Value);

impl Contract for Document {
    const NAME: &'static str = "Document";

    fn shape() -> &'static Shape {
        static ITEM: Shape = Shape::object(
            "Item",
            &[
                Property::required("name", Shape::TEXT.min_length(1).max_length(5)),
                Property::optional("email", Shape::TEXT.format(Format::Email)),
            ],
        );
        static TREE: Shape = Shape::object(
            "Tree",
            &[
                Property::required("value", Shape::INTEGER.minimum(0.0)),
                Property::optional("children", Shape::array(&Shape::Recursive(tree))),
            ],
        );
        static PAIR: Shape = Shape::union(&[
            Shape::object("Circle", &[Property::required("kind", Shape::literal("circle"))]),
            Shape::object("Square", &[Property::required("kind", Shape::literal("square"))]),
        ])
        .discriminants(&["kind"]);
        static SHAPE: Shape = Shape::object(
            "Document",
            &[
                Property::optional(
                    "record",
                    Shape::anonymous(&[]).index(&[Index::new(Keys::Any, Shape::TEXT)]),
                ),
                Property::optional(
                    "lists",
                    Shape::anonymous(&[]).index(&[Index::new(Keys::Any, Shape::array(&Shape::Null))]),
                ),
                Property::optional("items", Shape::array(&ITEM).unique_items()),
                Property::optional("children", Shape::array(&TREE)),
                Property::optional("pair", Shape::Reference(pair)),
                Property::optional("dates", Shape::array(&Shape::Date)),
                Property::optional("unknown", Shape::Unknown),
                Property::required("quantity", Shape::NUMBER.multiple_of(0.5)),
            ],
        );
        fn tree() -> &'static Shape {
            &TREE
        }
        fn pair() -> &'static Shape {
            &PAIR
        }
        &SHAPE
    }
}

async fn document(_app: App, request: Request) -> Result<Response, Error> {
    let Document(_) = request.body()?;
    let context = request.into_context()?;
    Ok(Response::empty(&context, StatusCode::NO_CONTENT))
}

/// Not a test: runs the server that the tests start as a separate process.
#[test]
fn server() {
    if std::env::var_os("KIT_TEST_SERVER").is_none() {
        return;
    }
    let router = Routes::new(App)
        .route("POST /logins", &[Segment::Static("logins")], login)
        .route("POST /payments", &[Segment::Static("payments")], pay)
        .route("POST /documents", &[Segment::Static("documents")], document)
        .sensitive(&["cardNumber", "code", "type"])
        .openapi(r#"{"openapi":"3.1.0"}"#)
        .asyncapi(r#"{"asyncapi":"3.0.0"}"#)
        .into_router();
    let _ = kit_runtime::run(kit_runtime::serve(router));
}

fn start(variables: &[(&str, &str)]) -> Server {
    let variables: Vec<(&str, String)> = variables
        .iter()
        .map(|(name, value)| (*name, (*value).to_owned()))
        .collect();
    Server::start(module_path!(), &variables)
}

/// Returns the log of a server that received a valid and an invalid login request.
fn log_of_logins(variables: &[(&str, &str)]) -> String {
    let server = start(variables);
    let valid = server.post(
        "/logins",
        r#"{"password":"secret-password","iban":"secret-iban"}"#,
    );
    assert!(valid.starts_with("HTTP/1.1 204 "), "{valid}");
    let invalid = server.post(
        "/logins",
        r#"{"password":"secret-password-that-is-too-long","iban":"a"}"#,
    );
    assert!(invalid.starts_with("HTTP/1.1 400 "), "{invalid}");
    let log = server.stop();
    assert_eq!(log.matches(r#""message":"Debug output""#).count(), 1, "{log}");
    log
}

#[test]
fn hides_credentials_and_configured_fields_in_the_log_in_production_and_development() {
    for environment in [None, Some("production"), Some("development"), Some("staging")] {
        let with = |variables: &[(&'static str, &'static str)]| {
            let environment = environment.map(|value| ("NODE_ENV", value));
            let variables: Vec<_> = variables.iter().copied().chain(environment).collect();
            log_of_logins(&variables)
        };
        let log = with(&[]);
        for secret in ["secret-password", "secret-span", "7110001"] {
            assert!(!log.contains(secret), "{environment:?}: {secret}: {log}");
        }
        assert!(log.contains("secret-iban") && log.contains("secret-pin"), "{log}");
        assert!(log.contains(r#""user.token":"[redacted]""#), "{log}");
        assert!(
            log.contains(r"$.password: expected string, received [redacted]"),
            "{log}"
        );
        assert!(
            log.contains(r#"Login { password: \"[redacted]\", iban: \"secret-iban\" }"#),
            "{log}"
        );
        assert!(
            log.contains(r#""kept":"shown""#) && log.contains(r#""step":1"#),
            "{log}"
        );

        let log = with(&[("LOG_REDACT", "IBAN, login.*")]);
        assert!(!log.contains("secret-"), "{environment:?}: {log}");
        let log = with(&[("LOG_REDACT", "iban"), ("LOG_REDACT_DEFAULTS", "false")]);
        assert!(!log.contains("secret-iban"), "{log}");
        for secret in ["secret-password", "secret-span", "7110001"] {
            assert!(log.contains(secret), "{secret}: {log}");
        }
    }
}

#[test]
fn hides_fields_that_have_the_name_of_a_sensitive_property() {
    for variables in [
        &[] as &[_],
        &[("LOG_REDACT_DEFAULTS", "false"), ("NODE_ENV", "development")],
    ] {
        let server = start(variables);
        let answer = server.post("/payments", "");
        assert!(answer.starts_with("HTTP/1.1 204 "), "{answer}");
        let refused = server.post("/logins", "{}");
        assert!(refused.starts_with("HTTP/1.1 400 "), "{refused}");
        let log = server.stop();
        assert!(!log.contains("secret-"), "{log}");
        for shown in [
            r#""cardNumber":"[redacted]""#,
            r#""payment.card_number":"[redacted]""#,
            r#""data":{"card_number":"[redacted]"}"#,
            r#"Payment { card_number: \"[redacted]\", amount: 7110002 }"#,
            "$.cards[0].cardNumber: expected number, received [redacted]",
            "shown-field",
            // The code of an error is not a property of the application.
            r#""code":"VALIDATION_ERROR""#,
        ] {
            assert!(log.contains(shown), "{shown}: {log}");
        }
    }
}

#[test]
fn hides_credential_headers_if_a_handler_logs_all_headers() {
    let server = start(&[]);
    let body = r#"{"password":"p","iban":"i"}"#;
    let headers = "Authorization: Bearer secret-1\r\ncookie: a=secret-2\r\nX-Api-Key: secret-3\r\naccept: text/x-kept\r\n";
    let path = format!(
        "/logins HTTP/1.1\r\nhost: a\r\nconnection: close\r\n{headers}content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let answer = server.send(&format!("POST {path}"));
    assert!(answer.starts_with("HTTP/1.1 204 "), "{answer}");
    let log = server.stop();
    for secret in ["secret-1", "secret-2", "secret-3"] {
        assert!(!log.contains(secret), "{log}");
    }
    assert!(
        log.contains("text/x-kept") && log.contains(r#"\"authorization\": \"[redacted]\""#),
        "{log}"
    );
}

#[test]
fn serves_documents_in_development_only_and_never_an_api_reference() {
    for environment in [
        None,
        Some(""),
        Some("production"),
        Some("staging"),
        Some("Development"),
        Some("development "),
        Some("dev"),
        Some("development"),
    ] {
        let variables: Vec<_> = environment.map(|value| ("NODE_ENV", value)).into_iter().collect();
        let server = start(&variables);
        let is_development = environment == Some("development");
        for (path, version) in [
            ("/openapi.json", "3.1.0"),
            ("/openapi.json/", "3.1.0"),
            ("/asyncapi.json", "3.0.0"),
        ] {
            let answer = server.get(path, "");
            let status = if is_development {
                "HTTP/1.1 200 "
            } else {
                "HTTP/1.1 404 "
            };
            assert!(answer.starts_with(status), "{environment:?} {path}: {answer}");
            assert_eq!(
                answer.contains(version),
                is_development,
                "{environment:?}: {answer}"
            );
        }
        // Other methods must not reveal the document either.
        let answer = server.post("/openapi.json", "{}");
        let status = if is_development {
            "HTTP/1.1 405 "
        } else {
            "HTTP/1.1 404 "
        };
        assert!(answer.starts_with(status), "{environment:?}: {answer}");
        for path in ["/docs", "/docs/openapi.json"] {
            let answer = server.get(path, "");
            assert!(
                answer.starts_with("HTTP/1.1 404 "),
                "{environment:?} {path}: {answer}"
            );
        }
        server.stop();
    }
}

/// Generator of pseudorandom numbers, which are the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        // Xorshift
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(limit).unwrap()).unwrap()
    }

    fn text(&mut self) -> String {
        let character = ["k", "\"", "\\", "\u{1}", "é", "😀", "\u{2028}", "`", "/"][self.below(9)];
        let most = if self.below(4) == 0 { 3_000 } else { 300 };
        character.repeat(self.below(most))
    }

    /// Returns a random value with long, nested and repeated keys.
    fn hostile(&mut self, levels: usize) -> Value {
        const KEYS: [&str; 12] = [
            "record", "items", "children", "pair", "kind", "dates", "unknown", "quantity", "name", "email",
            "value", "1",
        ];
        let kind = self.below(if levels == 0 { 4 } else { 9 });
        let count = if self.below(8) == 0 { 60 } else { 3 };
        let count = self.below(count);
        match kind {
            0 => 1e20.into(),
            1 => Value::Null,
            2 => self.text().into(),
            3 => (-1.5e300).into(),
            4 | 5 => vec![self.hostile(levels - 1); count].into(),
            _ => {
                let key = if self.below(2) == 0 {
                    self.text()
                } else {
                    KEYS[self.below(KEYS.len())].to_owned()
                };
                let value = self.hostile(levels - 1);
                let keys = (0..=count).map(|index| match index {
                    0 => key.clone(),
                    _ => format!("{key}{index}"),
                });
                Value::Object(keys.map(|key| (key, value.clone())).collect())
            }
        }
    }
}

/// Asserts the limit of `docs/guide/errors.md`: a response to a request of `n` bytes has at most `factor * n + more`
/// bytes. Returns true if the request was rejected.
fn is_rejected_within(server: &Server, body: &str, (factor, more): (usize, usize)) -> bool {
    let answer = server.post("/documents", body);
    let (head, answer) = answer.split_once("\r\n\r\n").unwrap();
    let is_rejected = head.starts_with("HTTP/1.1 400 ");
    assert!(is_rejected || head.starts_with("HTTP/1.1 204 "), "{head}");
    assert!(
        answer.len() <= factor * body.len() + more,
        "the response to {} bytes has {} bytes: {}",
        body.len(),
        answer.len(),
        body.chars().take(300).collect::<String>()
    );
    is_rejected
}

#[test]
fn limits_error_responses_to_a_multiple_of_the_size_of_the_request() {
    for (environment, limit) in [("production", (4, 64 * 1024)), ("development", (12, 128 * 1024))] {
        let server = start(&[
            ("NODE_ENV", environment),
            ("BODY_LIMIT_BYTES", "8388608"),
            ("LOG_LEVEL", "fatal"),
        ]);
        let long = "k".repeat(1_000_000);
        let many = |item: &str, count: usize| vec![item; count].join(",");
        let keys = |length: usize| {
            let key = &long[..length];
            (0..200)
                .map(|index| format!("\"{key}{index}\":1"))
                .collect::<Vec<_>>()
                .join(",")
        };
        for body in [
            format!(r#"{{"record":{{"{long}":1}},"items":[{{"{long}":1}}]}}"#),
            format!(r#"{{"lists":{{"{long}":[{}]}},"record":5}}"#, many("1", 200)),
            format!(
                r#"{{"lists":{{"{}":[{}]}}}}"#,
                "\\u0001".repeat(200),
                many("1", 100)
            ),
            format!(r#"{{"dates":[{}]}}"#, many("0", 1_000)),
            format!(r#"{{"record":{{{}}}}}"#, keys(5_000)),
            format!(r#"{{"record":{{{}}}}}"#, keys(150)),
            format!(r#"{{"record":{{"{}":1}}}}"#, "\\u0001".repeat(100_000)),
            format!(
                r#"{{"dates":[{}]}}"#,
                many(&format!("\"{}\"", &long[..5_000]), 200)
            ),
            format!(
                r#"{{"items":[{}]}}"#,
                many(&format!(r#"{{"name":"{}"}}"#, "\\u0001".repeat(300)), 200)
            ),
            format!(r#"{{"dates":[{}]}}"#, many("0", 100_000)),
            format!("{}{}", r#"{"children":["#.repeat(2_000), "]}".repeat(2_000)),
            format!("\"{long}\""),
            long.clone(),
        ] {
            assert!(is_rejected_within(&server, &body, limit), "{}", &body[..100]);
        }
        let mut random = Random(0x9E37_79B9_7F4A_7C15);
        let mut rejected = 0;
        for _ in 0..400 {
            let mut body = random.hostile(4);
            // Half of the bodies have a declared property, so that deep values have failures too.
            if random.below(2) == 0 {
                let key = ["record", "items", "children", "dates", "unknown"][random.below(5)];
                body = Value::Object([(key.to_owned(), body)].into_iter().collect());
            }
            let body = body.to_string();
            if body.len() < 500_000 {
                rejected += usize::from(is_rejected_within(&server, &body, limit));
            }
        }
        assert!(rejected > 300, "{rejected} of 400 were rejected");
        server.stop();
    }
}
