//! The headers `accept` and `accept-encoding`.

/// Coding of a compressed file (RFC 9110, 8.4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    Brotli,
    Zstd,
    Gzip,
}

impl Coding {
    /// All codings, the preferred one first.
    pub(crate) const ALL: [Self; 3] = [Self::Brotli, Self::Zstd, Self::Gzip];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Zstd => "zstd",
            Self::Gzip => "gzip",
        }
    }

    /// Returns the end of the names of files with this coding.
    pub(crate) fn ending(self) -> &'static str {
        match self {
            Self::Brotli => ".br",
            Self::Zstd => ".zst",
            Self::Gzip => ".gz",
        }
    }
}

/// Returns the coding with the highest weight that the header `accept-encoding` accepts (RFC 9110, 12.5.3), the first of
/// them in `codings`. Returns `None` if the client accepts none, or prefers no coding.
pub(crate) fn choose_coding(header: Option<&str>, codings: &[Coding]) -> Option<Coding> {
    let weights = weights_of(header?);
    let weight_of = |name: &str| {
        let found = weights.iter().find(|(known, _)| known == name);
        found.map(|(_, weight)| *weight)
    };
    let any = weight_of("*");
    let mut chosen = None;
    let mut best = 0;
    for coding in codings {
        let weight = weight_of(coding.name()).or(any).unwrap_or(0);
        if weight > best {
            (chosen, best) = (Some(*coding), weight);
        }
    }
    let identity = weight_of("identity").or(any).unwrap_or(0);
    chosen.filter(|_| identity <= best)
}

/// Returns true if the header `accept-encoding` accepts gzip. A client without the header may not support gzip.
///
/// ```
/// assert!(kit_static::accepts_gzip(Some("br, gzip;q=0.5")));
/// assert!(kit_static::accepts_gzip(Some("identity, *;q=0.5")));
/// assert!(!kit_static::accepts_gzip(Some("gzip;q=0, *")));
/// assert!(!kit_static::accepts_gzip(None));
/// ```
pub fn accepts_gzip(header: Option<&str>) -> bool {
    let weights = weights_of(header.unwrap_or_default());
    let weight_of = |wanted: &str| weights.iter().find(|(name, _)| name == wanted);
    weight_of("gzip")
        .or_else(|| weight_of("*"))
        .is_some_and(|(_, weight)| *weight > 0)
}

/// Returns the names and the weights of a header in thousandths. Invalid members are ignored, and the first weight of a
/// name counts.
fn weights_of(header: &str) -> Vec<(String, u16)> {
    let mut weights: Vec<(String, u16)> = Vec::new();
    for member in header.split(',') {
        let (name, weight) = match member.split_once(';') {
            None => (member.trim(), Some(1000)),
            Some((name, parameter)) => (name.trim(), weight_of(parameter.trim())),
        };
        let name = name.to_ascii_lowercase();
        // RFC 9110, 8.4.1.3: `x-gzip` is another name of `gzip`.
        let name = if name == "x-gzip" { "gzip".to_owned() } else { name };
        if let Some(weight) = weight {
            if !weights.iter().any(|(known, _)| *known == name) {
                weights.push((name, weight));
            }
        }
    }
    weights
}

/// Returns the weight in a parameter such as `q=0.5`, in thousandths (RFC 9110, 12.4.2).
fn weight_of(parameter: &str) -> Option<u16> {
    let text = parameter
        .strip_prefix("q=")
        .or_else(|| parameter.strip_prefix("Q="))?;
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    if part.len() > 3 || !part.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let part: u16 = format!("{part:0<3}").parse().ok()?;
    match whole {
        "0" => Some(part),
        "1" if part == 0 => Some(1000),
        _ => None,
    }
}

/// Returns true if the header `accept` names `text/html`, as browsers do for pages but not for scripts or `fetch`.
pub(crate) fn accepts_html(header: Option<&str>) -> bool {
    header.unwrap_or_default().split(',').any(|range| {
        let mut parts = range.split(';').map(str::trim);
        let is_html = parts
            .next()
            .is_some_and(|kind| kind.eq_ignore_ascii_case("text/html"));
        is_html && !parts.any(|parameter| weight_of(parameter) == Some(0))
    })
}
