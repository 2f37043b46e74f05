//! Names of an application in Kubernetes, compose and systemd, and of its images.

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

/// Returns the name of an image with `-migrate` before its tag or digest: `registry:5000/shop-migrate:1.2.0`.
pub(crate) fn with_suffix(image: &str) -> String {
    // A digest identifies the bytes of one image, so the other image has no digest.
    let image = image.split_once('@').map_or(image, |(image, _)| image);
    let start = image.rfind('/').map_or(0, |slash| slash + 1);
    match image[start..].split_once(':') {
        Some((name, tag)) => format!("{}{name}-migrate:{tag}", &image[..start]),
        None => format!("{image}-migrate"),
    }
}

#[cfg(test)]
mod tests {
    use super::{dns_label, with_suffix};

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

    #[test]
    fn the_image_of_migrations_has_the_tag_of_the_application() {
        for (image, migration) in [
            ("shop", "shop-migrate"),
            ("shop:1.2.0", "shop-migrate:1.2.0"),
            ("registry:5000/acme/shop", "registry:5000/acme/shop-migrate"),
            ("registry:5000/shop:1", "registry:5000/shop-migrate:1"),
            ("shop:1@sha256:ab", "shop-migrate:1"),
        ] {
            assert_eq!(with_suffix(image), migration);
        }
    }
}
