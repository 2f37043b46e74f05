//! Name of an application in Kubernetes, compose and systemd.

/// Maximum length of the name. Kubernetes allows 63 characters, and the longest suffix, `-migrate`, has eight.
const LONGEST: usize = 50;

/// Returns the name of a package as a DNS label (RFC 1035): lower-case letters, digits and `-`, from a letter to a letter or
/// a digit. `@acme/shop` becomes `acme-shop`.
pub(crate) fn dns_label(package: &str) -> String {
    let mut label = String::new();
    for letter in package.chars() {
        let letter = letter.to_ascii_lowercase();
        if letter.is_ascii_alphanumeric() {
            label.push(letter);
        } else if !label.is_empty() && !label.ends_with('-') {
            label.push('-');
        }
    }
    if !label.starts_with(|letter: char| letter.is_ascii_lowercase()) {
        label.insert_str(0, "app-");
    }
    label.truncate(LONGEST);
    label.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::dns_label;

    #[test]
    fn names_of_packages_become_dns_labels() {
        for (package, label) in [
            ("shop", "shop"),
            ("@acme/Shop.api_v2", "acme-shop-api-v2"),
            ("2048", "app-2048"),
            ("API", "api"),
            ("--", "app"),
            ("größe", "gr-e"),
        ] {
            assert_eq!(dns_label(package), label);
        }
        let long = dns_label(&"a-".repeat(60));
        assert!(long.len() <= 50 && long.ends_with('a'), "{long}");
    }
}
