//! Generates the call that sets the rules of CORS, from the option `cors` of `createApp`.

use kit_ir::{CorsRules, Program};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::Problem;
use crate::source::string_literal;
use crate::types::Types;

/// Returns true if the application has the option `cors`, with a value that the compiler could read.
pub(crate) fn is_on(types: &Types<'_>) -> bool {
    rules(types.program).is_some()
}

pub(crate) fn rules(program: &Program) -> Option<&CorsRules> {
    program.application.cors.as_ref()?.rules.as_ref()
}

/// Returns the call `.cors(…)` for the generated routes. Returns `None` if the application does not have the
/// option `cors`.
pub(crate) fn call(types: &Types<'_>) -> Option<TokenStream> {
    let rules = rules(types.program)?;
    let cors = types.of_runtime("Cors");
    let new = match &rules.origins {
        None => quote!(#cors::any_origin()),
        Some(origins) => {
            let origins = origins.iter().map(|origin| string_literal(origin));
            quote!(#cors::origins(&[#(#origins),*]))
        }
    };
    let credentials = rules.credentials.then(|| quote!(.credentials()));
    let allowed = rules.allowed_headers.as_ref().map(|names| {
        let names = string_literal(&names.join(", ").to_lowercase());
        quote!(.allowed_headers(#names))
    });
    let exposed = (!rules.exposed_headers.is_empty()).then(|| {
        let names = string_literal(&rules.exposed_headers.join(", ").to_lowercase());
        quote!(.exposed_headers(#names))
    });
    let seconds = rules.max_age_seconds.map(|seconds| {
        let seconds = Literal::u32_unsuffixed(seconds);
        quote!(.max_age_seconds(#seconds))
    });
    Some(quote!(.cors(#new #credentials #allowed #exposed #seconds)))
}

/// Returns the mistakes in the option `cors`. A server on Node reports the same mistakes when it starts.
pub(crate) fn problems(program: &Program) -> Vec<Problem> {
    let Some(cors) = &program.application.cors else {
        return Vec::new();
    };
    let problem = |message: String, help: &str| Problem {
        message,
        span: cors.span,
        help: help.to_owned(),
    };
    let Some(rules) = &cors.rules else {
        return vec![problem(
            "the Rust server needs the value of `cors` at build time, but the value is known only when the \
             application runs"
                .to_owned(),
            "write the value as an object of literals, such as `{ origins: [\"https://app.example.com\"] }`",
        )];
    };
    let mut found = Vec::new();
    let origins = rules.origins.as_deref();
    if origins.is_none() && rules.credentials {
        found.push(problem(
            "`cors.credentials` cannot be combined with `cors.origins: \"*\"`, because every web page could then act \
             as the user"
                .to_owned(),
            "list the origins",
        ));
    }
    if origins.is_some_and(<[String]>::is_empty) {
        found.push(problem(
            "`cors.origins` is empty".to_owned(),
            "list the origins, or remove `cors`",
        ));
    }
    for origin in origins.unwrap_or_default() {
        if !is_origin(origin) {
            found.push(problem(
                format!("`cors.origins` has \"{origin}\", which is not an origin"),
                "write a scheme, a host in lower case and a port if it is not the default, such as \
                 \"https://app.example.com\", \"https://*.example.com\" or \"http://localhost:5173\"",
            ));
        }
    }
    for name in rules
        .allowed_headers
        .iter()
        .flatten()
        .chain(&rules.exposed_headers)
    {
        if !is_header_name(name) {
            found.push(problem(
                format!("`cors` has \"{name}\" in a list of headers, which is not a header name"),
                "write names such as \"x-tenant\"",
            ));
        }
    }
    found
}

/// Returns true for an origin as browsers send it, such as `https://example.com`: without a path, in lower
/// case, without a default port. Also returns true for `https://*.example.com`, which matches all subdomains.
pub(crate) fn is_origin(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else {
        return false;
    };
    let (host, port) = match rest.rsplit_once(':') {
        Some((host, port)) if !host.is_empty() && !port.ends_with(']') => (host, Some(port)),
        _ => (rest, None),
    };
    let default_port = match scheme {
        "http" => "80",
        "https" => "443",
        _ => return false,
    };
    let is_port = port.is_none_or(|port| {
        port != default_port
            && !port.starts_with('0')
            && port.bytes().all(|byte| byte.is_ascii_digit())
            && port.parse::<u16>().is_ok()
    });
    is_port && is_host(host)
}

fn is_host(host: &str) -> bool {
    if let Some(address) = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return address.parse::<std::net::Ipv6Addr>().is_ok();
    }
    let labels = host.strip_prefix("*.").unwrap_or(host);
    labels.split('.').all(|label| {
        !label.is_empty()
            && label
                .bytes()
                .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_'))
    })
}

pub(crate) fn is_header_name(name: &str) -> bool {
    let is_name_byte = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(is_name_byte)
}

#[cfg(test)]
mod tests {
    use super::is_origin;

    #[test]
    fn accepts_only_origins_in_the_form_that_browsers_send() {
        for origin in [
            "https://app.example.com",
            "https://*.example.com",
            "http://localhost:5173",
            "http://127.0.0.1:8080",
            "http://[::1]:3000",
            "http://[::1]",
        ] {
            assert!(is_origin(origin), "{origin}");
        }
        for other in [
            "*",
            "null",
            "app.example.com",
            "https://app.example.com/",
            "https://App.example.com",
            "https://app.example.com:443",
            "http://a:80",
            "http://a:080",
            "https://a.*.com",
            "https://",
            "ftp://a",
        ] {
            assert!(!is_origin(other), "{other}");
        }
    }
}
