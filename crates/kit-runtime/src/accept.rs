//! Choice of a media type by the header `accept` (RFC 9110, 12.5.1). `packages/core/src/bodies/accept.ts` implements the same
//! in TypeScript.

use indexmap::IndexMap;

use crate::media_type::{MediaType, is_token, parse_parameters, trim};

/// Member of the header: a media type or range with its weight.
struct Range {
    /// Type and subtype in lower case: `text/*`.
    essence: String,
    parameters: IndexMap<String, String>,
    /// Weight in thousandths. 0 means "not acceptable".
    quality: u16,
}

/// Returns the index of the media type that a client prefers: the one with the highest quality, and of several with the same
/// quality the first. Returns `None` if the client accepts none of them. Without the header, and if no member of the header
/// is valid, the client accepts everything.
///
/// ```
/// use kit_runtime::accept::preferred;
///
/// let offers = ["application/json", "text/csv;charset=utf-8"];
/// assert_eq!(preferred(None, &offers), Some(0));
/// assert_eq!(preferred(Some("application/*;q=0.5, text/csv"), &offers), Some(1));
/// assert_eq!(preferred(Some("image/png"), &offers), None);
/// ```
pub fn preferred(accept: Option<&str>, offers: &[&str]) -> Option<usize> {
    let ranges = accept.map(parse).unwrap_or_default();
    if ranges.is_empty() {
        return (!offers.is_empty()).then_some(0);
    }
    let mut found = None;
    let mut best = 0;
    for (index, offer) in offers.iter().enumerate() {
        let quality = MediaType::parse(offer).map_or(0, |offer| quality_of(&ranges, &offer));
        if quality > best {
            (found, best) = (Some(index), quality);
        }
    }
    found
}

/// Returns the quality of a media type for a header, in thousandths: that of the most specific range that contains the type.
/// 0 if no range does.
///
/// ```
/// use kit_runtime::accept::quality;
///
/// assert_eq!(quality("text/*;q=0.3, text/plain", "text/html"), 300);
/// ```
pub fn quality(accept: &str, media_type: &str) -> u16 {
    MediaType::parse(media_type).map_or(0, |offer| quality_of(&parse(accept), &offer))
}

/// Returns the members of the header. Leaves out members that are not valid.
fn parse(header: &str) -> Vec<Range> {
    members_of(header).into_iter().filter_map(parse_member).collect()
}

fn parse_member(member: &str) -> Option<Range> {
    let (essence, mut parameters) = match member.find(';') {
        Some(semicolon) => (&member[..semicolon], parse_parameters(&member[semicolon..])?),
        None => (member, IndexMap::new()),
    };
    let mut essence = trim(essence).to_lowercase();
    if essence == "*" {
        essence.push_str("/*");
    }
    let (kind, subtype) = essence.split_once('/')?;
    if !is_token(kind) || !is_token(subtype) || (kind == "*" && subtype != "*") {
        return None;
    }
    let quality = match parameters.shift_remove("q") {
        Some(weight) => parse_weight(&weight)?,
        None => 1000,
    };
    Some(Range {
        essence,
        parameters,
        quality,
    })
}

/// Returns a weight in thousandths. Some clients leave out the zero before the point.
fn parse_weight(text: &str) -> Option<u16> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    if part.len() > 3 || !part.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let part_of_1000: u16 = format!("{part:0<3}").parse().ok()?;
    match whole {
        "" if !part.is_empty() => Some(part_of_1000),
        "0" => Some(part_of_1000),
        "1" if part_of_1000 == 0 => Some(1000),
        _ => None,
    }
}

fn quality_of(ranges: &[Range], offer: &MediaType) -> u16 {
    let of_ranges = ranges
        .iter()
        .filter_map(|range| Some((specificity_of(range, offer)?, range.quality)));
    of_ranges.max().map_or(0, |(_, quality)| quality)
}

/// Returns `None` if the range does not contain the media type. A larger number means a more specific range.
fn specificity_of(range: &Range, offer: &MediaType) -> Option<usize> {
    if range.essence == "*/*" {
        return range.parameters.is_empty().then_some(0);
    }
    if let Some(kind) = range.essence.strip_suffix('*').filter(|kind| kind.ends_with('/')) {
        return (range.parameters.is_empty() && offer.essence.starts_with(kind)).then_some(1);
    }
    let has_parameters = range.parameters.iter().all(|(name, value)| {
        let own = offer.parameters.get(name);
        own.is_some_and(|own| own.to_lowercase() == value.to_lowercase())
    });
    (range.essence == offer.essence && has_parameters).then(|| 2 + range.parameters.len())
}

/// Splits a header at its commas, but not at commas in quotes.
fn members_of(header: &str) -> Vec<&str> {
    let mut members = Vec::new();
    let mut start = 0;
    let mut is_quoted = false;
    let mut characters = header.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' if is_quoted => {
                characters.next();
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => {
                members.push(&header[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    members.push(&header[start..]);
    members
        .into_iter()
        .map(trim)
        .filter(|member| !member.is_empty())
        .collect()
}
