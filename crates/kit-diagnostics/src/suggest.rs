//! Suggestions for misspelled names.

/// Returns the candidate with the smallest edit distance to `name`. Returns `None` if no candidate is close
/// enough for `name` to be a typing mistake.
///
/// ```
/// assert_eq!(kit_diagnostics::closest("emial", ["email", "uri"]), Some("email"));
/// assert_eq!(kit_diagnostics::closest("phone", ["email", "uri"]), None);
/// ```
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| {
            (
                strsim::damerau_levenshtein(&name.to_lowercase(), &candidate.to_lowercase()),
                candidate,
            )
        })
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}
