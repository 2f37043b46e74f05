//! Suggestions for names that do not exist.

/// Number of characters of a name that are compared. Real names are shorter.
const LONGEST: usize = 100;

/// Returns the name that is most similar to `name`, if it differs in few letters: `status` for `staus`. Ignores case.
pub(super) fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let wanted = comparable(name);
    let distances = names.filter_map(|candidate| {
        let length = candidate.chars().count();
        // Two letters in the wrong order count as two edits.
        let allowed = if length < 4 { 1 } else { 2.max(length / 3) };
        let edits = distance(&wanted, &comparable(candidate));
        (edits <= allowed).then_some((edits, candidate))
    });
    distances
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// Returns the end of a message about an unknown name: `` did you mean `status`? `` if a similar name exists, otherwise a list
/// of the names.
pub(super) fn suggestion(name: &str, names: &[&str]) -> String {
    match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if names.is_empty() => "none exist".to_owned(),
        None => {
            let first: Vec<_> = names.iter().take(50).copied().collect();
            format!("there are {}", first.join(", "))
        }
    }
}

fn comparable(name: &str) -> Vec<char> {
    name.to_lowercase().chars().take(LONGEST).collect()
}

/// Returns the number of insertions, deletions and replacements that make one name of the other.
fn distance(one: &[char], other: &[char]) -> usize {
    let mut previous: Vec<usize> = (0..=other.len()).collect();
    for (row, letter) in one.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, own) in other.iter().enumerate() {
            let replaced = previous[column] + usize::from(letter != own);
            current.push(replaced.min(previous[column + 1] + 1).min(current[column] + 1));
        }
        previous = current;
    }
    previous[other.len()]
}

#[cfg(test)]
mod tests {
    use super::{nearest, suggestion};

    #[test]
    fn finds_a_similar_name_or_lists_all() {
        let names = ["since", "limit", "route"];
        assert_eq!(nearest("Sinse", names.into_iter()), Some("since"));
        assert_eq!(suggestion("lmiit", &names), "did you mean `limit`?");
        assert_eq!(suggestion("other", &names), "there are since, limit, route");
        assert_eq!(suggestion("other", &[]), "none exist");
    }
}
