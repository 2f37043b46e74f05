//! TLS parameters of a database URL.
//!
//! | `sslmode` | encrypted | the server's certificate |
//! |---|---|---|
//! | `disable` | no | |
//! | `allow` | if the server refuses connections without TLS | not checked |
//! | `prefer`, the default | if the server has TLS, unless it accepts only connections without TLS | not checked |
//! | `require` | yes | not checked, unless `sslrootcert` names an authority |
//! | `verify-ca` | yes | must come from a trusted authority |
//! | `verify-full` | yes | must also be for the host of the URL |
//!
//! The trusted authorities are in the file that `sslrootcert` names. Without `sslrootcert`, they are the authorities of
//! the operating system. `sslrootcert=system` also selects the operating system's authorities and, as in libpq,
//! requires `verify-full`: these authorities issue certificates for any host, so only the host name identifies the
//! server.

use percent_encoding::percent_decode_str;

use crate::Error;

/// An attempt to connect, with or without TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TlsMode {
    /// Connects without TLS.
    Plain,
    /// Connects with TLS if the server offers TLS, otherwise without TLS.
    Offered,
    /// Connects only with TLS.
    Encrypted,
}

/// Checks of the server's certificate, from none to the strictest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CertificateChecks {
    Nothing,
    Authority,
    AuthorityAndHost,
}

/// TLS settings of a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TlsSettings {
    /// Attempts to connect with and without TLS, in their order.
    pub(super) ways: &'static [TlsMode],
    pub(super) checks: CertificateChecks,
    /// PEM file with the certificates of the trusted authorities; `None` for the authorities of the operating
    /// system.
    pub(super) roots: Option<String>,
    /// PEM files of the client's certificate and key.
    pub(super) identity: Option<(String, String)>,
}

/// Parameters of libpq that kit does not implement and that make a connection safer or less safe. A URL with such a
/// parameter is refused.
const UNSUPPORTED: [&str; 11] = [
    "channel_binding",
    "gssencmode",
    "require_auth",
    "requirepeer",
    "ssl_max_protocol_version",
    "ssl_min_protocol_version",
    "sslcertmode",
    "sslcrl",
    "sslcrldir",
    "sslnegotiation",
    "sslpassword",
];

/// Values with which the unsupported parameters have no effect, so that kit accepts them.
const VALUES_WITHOUT_EFFECT: [(&str, &str); 8] = [
    ("channel_binding", "prefer"),
    ("channel_binding", "disable"),
    ("gssencmode", "prefer"),
    ("gssencmode", "disable"),
    ("ssl_min_protocol_version", "TLSv1.2"),
    ("ssl_max_protocol_version", "TLSv1.3"),
    ("sslcertmode", "allow"),
    ("sslnegotiation", "postgres"),
];

impl TlsSettings {
    /// Returns true if certificates are read from files or from the operating system.
    pub(super) fn needs_files(&self) -> bool {
        self.checks != CertificateChecks::Nothing || self.identity.is_some()
    }

    /// Reads the TLS parameters of a URL. Returns the URL without them, and the settings. `variable` reads an
    /// environment variable, for parameters that the URL lacks.
    pub(super) fn of(url: &str, variable: impl Fn(&str) -> Option<String>) -> Result<(String, Self), Error> {
        let (base, query) = url.split_once('?').unwrap_or((url, ""));
        let given = |name: &str| variable(name).filter(|value| !value.is_empty());
        let mut mode = given("PGSSLMODE");
        let mut roots = given("PGSSLROOTCERT");
        let mut certificate = given("PGSSLCERT");
        let mut key = given("PGSSLKEY");
        let mut rest = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = percent_decode_str(value).decode_utf8_lossy().into_owned();
            let place = match name {
                "sslmode" | "ssl-mode" => &mut mode,
                "sslrootcert" | "ssl-root-cert" | "ssl-ca" => &mut roots,
                "sslcert" | "ssl-cert" => &mut certificate,
                "sslkey" | "ssl-key" => &mut key,
                name if VALUES_WITHOUT_EFFECT.contains(&(name, &value)) => continue,
                name if UNSUPPORTED.contains(&name) => {
                    return Err(refused(format!(
                        "`{name}={value}` is not supported by this server; remove it from the URL"
                    )));
                }
                _ => {
                    rest.push(pair);
                    continue;
                }
            };
            *place = Some(value);
        }
        let is_system = roots.as_deref() == Some("system");
        let (ways, checks) = ways(mode.as_deref(), roots.is_some(), is_system)?;
        if is_system && checks != CertificateChecks::AuthorityAndHost {
            return Err(refused(format!(
                "`sslmode={}` is too weak for `sslrootcert=system`, because these authorities give certificates to anybody; write `sslmode=verify-full`, or remove `sslmode`",
                mode.unwrap_or_default()
            )));
        }
        let identity = match (certificate, key) {
            (None, None) => None,
            (Some(certificate), Some(key)) => Some((certificate, key)),
            _ => {
                return Err(refused(
                    "`sslcert` and `sslkey` must be used together, but one of the two is missing".to_owned(),
                ));
            }
        };
        let stripped = if rest.is_empty() {
            base.to_owned()
        } else {
            format!("{base}?{}", rest.join("&"))
        };
        let security = Self {
            ways,
            checks,
            roots: roots.filter(|_| !is_system),
            identity,
        };
        Ok((stripped, security))
    }
}

fn ways(
    mode: Option<&str>,
    has_roots: bool,
    is_system: bool,
) -> Result<(&'static [TlsMode], CertificateChecks), Error> {
    Ok(match mode {
        None if is_system => (&[TlsMode::Encrypted], CertificateChecks::AuthorityAndHost),
        None | Some("prefer") => (&[TlsMode::Offered, TlsMode::Plain], CertificateChecks::Nothing),
        Some("allow") => (&[TlsMode::Plain, TlsMode::Encrypted], CertificateChecks::Nothing),
        Some("disable") => (&[TlsMode::Plain], CertificateChecks::Nothing),
        // libpq checks the authority if `sslrootcert` is given.
        Some("require") if has_roots => (&[TlsMode::Encrypted], CertificateChecks::Authority),
        Some("require") => (&[TlsMode::Encrypted], CertificateChecks::Nothing),
        Some("verify-ca") => (&[TlsMode::Encrypted], CertificateChecks::Authority),
        Some("verify-full") => (&[TlsMode::Encrypted], CertificateChecks::AuthorityAndHost),
        Some(other) => {
            return Err(refused(format!(
                "`sslmode={other}` is not supported; use disable, allow, prefer, require, verify-ca or verify-full"
            )));
        }
    })
}

pub(super) fn refused(reason: impl std::fmt::Display) -> Error {
    Error::internal(format!("DATABASE_URL: {reason}"))
}

#[cfg(test)]
mod tests {
    use super::TlsMode::{Encrypted, Offered, Plain};
    use super::{CertificateChecks, TlsSettings};

    fn of(url: &str) -> Result<(String, TlsSettings), String> {
        TlsSettings::of(url, |_| None).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn selects_attempts_and_certificate_checks_for_each_sslmode() {
        for (query, ways, checks) in [
            ("", &[Offered, Plain][..], CertificateChecks::Nothing),
            (
                "?sslmode=prefer&sslrootcert=/a",
                &[Offered, Plain],
                CertificateChecks::Nothing,
            ),
            ("?sslmode=allow", &[Plain, Encrypted], CertificateChecks::Nothing),
            ("?sslmode=disable", &[Plain], CertificateChecks::Nothing),
            ("?sslmode=require", &[Encrypted], CertificateChecks::Nothing),
            (
                "?sslmode=require&sslrootcert=/a",
                &[Encrypted],
                CertificateChecks::Authority,
            ),
            ("?sslmode=verify-ca", &[Encrypted], CertificateChecks::Authority),
            (
                "?sslmode=verify-full",
                &[Encrypted],
                CertificateChecks::AuthorityAndHost,
            ),
            (
                "?sslrootcert=system",
                &[Encrypted],
                CertificateChecks::AuthorityAndHost,
            ),
        ] {
            let (rest, security) = of(&format!("postgres://h/d{query}")).expect(query);
            assert_eq!(
                (rest.as_str(), security.ways, security.checks),
                ("postgres://h/d", ways, checks),
                "{query}"
            );
        }
        let (rest, security) = of("postgres://h/d?application_name=a&sslrootcert=/a%20b.pem").expect("good");
        assert_eq!(rest, "postgres://h/d?application_name=a");
        assert_eq!(security.roots.as_deref(), Some("/a b.pem"));
    }

    #[test]
    fn reads_environment_variables_for_parameters_that_the_url_lacks() {
        let variable = |name: &str| (name == "PGSSLMODE").then(|| "verify-ca".to_owned());
        let (_, security) = TlsSettings::of("postgres://h/d", variable).expect("good");
        assert_eq!(security.checks, CertificateChecks::Authority);
        let (_, security) = TlsSettings::of("postgres://h/d?sslmode=disable", variable).expect("good");
        assert_eq!(security.ways, [Plain]);
    }

    #[test]
    fn refuses_unsupported_and_invalid_tls_parameters_of_a_url() {
        for (query, part) in [
            ("sslmode=full", "`sslmode=full` is not supported"),
            ("sslcert=/x", "must be used together"),
            (
                "channel_binding=require",
                "`channel_binding=require` is not supported",
            ),
            ("sslcrl=/x", "remove it from the URL"),
            ("ssl_min_protocol_version=TLSv1.3", "is not supported"),
        ] {
            let message = of(&format!("postgres://h/d?{query}")).expect_err(query);
            assert!(message.contains(part), "{query}: {message}");
        }
        for mode in ["disable", "allow", "prefer", "require", "verify-ca"] {
            let message = of(&format!("postgres://h/d?sslmode={mode}&sslrootcert=system")).expect_err(mode);
            assert!(message.contains("verify-full"), "{mode}: {message}");
        }
    }
}
