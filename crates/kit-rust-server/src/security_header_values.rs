//! Values that browsers know for the headers of the option `securityHeaders`. Browsers ignore a header with another value,
//! so a misspelt value would protect nobody. The counterpart for Node is
//! `packages/core/src/edge/security-header-values.ts`; both pass `values` of `conformance/security-headers.json`.

const FRAME_OPTIONS: [&str; 2] = ["DENY", "SAMEORIGIN"];
const RESOURCE_POLICIES: [&str; 3] = ["same-origin", "same-site", "cross-origin"];
const OPENER_POLICIES: [&str; 4] = [
    "same-origin",
    "same-origin-allow-popups",
    "noopener-allow-popups",
    "unsafe-none",
];
/// Values of the header `referrer-policy` that browsers know (W3C Referrer Policy, section 3).
const REFERRER_POLICIES: [&str; 8] = [
    "no-referrer",
    "no-referrer-when-downgrade",
    "origin",
    "origin-when-cross-origin",
    "same-origin",
    "strict-origin",
    "strict-origin-when-cross-origin",
    "unsafe-url",
];

/// Returns a description of the values that browsers know for a header. Returns `None` if browsers know the
/// given value, or if kit does not check the values of the header (`contentSecurityPolicy`,
/// `permissionsPolicy`).
pub(crate) fn describe_known_values(option: &str, value: &str) -> Option<String> {
    match option {
        "frameOptions" => known_by(&FRAME_OPTIONS, &value.to_ascii_uppercase()),
        "crossOriginResourcePolicy" => known_by(&RESOURCE_POLICIES, value),
        // A parameter may follow: same-origin; report-to="coop"
        "crossOriginOpenerPolicy" => {
            let policy = value.split(';').next().unwrap_or_default();
            known_by(&OPENER_POLICIES, policy.trim())
        }
        // Browsers use the last policy of the list that they know.
        "referrerPolicy" => value
            .split(',')
            .find_map(|policy| known_by(&REFERRER_POLICIES, &policy.trim().to_ascii_lowercase())),
        "strictTransportSecurity" if !is_transport_security(value) => {
            Some("max-age=SECONDS, and after semicolons includeSubDomains and preload".to_owned())
        }
        _ => None,
    }
}

fn known_by(known: &[&str], value: &str) -> Option<String> {
    (!known.contains(&value)).then(|| known.join(", "))
}

/// Returns true for a valid value of `strict-transport-security`: it has `max-age`, no directive twice, and
/// no unknown directive (RFC 6797, section 6.1).
fn is_transport_security(value: &str) -> bool {
    let mut names = Vec::new();
    for directive in value.split(';') {
        let directive = directive.trim().to_ascii_lowercase();
        let name = match directive.split_once('=') {
            Some((name, seconds)) if name.trim_end_matches(' ') == "max-age" && is_seconds(seconds) => {
                "max-age"
            }
            None if directive == "includesubdomains" => "includeSubDomains",
            None if directive == "preload" => "preload",
            _ => return false,
        };
        if names.contains(&name) {
            return false;
        }
        names.push(name);
    }
    names.contains(&"max-age")
}

fn is_seconds(text: &str) -> bool {
    let text = text.trim_start_matches(' ');
    let quoted = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    let digits = quoted.unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::describe_known_values;

    #[test]
    fn has_the_header_values_of_the_conformance_file() {
        let text = include_str!("../../../conformance/security-headers.json");
        let shared: Value = serde_json::from_str(text).expect("JSON");
        let cases = shared["values"].as_array().expect("a list");
        for case in cases {
            let part = |name: &str| case[name].as_str();
            let (option, value) = (
                part("option").expect("an option"),
                part("value").expect("a value"),
            );
            assert_eq!(
                describe_known_values(option, value).as_deref(),
                part("known"),
                "{case}"
            );
        }
        assert!(cases.len() > 30);
    }
}
