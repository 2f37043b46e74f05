//! Logins at the identity provider of the tests, which is in `OIDC_ISSUER`. `OIDC_TOLERANCE_MS` and `OIDC_TIMEOUT_MS` set the
//! accepted difference between clocks, and the longest time of a request.

use std::env;
use std::sync::LazyLock;
use std::time::Duration;

use kit_runtime::OptionError;
use kit_runtime::oidc::{Oidc, OidcOptions};

/// Returns the logins.
pub fn oidc() -> Result<&'static Oidc, OptionError> {
    static OIDC: LazyLock<Result<Oidc, OptionError>> = LazyLock::new(|| {
        let issuer = env::var("OIDC_ISSUER").unwrap_or_default();
        OidcOptions::new(issuer, "shop", "http://127.0.0.1:1/callback")
            .client_secret("a secret of the client shop, for tests")
            .scope("openid offline_access")
            .clock_tolerance(time("OIDC_TOLERANCE_MS"))
            .timeout(time("OIDC_TIMEOUT_MS"))
            .build()
    });
    OIDC.as_ref().map_err(Clone::clone)
}

fn time(variable: &str) -> Duration {
    let given = env::var(variable).ok().and_then(|text| text.parse().ok());
    Duration::from_millis(given.unwrap_or(5000))
}
