//! Choice of a coding from the header `accept-encoding` (RFC 9110, 12.5.3). The counterpart for Node is
//! `packages/core/src/edge/accept-encoding.ts`; both pass `negotiation` of `conformance/compression.json`.

use super::Coding;

/// Coding for a response.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Choice {
    /// Coding of the response. `None` to send the response without a coding.
    pub(super) coding: Option<Coding>,
    /// True if the client accepts no response without a coding.
    pub(super) is_required: bool,
}

/// Chooses the coding with the highest weight. If several codings have equal weights, takes the first in `codings`. A
/// response without a coding is chosen only if the client gives it a higher weight, or if the client accepts none of
/// the codings.
///
/// An invalid member of the header is ignored. If a coding occurs twice, its first weight counts.
pub(super) fn choose(header: Option<&str>, codings: &[Coding]) -> Choice {
    let without = Choice {
        coding: None,
        is_required: false,
    };
    let Some(header) = header else { return without };
    let header = header.to_ascii_lowercase();
    let weights: Vec<(&str, u16)> = header.split(',').filter_map(member).collect();
    let weight_of = |name: &str| {
        let found = weights.iter().find(|(known, _)| *known == name);
        found.map(|(_, weight)| *weight)
    };
    let any = weight_of("*");
    let mut chosen = None;
    let mut best = 0;
    for coding in codings {
        let weight = weight_of(coding.name()).or(any).unwrap_or(0);
        if weight > best {
            best = weight;
            chosen = Some(*coding);
        }
    }
    let identity = weight_of("identity").or(any);
    if chosen.is_none() || identity.is_some_and(|identity| identity > best) {
        return without;
    }
    Choice {
        coding: chosen,
        is_required: identity == Some(0),
    }
}

/// Reads one member of the header `accept-encoding`: a coding, and its weight in thousandths. Returns `None`
/// if the member is invalid.
fn member(text: &str) -> Option<(&str, u16)> {
    let is_blank = |character: char| matches!(character, ' ' | '\t');
    let text = text.trim();
    let (name, weight) = match text.split_once(';') {
        Some((name, parameter)) => {
            let value = parameter.trim_start_matches(is_blank).strip_prefix("q=")?;
            (name.trim_end_matches(is_blank), thousandths(value)?)
        }
        None => (text, 1000),
    };
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_token) {
        return None;
    }
    // RFC 9110, 8.4.1.3: `x-gzip` is another name of `gzip`.
    Some((if name == "x-gzip" { "gzip" } else { name }, weight))
}

/// Reads a weight (RFC 9110, 12.4.2): 0 to 1, with at most three digits after the point.
fn thousandths(text: &str) -> Option<u16> {
    let (whole, digits) = text.split_once('.').unwrap_or((text, ""));
    if digits.len() > 3 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    match whole {
        "0" => format!("{digits:0<3}").parse().ok(),
        "1" if digits.bytes().all(|byte| byte == b'0') => Some(1000),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Coding;
    use super::super::tests::conformance;
    use super::{Choice, choose};

    #[test]
    fn passes_the_conformance_cases() {
        let Some(document) = conformance() else {
            return;
        };
        let cases = document["negotiation"].as_array().unwrap();
        assert!(cases.len() > 20);
        for case in cases {
            let codings: Vec<Coding> = case["codings"]
                .as_array()
                .unwrap()
                .iter()
                .map(|name| match name.as_str() {
                    Some("br") => Coding::Brotli,
                    _ => Coding::Gzip,
                })
                .collect();
            let Choice { coding, is_required } = choose(case["header"].as_str(), &codings);
            assert_eq!(coding.map(Coding::name), case["coding"].as_str(), "{case}");
            assert_eq!(is_required, case["isRequired"] == true, "{case}");
        }
    }
}
