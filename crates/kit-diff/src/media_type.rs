//! Media types and their ranges.

/// Returns true if a range such as `image/*` contains a media type or a range.
pub(crate) fn covers(range: &str, other: &str) -> bool {
    if range == "*/*" || range.eq_ignore_ascii_case(other) {
        return true;
    }
    let (Some((kind, "*")), Some((other, _))) = (range.split_once('/'), other.split_once('/')) else {
        return false;
    };
    kind.eq_ignore_ascii_case(other)
}

/// Returns true if one of the ranges contains a media type or a range.
pub(crate) fn matches_any(ranges: &[&str], other: &str) -> bool {
    ranges.iter().any(|range| covers(range, other))
}

#[cfg(test)]
mod tests {
    use super::covers;

    #[test]
    fn a_range_contains_its_types_and_smaller_ranges() {
        assert!(covers("image/*", "image/png") && covers("*/*", "image/*") && covers("text/csv", "text/CSV"));
        assert!(
            !covers("image/png", "image/*") && !covers("image/*", "*/*") && !covers("image/*", "text/csv")
        );
    }
}
