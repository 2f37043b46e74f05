//! Environment variables of TLS.

use std::path::PathBuf;

use crate::Error;

/// Files and rules of TLS.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(not(feature = "tls"), allow(dead_code))] // Reason: a server without the feature refuses the settings.
pub(crate) struct TlsSettings {
    /// `TLS_CERT`: the path of the certificates.
    pub(crate) certificate: PathBuf,
    /// `TLS_KEY`: the path of the private key.
    pub(crate) key: PathBuf,
    /// `TLS_CLIENT_CA`: the path of the authorities for certificates of clients. `None` if clients need no certificate.
    pub(crate) client_authorities: Option<PathBuf>,
    /// `TLS_CLIENT_CERTIFICATES`: true if clients without a certificate are refused.
    pub(crate) is_client_certificate_required: bool,
    /// `TLS_MIN_VERSION`: true if clients must use TLS 1.3.
    pub(crate) is_1_3_required: bool,
    /// `TLS_REDIRECT_PORT` and `TLS_REDIRECT_TO`. `None` if the server redirects no plain HTTP.
    pub(crate) redirect: Option<RedirectSettings>,
}

/// Redirects from plain HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(not(feature = "tls"), allow(dead_code))] // Reason: a server without the feature refuses the settings.
pub(crate) struct RedirectSettings {
    /// `TLS_REDIRECT_PORT`: the port of plain HTTP.
    pub(crate) port: u16,
    /// `TLS_REDIRECT_TO`: the origin of the redirects, such as `https://example.com`. `None` for the host of the request.
    pub(crate) to: Option<String>,
}

impl RedirectSettings {
    fn read(given: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, Error> {
        let to = given("TLS_REDIRECT_TO");
        if let Some(to) = to.as_ref().filter(|to| !is_secure_origin(to)) {
            return Err(Error::internal(format!(
                "TLS_REDIRECT_TO is `{to}`, which is not an origin such as https://example.com, without a path"
            )));
        }
        match given("TLS_REDIRECT_PORT") {
            None if to.is_some() => Err(Error::internal(
                "TLS_REDIRECT_TO is set, but TLS_REDIRECT_PORT is not; give the port of plain HTTP, such as 80"
                    .to_owned(),
            )),
            None => Ok(None),
            Some(text) => match text.parse() {
                Ok(port) => Ok(Some(Self { port, to })),
                Err(_) => Err(Error::internal(format!(
                    "TLS_REDIRECT_PORT is `{text}`, which is not a port: use a number up to 65535"
                ))),
            },
        }
    }
}

/// Returns true for an origin with TLS, such as `https://example.com`.
fn is_secure_origin(text: &str) -> bool {
    let host = text.strip_prefix("https://");
    host.is_some_and(|host| !host.starts_with('*')) && kit_guard::is_origin(text)
}

impl TlsSettings {
    /// Reads the variables. Returns `None` if the server uses no TLS.
    pub(crate) fn read(given: impl Fn(&str) -> Option<String> + Copy) -> Result<Option<Self>, Error> {
        let refuse = |message: &str| Err(Error::internal(message.to_owned()));
        let (certificate, key) = match (given("TLS_CERT"), given("TLS_KEY")) {
            (Some(certificate), Some(key)) => (certificate.into(), key.into()),
            (Some(_), None) => {
                return refuse("TLS_CERT is set, but TLS_KEY is not; give the path of the private key");
            }
            (None, Some(_)) => {
                return refuse("TLS_KEY is set, but TLS_CERT is not; give the path of the certificate");
            }
            (None, None) => {
                let others = [
                    "TLS_CLIENT_CA",
                    "TLS_CLIENT_CERTIFICATES",
                    "TLS_MIN_VERSION",
                    "TLS_REDIRECT_PORT",
                    "TLS_REDIRECT_TO",
                ];
                return match others.into_iter().find(|name| given(name).is_some()) {
                    Some(name) => refuse(&format!(
                        "{name} is set, but TLS_CERT and TLS_KEY are not; the server uses TLS only with both of them"
                    )),
                    None => Ok(None),
                };
            }
        };
        let client_authorities: Option<PathBuf> = given("TLS_CLIENT_CA").map(Into::into);
        let rule = given("TLS_CLIENT_CERTIFICATES");
        let is_client_certificate_required = match (rule.as_deref(), &client_authorities) {
            (None | Some("required"), Some(_)) => true,
            (None, None) | (Some("optional"), Some(_)) => false,
            (Some("required" | "optional"), None) => {
                return refuse(
                    "TLS_CLIENT_CERTIFICATES is set, but TLS_CLIENT_CA is not; give the path of the authorities that sign certificates of clients",
                );
            }
            (Some(other), _) => {
                return refuse(&format!(
                    "TLS_CLIENT_CERTIFICATES is `{other}`, which is neither required nor optional"
                ));
            }
        };
        let is_1_3_required = match given("TLS_MIN_VERSION").as_deref() {
            None | Some("1.2") => false,
            Some("1.3") => true,
            Some(other) => {
                return refuse(&format!(
                    "TLS_MIN_VERSION is `{other}`, which is neither 1.2 nor 1.3"
                ));
            }
        };
        Ok(Some(Self {
            certificate,
            key,
            client_authorities,
            is_client_certificate_required,
            is_1_3_required,
            redirect: RedirectSettings::read(given)?,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::TlsSettings;

    fn read(list: &[(&str, &str)]) -> Result<Option<TlsSettings>, String> {
        let found = |name: &str| {
            let found = list.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        TlsSettings::read(found).map_err(|error| error.message().to_owned())
    }

    const FILES: [(&str, &str); 2] = [("TLS_CERT", "a.pem"), ("TLS_KEY", "a.key")];

    #[test]
    fn is_off_without_variables_and_requires_certificate_and_key() {
        assert_eq!(read(&[]), Ok(None));
        let settings = read(&FILES).expect("valid").expect("TLS");
        assert_eq!(settings.certificate.to_str(), Some("a.pem"));
        assert!(settings.client_authorities.is_none() && !settings.is_1_3_required);
        for (list, name) in [
            (&FILES[..1], "TLS_KEY is not"),
            (&FILES[1..], "TLS_CERT is not"),
            (&[("TLS_MIN_VERSION", "1.3")][..], "TLS_MIN_VERSION is set"),
        ] {
            let error = read(list).expect_err("a variable is missing");
            assert!(error.contains(name), "{error}");
        }
    }

    #[test]
    fn requires_certificates_of_clients_if_their_authorities_are_given() {
        let with = |more: &[(&str, &str)]| read(&[&FILES, more].concat());
        let authorities = ("TLS_CLIENT_CA", "ca.pem");
        let is_required = |more: &[(&str, &str)]| {
            let settings = with(more).expect("valid").expect("TLS");
            settings.is_client_certificate_required
        };
        assert!(is_required(&[authorities]));
        assert!(!is_required(&[
            authorities,
            ("TLS_CLIENT_CERTIFICATES", "optional")
        ]));
        let error = with(&[("TLS_CLIENT_CERTIFICATES", "required")]).expect_err("no authorities");
        assert!(error.contains("TLS_CLIENT_CA is not"), "{error}");
        let error = with(&[authorities, ("TLS_CLIENT_CERTIFICATES", "yes")]).expect_err("an unknown rule");
        assert!(error.contains("neither required nor optional"), "{error}");
        let error = with(&[("TLS_MIN_VERSION", "1.1")]).expect_err("an old version");
        assert!(error.contains("neither 1.2 nor 1.3"), "{error}");
    }

    #[test]
    fn redirects_only_from_a_port_and_only_to_an_origin_with_tls() {
        let with = |more: &[(&str, &str)]| read(&[&FILES, more].concat());
        let port = ("TLS_REDIRECT_PORT", "80");
        let settings = with(&[port, ("TLS_REDIRECT_TO", "https://example.com")]);
        let redirect = settings
            .expect("valid")
            .expect("TLS")
            .redirect
            .expect("redirects");
        assert_eq!(
            (redirect.port, redirect.to.as_deref()),
            (80, Some("https://example.com"))
        );
        assert!(
            read(&[port])
                .expect_err("no certificate")
                .contains("TLS_REDIRECT_PORT is set")
        );
        for (variables, message) in [
            (
                &[("TLS_REDIRECT_PORT", "http")][..],
                "TLS_REDIRECT_PORT is `http`",
            ),
            (&[("TLS_REDIRECT_TO", "https://a")], "TLS_REDIRECT_PORT is not"),
            (&[port, ("TLS_REDIRECT_TO", "http://a")], "is not an origin"),
            (&[port, ("TLS_REDIRECT_TO", "https://a/b")], "is not an origin"),
            (&[port, ("TLS_REDIRECT_TO", "https://a:443")], "is not an origin"),
            (&[port, ("TLS_REDIRECT_TO", "https://A")], "is not an origin"),
        ] {
            let error = with(variables).expect_err(message);
            assert!(error.contains(message), "{error}");
        }
    }
}
