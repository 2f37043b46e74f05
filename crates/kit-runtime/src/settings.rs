//! Settings from environment variables: address, limits, timeouts, trusted proxies.

use std::sync::OnceLock;
use std::time::Duration;

use tracing::Level;

use crate::Error;
use crate::connection::Timeouts;
use crate::cookies::CookieKeys;
use crate::tls_settings::TlsSettings;
use crate::trust_proxy::TrustProxy;
use crate::variables::{default_of, variable};

/// Address of the metrics: they are reachable only from this machine.
const METRICS_HOST: &str = "127.0.0.1";
/// Time after a signal in which the server still accepts connections, because some clients do not know of the shutdown yet.
const SHUTDOWN_DELAY: Duration = Duration::from_millis(100);
/// Shortest default of the grace period.
const SHORTEST_GRACE: Duration = Duration::from_secs(10);

/// Settings of the process.
#[derive(Debug)]
pub(crate) struct Settings {
    /// `HOST`; all IPv6 and IPv4 addresses if it is not set.
    pub(crate) host: Option<String>,
    /// `PORT`: the TCP port on which the server listens.
    pub(crate) port: u16,
    /// `BODY_LIMIT_BYTES`: maximum size of a request body in bytes.
    pub(crate) body_bytes: usize,
    /// `MAX_CONNECTIONS`: maximum number of open connections. Further connections wait to be accepted.
    pub(crate) connections: usize,
    /// `REQUEST_TIMEOUT_MS`: a request that takes longer gets the response 503. `None` if it is 0.
    pub(crate) request_timeout: Option<Duration>,
    /// `HEADERS_TIMEOUT_MS`, `BODY_TIMEOUT_MS`, `KEEP_ALIVE_TIMEOUT_MS`, `WRITE_TIMEOUT_MS`: maximum times for the
    /// client.
    pub(crate) timeouts: Timeouts,
    /// `SOCKET_PING_MS`: time without bytes of the client of a WebSocket after which the server sends a ping.
    pub(crate) socket_ping: Duration,
    /// `SOCKET_COMPRESSION`: true if messages of WebSockets may be compressed.
    #[cfg_attr(not(feature = "sockets"), allow(dead_code))] // Reason: only WebSockets read the setting.
    pub(crate) socket_compression: bool,
    /// `TLS_CERT`, `TLS_KEY` and others: the files and rules of TLS. `None` if the server speaks plain HTTP.
    pub(crate) tls: Option<TlsSettings>,
    /// `TRUST_PROXY`, `TRUST_PROXY_HEADER`: the proxies that may report the address of the client, and the header for
    /// it.
    pub(crate) trust_proxy: TrustProxy,
    /// `LOG_CLIENT_ERRORS`: log level of errors below 500 from middleware and handlers.
    pub(crate) client_errors: Level,
    /// `METRICS_PORT`: the TCP port from which Prometheus reads the metrics. `None` for no such port.
    pub(crate) metrics_port: Option<u16>,
    /// `METRICS_HOST`: the address of this port.
    pub(crate) metrics_host: String,
    /// `SHUTDOWN_DELAY_MS`: time in which the server still serves after a signal, with `/readyz` at 503.
    pub(crate) shutdown_delay: Duration,
    /// `SHUTDOWN_GRACE_MS`: maximum time that requests in progress may take after the delay. `None` if the variable is not set.
    pub(crate) shutdown_grace: Option<Duration>,
    /// `KIT_COOKIE_KEYS`: keys for signed cookies.
    pub(crate) cookie_keys: CookieKeys,
    /// `KIT_CURSOR_KEYS`: keys for cursors of lists. Cursors are not signed if there are none.
    pub(crate) cursor_keys: CookieKeys,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            host: None,
            port: 3000,
            body_bytes: 1024 * 1024,
            connections: 100_000,
            request_timeout: Some(Duration::from_secs(30)),
            timeouts: Timeouts::default(),
            socket_ping: Duration::from_secs(30),
            socket_compression: false,
            tls: None,
            trust_proxy: TrustProxy::default(),
            client_errors: Level::ERROR,
            metrics_port: None,
            metrics_host: METRICS_HOST.to_owned(),
            shutdown_delay: SHUTDOWN_DELAY,
            shutdown_grace: None,
            cookie_keys: CookieKeys::default(),
            cursor_keys: CookieKeys::default(),
        }
    }
}

static SETTINGS: OnceLock<Settings> = OnceLock::new();

/// Returns true if the settings were read, so that defaults of variables no longer change them.
pub(crate) fn are_read() -> bool {
    SETTINGS.get().is_some()
}

/// Returns the settings that [`Settings::load`] read. If `load` was not called, returns the defaults.
pub(crate) fn settings() -> &'static Settings {
    SETTINGS.get_or_init(|| Settings::read(default_of).unwrap_or_default())
}

impl Settings {
    /// Returns the maximum time that requests in progress may take after the shutdown began: by default the longest timeout of a
    /// request, at least 10 seconds. `of_routes` is the longest timeout that a route has in place of the server's own.
    pub(crate) fn grace_period(&self, of_routes: Option<Duration>) -> Duration {
        self.shutdown_grace.unwrap_or_else(|| {
            let longest = self.request_timeout.max(of_routes);
            longest.unwrap_or_default().max(SHORTEST_GRACE)
        })
    }

    /// Reads the environment variables.
    pub(crate) fn load() -> Result<&'static Self, Error> {
        let read = Self::read(variable)?;
        Ok(SETTINGS.get_or_init(|| read))
    }

    fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let given = |name: &str| variable(name).filter(|value| !value.is_empty());
        let number = |name: &str, what: &str, most: u64| match given(name) {
            None => Ok(None),
            Some(text) => match text.parse::<u64>() {
                Ok(number) if number <= most => Ok(Some(number)),
                _ => Err(Error::internal(format!(
                    "{name} is `{text}`, which is not a {what}"
                ))),
            },
        };
        // A timeout of more than a day is probably a mistake.
        let time = |name: &str, default: Duration| {
            let what = "number of milliseconds up to 86400000";
            let millis = number(name, what, 86_400_000)?;
            Ok::<_, Error>(millis.map_or(default, Duration::from_millis))
        };
        let default = Self::default();
        let port = number("PORT", "port: use a number up to 65535", u16::MAX.into())?;
        let metrics_port = match number("METRICS_PORT", "port: use a number up to 65535", u16::MAX.into())? {
            Some(port) => Some(port),
            None => number(
                "OTEL_EXPORTER_PROMETHEUS_PORT",
                "port: use a number up to 65535",
                u16::MAX.into(),
            )?,
        };
        let bytes = number("BODY_LIMIT_BYTES", "number of bytes up to 2^30", 1 << 30)?;
        let connections = number("MAX_CONNECTIONS", "number of connections up to 2^20", 1 << 20)?;
        let rate = number(
            "BODY_MIN_BYTES_PER_SECOND",
            "number of bytes up to 2147483647",
            2_147_483_647,
        )?;
        let tls = TlsSettings::read(given)?;
        let request_timeout = time("REQUEST_TIMEOUT_MS", Duration::from_secs(30))?;
        Ok(Self {
            host: given("HOST"),
            port: port
                .and_then(|port| u16::try_from(port).ok())
                .unwrap_or(default.port),
            body_bytes: bytes
                .and_then(|bytes| usize::try_from(bytes).ok())
                .unwrap_or(default.body_bytes),
            connections: match connections {
                Some(0) => {
                    return Err(Error::internal(
                        "MAX_CONNECTIONS is 0; give at least 1".to_owned(),
                    ));
                }
                Some(connections) => usize::try_from(connections).unwrap_or(default.connections),
                None => default.connections,
            },
            request_timeout: Some(request_timeout).filter(|time| !time.is_zero()),
            timeouts: Timeouts {
                head: time("HEADERS_TIMEOUT_MS", default.timeouts.head)?,
                body: time("BODY_TIMEOUT_MS", default.timeouts.body)?,
                body_rate: rate
                    .and_then(|rate| u32::try_from(rate).ok())
                    .unwrap_or(default.timeouts.body_rate),
                idle: time("KEEP_ALIVE_TIMEOUT_MS", default.timeouts.idle)?,
                write: time("WRITE_TIMEOUT_MS", default.timeouts.write)?,
            },
            socket_ping: match time("SOCKET_PING_MS", default.socket_ping)? {
                Duration::ZERO => {
                    return Err(Error::internal("SOCKET_PING_MS is 0; give at least 1".to_owned()));
                }
                ping => ping,
            },
            socket_compression: match given("SOCKET_COMPRESSION").as_deref() {
                None | Some("false") => false,
                Some("true") => true,
                Some(other) => {
                    return Err(Error::internal(format!(
                        "SOCKET_COMPRESSION is `{other}`, which is neither true nor false"
                    )));
                }
            },
            trust_proxy: TrustProxy::parse(
                given("TRUST_PROXY").as_deref().unwrap_or("false"),
                given("TRUST_PROXY_HEADER").as_deref(),
            )?
            .with_origin(
                given("TRUST_PROXY_SCHEME").as_deref(),
                given("TRUST_PROXY_HOST").as_deref(),
            )?
            .with_tls(tls.is_some()),
            tls,
            client_errors: match given("LOG_CLIENT_ERRORS") {
                None => default.client_errors,
                Some(name) => name.parse().map_err(|_| {
                    Error::internal(format!(
                        "LOG_CLIENT_ERRORS is `{name}`, which is not a level; use trace, debug, info, warn or error"
                    ))
                })?,
            },
            metrics_port: metrics_port.and_then(|port| u16::try_from(port).ok()),
            metrics_host: given("METRICS_HOST")
                .or_else(|| given("OTEL_EXPORTER_PROMETHEUS_HOST"))
                .unwrap_or(default.metrics_host),
            shutdown_delay: time("SHUTDOWN_DELAY_MS", SHUTDOWN_DELAY)?,
            shutdown_grace: given("SHUTDOWN_GRACE_MS")
                .map(|_| time("SHUTDOWN_GRACE_MS", SHORTEST_GRACE))
                .transpose()?,
            cookie_keys: CookieKeys::parse(given("KIT_COOKIE_KEYS").as_deref().unwrap_or_default())
                .map_err(Error::internal)?,
            cursor_keys: CookieKeys::parse_variable(
                "KIT_CURSOR_KEYS",
                given("KIT_CURSOR_KEYS").as_deref().unwrap_or_default(),
            )
            .map_err(Error::internal)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Settings;

    fn read(list: &[(&str, &str)]) -> Result<Settings, String> {
        let found = |name: &str| {
            let found = list.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Settings::read(found).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn uses_defaults_for_absent_or_empty_environment_variables() {
        let settings = read(&[("PORT", ""), ("HOST", "")]).expect("they are as if not set");
        assert_eq!((settings.host, settings.port), (None, 3000));
        assert_eq!(settings.connections, 100_000);
        assert_eq!(settings.request_timeout, Some(Duration::from_secs(30)));
        let settings = read(&[("HOST", "::1"), ("MAX_CONNECTIONS", "7")]).expect("good");
        assert_eq!((settings.host.as_deref(), settings.connections), (Some("::1"), 7));
        let settings = read(&[("REQUEST_TIMEOUT_MS", "0"), ("BODY_LIMIT_BYTES", "10")]).expect("good");
        assert_eq!((settings.request_timeout, settings.body_bytes), (None, 10));
    }

    #[test]
    fn metrics_are_off_unless_a_variable_has_their_port() {
        let of = |list: &[(&str, &str)]| {
            let settings = read(list).expect("they are valid");
            (settings.metrics_port, settings.metrics_host)
        };
        assert_eq!(of(&[]), (None, "127.0.0.1".to_owned()));
        let standard = ("OTEL_EXPORTER_PROMETHEUS_PORT", "9464");
        assert_eq!(of(&[standard]), (Some(9464), "127.0.0.1".to_owned()));
        let own = [standard, ("METRICS_PORT", "9000"), ("METRICS_HOST", "::1")];
        assert_eq!(of(&own), (Some(9000), "::1".to_owned()));
    }

    #[test]
    fn reads_the_delay_of_the_shutdown() {
        assert_eq!(
            read(&[]).expect("default").shutdown_delay,
            Duration::from_millis(100)
        );
        let settings = read(&[("SHUTDOWN_DELAY_MS", "2500")]).expect("good");
        assert_eq!(settings.shutdown_delay, Duration::from_millis(2500));
    }

    #[test]
    fn a_request_may_take_as_long_after_the_shutdown_began_as_before() {
        let grace = |list: &[(&str, &str)], of_route: Option<u64>| {
            let settings = read(list).expect("they are valid");
            settings.grace_period(of_route.map(Duration::from_secs)).as_secs()
        };
        assert_eq!(grace(&[], None), 30);
        assert_eq!(grace(&[], Some(5)), 30);
        assert_eq!(grace(&[], Some(90)), 90);
        assert_eq!(grace(&[("REQUEST_TIMEOUT_MS", "45000")], Some(5)), 45);
        // Requests without a timeout do not hold the server.
        assert_eq!(grace(&[("REQUEST_TIMEOUT_MS", "0")], Some(0)), 10);
        assert_eq!(grace(&[("REQUEST_TIMEOUT_MS", "2000")], None), 10);
        assert_eq!(grace(&[("SHUTDOWN_GRACE_MS", "3000")], Some(90)), 3);
        assert_eq!(grace(&[("SHUTDOWN_GRACE_MS", "0")], None), 0);
    }

    #[test]
    fn refuses_invalid_values_and_names_the_valid_range() {
        for (name, value, message) in [
            (
                "PORT",
                "70000",
                "PORT is `70000`, which is not a port: use a number up to 65535",
            ),
            (
                "PORT",
                "-1",
                "PORT is `-1`, which is not a port: use a number up to 65535",
            ),
            (
                "BODY_LIMIT_BYTES",
                "1 MB",
                "BODY_LIMIT_BYTES is `1 MB`, which is not a number of bytes up to 2^30",
            ),
            ("MAX_CONNECTIONS", "0", "MAX_CONNECTIONS is 0; give at least 1"),
            (
                "MAX_CONNECTIONS",
                "many",
                "MAX_CONNECTIONS is `many`, which is not a number of connections up to 2^20",
            ),
            (
                "LOG_CLIENT_ERRORS",
                "loud",
                "LOG_CLIENT_ERRORS is `loud`, which is not a level; use trace, debug, info, warn or error",
            ),
            (
                "WRITE_TIMEOUT_MS",
                "1e3",
                "WRITE_TIMEOUT_MS is `1e3`, which is not a number of milliseconds up to 86400000",
            ),
        ] {
            assert_eq!(read(&[(name, value)]).expect_err(value), message);
        }
    }

    #[test]
    fn reads_options_of_web_sockets() {
        let settings = read(&[]).expect("all have defaults");
        assert_eq!(settings.socket_ping, Duration::from_secs(30));
        assert!(!settings.socket_compression);
        let settings =
            read(&[("SOCKET_PING_MS", "250"), ("SOCKET_COMPRESSION", "true")]).expect("they are valid");
        assert_eq!(settings.socket_ping, Duration::from_millis(250));
        assert!(settings.socket_compression);
        for (name, value) in [
            ("SOCKET_PING_MS", "0"),
            ("SOCKET_PING_MS", "soon"),
            ("SOCKET_COMPRESSION", "1"),
        ] {
            let message = read(&[(name, value)]).expect_err("the value is invalid");
            assert!(message.starts_with(&format!("{name} is ")), "{message}");
        }
    }
}
