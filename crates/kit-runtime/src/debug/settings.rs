//! Settings of the sidecar, from environment variables. Each setting that is given is enforced in every mode.

use std::env;

use super::access::{Allowlist, is_loopback};
use super::rate_limit::RateLimit;
use crate::{Error, is_development, start_error};

/// Default port, as on Node.
const PORT: u16 = 9800;
/// Number of finished requests, and of errors, that stay in memory by default.
const KEEP: usize = 1_000;
/// Greatest number of them.
const MOST_KEEP: u64 = 20_000;
/// Minimum length of the key of a sidecar that other machines can reach. 16 characters of base64 contain 96 random bits.
const LEAST_OPEN_KEY: usize = 16;
const DAY_MS: u64 = 86_400_000;

/// Settings of the sidecar.
#[derive(Debug, Clone)]
pub(super) struct DebugSettings {
    /// `DEBUG_PORT`: 0 for a free port.
    pub(super) port: u16,
    /// `DEBUG_HOST`.
    pub(super) host: String,
    /// `DEBUG_KEY`. `None` if only this machine may send requests.
    pub(super) key: Option<String>,
    /// `DEBUG_ALLOWED_IPS`. `None` for all addresses.
    pub(super) allowlist: Option<Allowlist>,
    /// `DEBUG_RATE_LIMIT`, `DEBUG_RATE_LIMIT_WINDOW_MS`.
    pub(super) rate_limit: Option<RateLimit>,
    /// `DEBUG_REDACT`: patterns of hidden values, in addition to those of the log.
    pub(super) redact: Vec<String>,
    /// `DEBUG_KEEP`.
    pub(super) keep: usize,
    /// True unless the mode is development. Then neither the content of requests nor source code is shown.
    pub(super) is_production: bool,
}

/// Mode of the sidecar. Without `DEBUG_MODE` and without a known `NODE_ENV`, the sidecar shows only what production shows, and
/// needs no key on loopback addresses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Development,
    Production,
    Unknown,
}

impl DebugSettings {
    /// Reads the settings of the process. Returns `None` if the sidecar is off.
    pub(super) fn load() -> Result<Option<Self>, Error> {
        let environment = match env::var("NODE_ENV").as_deref() {
            _ if is_development() => Mode::Development,
            Ok("production") => Mode::Production,
            _ => Mode::Unknown,
        };
        Self::read(environment, |name| {
            env::var(name).ok().filter(|value| !value.is_empty())
        })
    }

    fn read(environment: Mode, given: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, Error> {
        let is_asked = ["DEBUG_PORT", "DEBUG_KEY", "DEBUG_MODE"]
            .iter()
            .any(|name| given(name).is_some());
        if given("DEBUG_PORT").as_deref() == Some("off") || (environment != Mode::Development && !is_asked) {
            return Ok(None);
        }
        let mode = match given("DEBUG_MODE").as_deref() {
            None => environment,
            Some("dev") => Mode::Development,
            Some("production") => Mode::Production,
            Some(other) => return Err(wrong("DEBUG_MODE", other, "`dev` or `production`")),
        };
        let number = |name: &str, least: u64, most: u64| match given(name) {
            None => Ok(None),
            Some(text) => match text.parse::<u64>() {
                Ok(number) if (least..=most).contains(&number) => Ok(Some(number)),
                _ => Err(wrong(
                    name,
                    &text,
                    &format!("a whole number from {least} to {most}"),
                )),
            },
        };
        let port = match number("DEBUG_PORT", 0, u16::MAX.into()) {
            Err(_) => {
                let text = given("DEBUG_PORT").unwrap_or_default();
                return Err(wrong("DEBUG_PORT", &text, "a port up to 65535, or `off`"));
            }
            Ok(port) => port.and_then(|port| u16::try_from(port).ok()).unwrap_or(PORT),
        };
        let host = given("DEBUG_HOST").unwrap_or_else(|| "127.0.0.1".to_owned());
        if !host
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b":._-".contains(&byte))
        {
            return Err(wrong("DEBUG_HOST", &host, "an address or a host name"));
        }
        let key = given("DEBUG_KEY");
        check_key(key.as_deref(), mode, &host)?;
        let allowlist = given("DEBUG_ALLOWED_IPS")
            .map(|list| Allowlist::parse(&list))
            .transpose()?;
        let most = number("DEBUG_RATE_LIMIT", 1, 1_000_000)?;
        let window = number("DEBUG_RATE_LIMIT_WINDOW_MS", 1, DAY_MS)?;
        // By default, a sidecar with a key has a limit in production, so that the key cannot be guessed quickly.
        let is_limited = most.is_some() || window.is_some() || (mode != Mode::Development && key.is_some());
        let rate_limit = is_limited.then(|| RateLimit {
            window_ms: window.unwrap_or(60_000),
            max: most.unwrap_or(100),
        });
        let redact = given("DEBUG_REDACT").unwrap_or_default();
        let redact = redact.split(',').map(str::trim).filter(|text| !text.is_empty());
        let keep = number("DEBUG_KEEP", 1, MOST_KEEP)?;
        Ok(Some(Self {
            port,
            host,
            key,
            allowlist,
            rate_limit,
            redact: redact.map(str::to_owned).collect(),
            keep: keep.and_then(|keep| usize::try_from(keep).ok()).unwrap_or(KEEP),
            is_production: mode != Mode::Development,
        }))
    }
}

/// Checks that there is a key if one is required, and that it is long enough. No message contains the key, because messages are
/// logged.
fn check_key(key: Option<&str>, mode: Mode, host: &str) -> Result<(), Error> {
    if key.is_some_and(|key| !key.bytes().all(|byte| byte.is_ascii_graphic())) {
        return Err(start_error::failure(
            "DEBUG_KEY has characters that a header cannot contain",
            "the key of the debug sidecar",
            "use visible ASCII characters without spaces, such as those of `openssl rand -base64 24`",
        ));
    }
    if mode == Mode::Production && key.is_none() {
        return Err(start_error::failure(
            "the debug sidecar is on in production, but it has no key",
            "the variable DEBUG_KEY",
            "set DEBUG_KEY to a secret, which clients send as X-Debug-Key, or set DEBUG_PORT to `off`",
        ));
    }
    if !is_loopback(host) && key.is_none_or(|key| key.len() < LEAST_OPEN_KEY) {
        return Err(start_error::failure(
            &format!(
                "other machines reach the debug sidecar at {host}, so it needs a key of at least {LEAST_OPEN_KEY} characters"
            ),
            "the variables DEBUG_HOST and DEBUG_KEY",
            "set DEBUG_KEY to random characters, such as those of `openssl rand -base64 24`, or remove DEBUG_HOST to listen on 127.0.0.1 only",
        ));
    }
    Ok(())
}

fn wrong(name: &str, value: &str, expected: &str) -> Error {
    Error::internal(format!("{name} is `{value}`, which is not {expected}"))
}

#[cfg(test)]
mod tests {
    use super::{DebugSettings, Mode};

    fn read(mode: Mode, list: &[(&str, &str)]) -> Result<Option<DebugSettings>, String> {
        let found = |name: &str| {
            let found = list.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        DebugSettings::read(mode, found).map_err(|error| error.message().to_owned())
    }

    const KEY: (&str, &str) = ("DEBUG_KEY", "of-the-test");

    #[test]
    fn is_on_by_default_in_development_only() {
        assert!(read(Mode::Development, &[]).expect("on").is_some());
        assert!(read(Mode::Production, &[]).expect("off").is_none());
        assert!(read(Mode::Unknown, &[]).expect("off").is_none());
        assert!(
            read(Mode::Development, &[("DEBUG_PORT", "off")])
                .expect("off")
                .is_none()
        );
        let asked = read(Mode::Unknown, &[("DEBUG_PORT", "0")])
            .expect("valid")
            .expect("on");
        assert!(asked.is_production && asked.rate_limit.is_none() && asked.port == 0);
    }

    #[test]
    fn requires_a_key_in_production_and_a_long_one_for_other_machines() {
        let message = |mode, list: &[_]| read(mode, list).expect_err("refused");
        assert!(message(Mode::Production, &[("DEBUG_PORT", "9800")]).contains("has no key"));
        let open = ("DEBUG_HOST", "0.0.0.0");
        for list in [&[open][..], &[open, KEY]] {
            assert!(message(Mode::Development, list).contains("at least 16 characters"));
        }
        let long = ("DEBUG_KEY", "0123456789abcdef");
        assert!(read(Mode::Development, &[open, long]).is_ok());
        assert!(message(Mode::Development, &[("DEBUG_KEY", "a b")]).contains("DEBUG_KEY has characters"));
        let limited = read(Mode::Production, &[KEY]).expect("valid").expect("on");
        assert_eq!(
            limited.rate_limit.map(|limit| (limit.max, limit.window_ms)),
            Some((100, 60_000))
        );
    }

    #[test]
    fn refuses_invalid_values_with_the_name_of_the_variable() {
        for (name, value) in [
            ("DEBUG_PORT", "98000"),
            ("DEBUG_MODE", "prod"),
            ("DEBUG_HOST", "a b"),
            ("DEBUG_ALLOWED_IPS", "10.0.0.0/33"),
            ("DEBUG_RATE_LIMIT", "0"),
            ("DEBUG_RATE_LIMIT_WINDOW_MS", "soon"),
            ("DEBUG_KEEP", "0"),
        ] {
            let message = read(Mode::Development, &[(name, value)]).expect_err(name);
            assert!(message.starts_with(name), "{message}");
        }
    }
}
