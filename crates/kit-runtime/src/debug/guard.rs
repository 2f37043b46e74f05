//! Decides which requests the sidecar answers. The rules are those of `packages/plugin-debug/src/access/guard.ts`, and the two
//! guards pass the same cases of `packages/plugin-debug/test/guard-corpus.json`.

use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use axum::http::{HeaderMap, Method, StatusCode, header};
use sha2_v10::{Digest as _, Sha256};

use super::access::Allowlist;
use super::answer::Refusal;
use super::rate_limit::RateLimiter;
use super::settings::DebugSettings;

/// Headers that proxies add. A request with such a header comes from a proxy, whose clients may be on other machines.
const PROXY_HEADERS: [&str; 4] = ["forwarded", "x-forwarded-for", "x-real-ip", "via"];

/// Purpose of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A file of the dashboard, which contains no data of the application and needs no key.
    File,
    /// Data of the application.
    Read,
    /// Sending a request again. Only the dashboard's own page may request it.
    Action,
}

/// Parts of a request that the guard checks.
#[derive(Debug)]
pub(super) struct Guarded<'a> {
    pub(super) method: &'a Method,
    pub(super) headers: &'a HeaderMap,
    pub(super) address: IpAddr,
    pub(super) purpose: Purpose,
}

/// Decides which requests the sidecar answers. Uses the client address of the connection, because a client can forge
/// `X-Forwarded-For`.
#[derive(Debug)]
pub(super) struct Guard {
    allowlist: Option<Allowlist>,
    limiter: Option<Mutex<RateLimiter>>,
    key_hash: Option<[u8; 32]>,
    /// Hash of the secret that only the dashboard's page knows. `None` if there are no actions.
    token_hash: Option<[u8; 32]>,
    host: String,
}

impl Guard {
    /// Creates a guard. `token` is the secret that only the dashboard's page knows. If it is `None`, all actions are refused.
    pub(super) fn new(settings: &DebugSettings, token: Option<&str>) -> Self {
        Self {
            allowlist: settings.allowlist.clone(),
            limiter: settings
                .rate_limit
                .map(|limit| Mutex::new(RateLimiter::new(limit))),
            key_hash: settings.key.as_deref().map(|key| hash(key.as_bytes())),
            token_hash: token.map(|token| hash(token.as_bytes())),
            host: settings.host.to_ascii_lowercase(),
        }
    }

    /// Refuses a request, unless it is allowed. `now` is a time in milliseconds.
    pub(super) fn check(&self, asked: &Guarded<'_>, now: u64) -> Result<(), Refusal> {
        if self
            .allowlist
            .as_ref()
            .is_some_and(|list| !list.has(asked.address))
        {
            return Err(Refusal::forbidden(
                "the address of this client is not in the allowlist of the debug sidecar",
            ));
        }
        if self.key_hash.is_none() && !is_of_this_machine(asked) {
            return Err(Refusal::forbidden(
                "without a key, the debug sidecar accepts only requests from the same machine and without a proxy; set DEBUG_KEY",
            ));
        }
        // The rate limit comes before the check of the key, so that keys cannot be guessed quickly.
        if let Some(limiter) = &self.limiter {
            let mut limiter = limiter.lock().unwrap_or_else(PoisonError::into_inner);
            let wait = limiter.count(asked.address, now);
            drop(limiter);
            if wait > 0 {
                return Err(too_many(wait.div_ceil(1_000)));
            }
        }
        self.check_browser(asked)?;
        if asked.purpose != Purpose::File {
            self.check_key(asked)?;
        }
        match self.token_hash.filter(|_| asked.purpose == Purpose::Action) {
            Some(token) => check_action(asked, token),
            None => check_method(asked.method),
        }
    }

    /// Refuses requests that pages of other sites send. With DNS rebinding, a page of another site has a host name that resolves
    /// to this machine. Therefore the host name in the request must be an IP address, `localhost` or the configured host name,
    /// which no other site can have.
    fn check_browser(&self, asked: &Guarded<'_>) -> Result<(), Refusal> {
        let hosts = values(asked.headers, header::HOST.as_str());
        let host = hosts.first().copied().unwrap_or_default();
        let is_known = name_of(host)
            .is_some_and(|name| name.parse::<IpAddr>().is_ok() || name == "localhost" || name == self.host);
        if hosts.len() != 1 || !is_known {
            return Err(Refusal::forbidden(
                "the debug sidecar answers only to an IP address, to localhost and to the configured host, but the `Host` header of this request is none of these",
            ));
        }
        let origin = format!("http://{}", host.to_ascii_lowercase());
        let origins = values(asked.headers, header::ORIGIN.as_str());
        let is_other = origins.iter().any(|other| other.to_ascii_lowercase() != origin);
        // Browsers send this header for cross-site requests even if they send no origin.
        let is_cross = values(asked.headers, "sec-fetch-site")
            .iter()
            .any(|site| site.eq_ignore_ascii_case("cross-site") || site.eq_ignore_ascii_case("same-site"));
        let is_navigation = values(asked.headers, "sec-fetch-mode").contains(&"navigate");
        if !is_other && (!is_cross || is_navigation) {
            return Ok(());
        }
        Err(Refusal::forbidden(
            "pages of other origins may not send requests to the debug sidecar",
        ))
    }

    fn check_key(&self, asked: &Guarded<'_>) -> Result<(), Refusal> {
        let Some(expected) = self.key_hash else {
            return Ok(());
        };
        let keys = asked.headers.get_all("x-debug-key");
        let keys: Vec<_> = keys.iter().collect();
        let message = match keys.as_slice() {
            [key] if is_equal(hash(key.as_bytes()), expected) => return Ok(()),
            [] => "the header X-Debug-Key is missing",
            _ => "the header X-Debug-Key must contain the key of the debug sidecar (DEBUG_KEY)",
        };
        Err(Refusal::new(StatusCode::UNAUTHORIZED, "UNAUTHORIZED", message))
    }
}

/// Returns true if the client is a program on this machine. Returns false for a proxy on this machine, because it forwards
/// requests of other machines.
fn is_of_this_machine(asked: &Guarded<'_>) -> bool {
    asked.address.to_canonical().is_loopback()
        && PROXY_HEADERS
            .iter()
            .all(|name| !asked.headers.contains_key(*name))
}

/// Returns the name or address in a `Host` header, in lower case, without port and brackets.
fn name_of(host: &str) -> Option<String> {
    let (name, port) = match host.strip_prefix('[') {
        Some(rest) => {
            let (address, rest) = rest.split_once(']')?;
            let is_address = |byte: u8| byte.is_ascii_hexdigit() || byte == b':' || byte == b'.';
            if address.is_empty() || !address.bytes().all(is_address) {
                return None;
            }
            (address, rest)
        }
        None => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    let is_port = match port.strip_prefix(':') {
        None => port.is_empty(),
        Some(digits) => (1..=5).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit()),
    };
    (is_port && !name.is_empty() && !name.contains(['[', ']'])).then(|| name.to_ascii_lowercase())
}

fn too_many(seconds: u64) -> Refusal {
    let message = format!("too many requests; try again in {seconds} s");
    Refusal {
        retry_after: Some(seconds),
        ..Refusal::new(StatusCode::TOO_MANY_REQUESTS, "TOO_MANY_REQUESTS", message)
    }
}

/// Refuses an action unless a script of the dashboard's own page sent it. A form of another site can send neither this content
/// type nor custom headers, and scripts of another site cannot read the token. The header `Origin` is required.
fn check_action(asked: &Guarded<'_>, token: [u8; 32]) -> Result<(), Refusal> {
    let types = values(asked.headers, "content-type");
    let media_type = types
        .first()
        .and_then(|text| text.split(';').next())
        .unwrap_or_default();
    if !media_type.trim_end().eq_ignore_ascii_case("application/json") {
        return Err(Refusal::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "UNSUPPORTED_MEDIA_TYPE",
            "this path accepts only a body of the type application/json",
        ));
    }
    let is_own_page = values(asked.headers, "origin").len() == 1
        && values(asked.headers, "sec-fetch-site")
            .iter()
            .all(|site| *site == "same-origin");
    let is_known = match values(asked.headers, "x-debug-token").as_slice() {
        [given] => is_equal(hash(given.as_bytes()), token),
        _ => false,
    };
    if is_own_page && is_known {
        return Ok(());
    }
    Err(Refusal::forbidden(
        "only the dashboard's own page may resend a request",
    ))
}

/// Refuses methods other than GET and HEAD, because only an action changes anything.
fn check_method(method: &Method) -> Result<(), Refusal> {
    if matches!(*method, Method::GET | Method::HEAD) {
        return Ok(());
    }
    Err(Refusal::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "METHOD_NOT_ALLOWED",
        format!("this path of the debug sidecar accepts only GET, not {method}"),
    ))
}

fn values<'h>(headers: &'h HeaderMap, name: &str) -> Vec<&'h str> {
    let values = headers.get_all(name).iter();
    values.map(|value| value.to_str().unwrap_or("?")).collect()
}

fn hash(key: &[u8]) -> [u8; 32] {
    Sha256::digest(key).into()
}

/// Compares two hashes. The duration tells nothing about them.
fn is_equal(one: [u8; 32], other: [u8; 32]) -> bool {
    one.iter()
        .zip(other)
        .fold(0, |difference, (a, b)| difference | (a ^ b))
        == 0
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};
    use serde_json::Value;

    use super::super::access::Allowlist;
    use super::super::settings::DebugSettings;
    use super::{Guard, Guarded, Purpose, name_of};

    /// Settings of the corpus, in the order of `packages/plugin-debug/test/guard-fuzz.test.ts`.
    fn configurations() -> Vec<Guard> {
        let of = |key: Option<&str>, host: &str, allowed: Option<&str>| {
            let settings = DebugSettings {
                port: 0,
                host: host.to_owned(),
                key: key.map(str::to_owned),
                allowlist: allowed.map(|list| Allowlist::parse(list).expect("valid")),
                rate_limit: None,
                redact: Vec::new(),
                keep: 1,
                is_production: false,
            };
            Guard::new(&settings, Some("the-token-of-the-page"))
        };
        let (own, key) = ("127.0.0.1", Some("the-key-of-the-fuzzer"));
        vec![
            of(None, own, None),
            of(None, own, None),
            of(key, own, None),
            of(key, own, None),
            of(key, own, Some("10.0.0.0/8,::1")),
            of(key, "debug.internal", Some("192.0.2.7")),
        ]
    }

    #[test]
    fn decides_the_kept_requests_like_the_sidecar_on_node() {
        let packages = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packages/plugin-debug");
        // A generated project contains a copy of this crate, but not the package.
        if !std::path::Path::new(packages).exists() {
            return;
        }
        #[allow(clippy::disallowed_methods)] // Reason: the corpus is a file of another package.
        let corpus =
            std::fs::read_to_string(format!("{packages}/test/guard-corpus.json")).expect("the corpus");
        let corpus: Vec<Value> = serde_json::from_str(&corpus).expect("JSON");
        let guards = configurations();
        let mut compared = 0;
        for case in &corpus {
            let (guarded, is_answered) = (
                &case["guardCase"],
                case["isAnswered"].as_bool().expect("a boolean"),
            );
            let request = &guarded["request"];
            let purpose = match request["purpose"].as_str() {
                Some("file") => Purpose::File,
                Some("action") => Purpose::Action,
                _ => Purpose::Read,
            };
            // A connection always has an address.
            let address = request["remoteAddress"].as_str().unwrap_or_default();
            let Ok(address) = address.split('%').next().unwrap_or_default().parse() else {
                continue;
            };
            let mut headers = HeaderMap::new();
            let raw = request["rawHeaders"].as_array().expect("a list");
            let pairs = raw.chunks(2).filter_map(|pair| {
                let name = HeaderName::try_from(pair.first()?.as_str()?).ok()?;
                Some((name, HeaderValue::try_from(pair.get(1)?.as_str()?).ok()?))
            });
            for (name, value) in pairs {
                headers.append(name, value);
            }
            let method = Method::try_from(request["method"].as_str().unwrap_or_default());
            let Ok(method) = method else { continue };
            let index = usize::try_from(guarded["configuration"].as_u64().expect("a number")).expect("small");
            let asked = Guarded {
                method: &method,
                headers: &headers,
                address,
                purpose,
            };
            assert_eq!(guards[index].check(&asked, 0).is_ok(), is_answered, "{guarded}");
            compared += 1;
        }
        assert!(compared >= 10, "{compared}");
    }

    #[test]
    fn reads_the_name_in_a_host_header() {
        for (host, name) in [
            ("LocalHost:9800", Some("localhost")),
            ("127.0.0.1", Some("127.0.0.1")),
            ("[::1]:9800", Some("::1")),
            ("127.0.0.1:1:1", None),
            ("localhost:", None),
            ("[localhost]", None),
            ("a]b", None),
            ("", None),
        ] {
            assert_eq!(name_of(host).as_deref(), name, "{host}");
        }
    }
}
