//! Properties of `Multipart<T>` that are files, and their doc tags `@maxBytes` and `@mime`.

use kit_diagnostics::{Diagnostic, codes};
use kit_ir::FilePart;

use crate::docs::{Doc, TagName, documentation, invalid as invalid_argument};
use crate::eval::{KitType, Object, Property, Ty};
use crate::lower::Lowering;

/// Returns the properties of `Multipart<T>` that are files, and the other properties. `owner` names the owner of the
/// body in messages.
pub(super) fn split(
    lowering: &mut Lowering<'_>,
    owner: &str,
    object: &Object,
) -> (Vec<FilePart>, Vec<Property>) {
    let mut files: Vec<FilePart> = Vec::new();
    let mut others = Vec::new();
    for property in object.visible() {
        let Some(file) = file(lowering, property) else {
            others.push(property.clone());
            continue;
        };
        let earlier = files.iter().find(|other| other.streamed && file.streamed);
        if let Some(earlier) = earlier {
            let message = format!("{owner} has two uploads, `{}` and `{}`", earlier.name, file.name);
            let diagnostic = Diagnostic::new(codes::INVALID_BODY, message)
                .label(lowering.graph().label(property.location))
                .help("write `File` for the smaller one, or `Uploads` for several files with one name; a handler reads only one part while it arrives");
            lowering.report(diagnostic);
        }
        files.push(file);
    }
    (files, others)
}

/// Returns the file that a property is; `None` if the property has another type than `File`, `File[]`, `Upload` and
/// `Uploads`.
fn file(lowering: &mut Lowering<'_>, property: &Property) -> Option<FilePart> {
    let declared = lowering.eval.type_of(property);
    let (ty, absent) = lowering.without_undefined(declared);
    let (streamed, many) = match lowering.eval.shape_of(ty) {
        Ty::Builtin("File", _) => (false, false),
        Ty::Kit(KitType::Upload, _) => (true, false),
        Ty::Kit(KitType::Uploads, _) => (true, true),
        Ty::Array { element, .. } => match lowering.eval.shape_of(element) {
            Ty::Builtin("File", _) => (false, true),
            Ty::Kit(KitType::Upload | KitType::Uploads, _) => {
                let message = format!(
                    "`{}` is a list of uploads, but uploads arrive one after the other",
                    property.name
                );
                let diagnostic = Diagnostic::new(codes::INVALID_BODY, message)
                    .label(lowering.graph().label(property.location))
                    .help("write `Uploads`, an async iterable of uploads");
                lowering.report(diagnostic);
                (true, true)
            }
            _ => return None,
        },
        _ => return None,
    };
    let mut file = FilePart {
        name: property.name.to_string(),
        optional: property.optional || (absent && !property.required),
        many,
        streamed,
        min_items: None,
        max_items: None,
        max_bytes: None,
        media_types: Vec::new(),
        documentation: kit_ir::Documentation::default(),
    };
    if let Some(doc) = property.doc {
        let doc = lowering.eval.store.doc(doc);
        file.documentation = documentation(&doc);
        if !property.text_only_doc {
            tags(lowering, &doc, &mut file);
        }
    }
    Some(file)
}

fn tags(lowering: &mut Lowering<'_>, doc: &Doc, file: &mut FilePart) {
    for tag in &doc.tags {
        let name = tag.name.name();
        match tag.name {
            TagName::MaxBytes => {
                match byte_count(&tag.argument) {
                    Some(bytes) => file.max_bytes = Some(bytes),
                    None => lowering.report(invalid_argument(lowering.graph(), tag, "@maxBytes 5 MiB").note(
                        "units are B, KB, MB, GB (powers of 1,000) and KiB, MiB, GiB (powers of 1,024)",
                    )),
                }
            }
            TagName::Mime => {
                let types: Vec<String> = tag
                    .argument
                    .split(',')
                    .map(|item| item.trim().to_ascii_lowercase())
                    .collect();
                if types.iter().all(|item| is_media_range(item)) {
                    file.media_types = types;
                } else {
                    lowering.report(invalid_argument(
                        lowering.graph(),
                        tag,
                        "@mime image/png, image/jpeg",
                    ));
                }
            }
            TagName::MinItems | TagName::MaxItems if file.many => match tag.argument.parse() {
                Ok(count) if tag.name == TagName::MinItems => file.min_items = Some(count),
                Ok(count) => file.max_items = Some(count),
                Err(_) => lowering.report(invalid_argument(lowering.graph(), tag, &format!("@{name} 3"))),
            },
            TagName::Deprecated | TagName::Example => {}
            _ => {
                let diagnostic = Diagnostic::new(
                    codes::TAG_DOES_NOT_FIT,
                    format!("`@{name}` has no effect on a file"),
                )
                .label(lowering.graph().label(tag.location))
                .help(
                    "the tags of a file are `@maxBytes` and `@mime`, and of `File[]` and `Uploads` `@minItems` and `@maxItems` too",
                );
                lowering.report(diagnostic);
            }
        }
    }
    if let (Some(least), Some(most)) = (file.min_items, file.max_items)
        && least > most
        && let Some(tag) = doc.all(TagName::MinItems).next()
    {
        let message = format!(
            "`{}` cannot have at least {least} and at most {most} files",
            file.name
        );
        let diagnostic = Diagnostic::new(codes::CONFLICTING_TAGS, message)
            .label(lowering.graph().label(tag.location))
            .help("swap the two numbers");
        lowering.report(diagnostic);
    }
}

/// Parses a number of bytes such as `5 MiB`, `500KB` or `1024`.
fn byte_count(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|letter: char| !letter.is_ascii_digit());
    let unit = text[digits.len()..].trim_start();
    let factor: u64 = match unit {
        "" | "B" => 1,
        "KB" | "kB" => 1000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return None,
    };
    let count: u64 = digits.parse().ok()?;
    // A body has at most as many bytes as a number of JavaScript is exact.
    count
        .checked_mul(factor)
        .filter(|bytes| (1..=1 << 53).contains(bytes))
}

/// Returns true for a lower-case media type or a range without parameters: `image/png`, `image/*`, `*/*`
/// (RFC 9110, 8.3.1 and 12.5.1).
pub(super) fn is_media_range(text: &str) -> bool {
    let token = |text: &str| {
        !text.is_empty()
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(&byte))
    };
    match text.split_once('/') {
        Some(("*", "*")) => true,
        Some((kind, "*")) => token(kind),
        Some((kind, subtype)) => token(kind) && token(subtype),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{byte_count, is_media_range};

    #[test]
    fn reads_a_number_of_bytes_with_its_unit() {
        let counts = [
            "1024",
            "500KB",
            "5 MB",
            "5 MiB",
            "1 GiB",
            "5mb",
            "0",
            "-1",
            "1.5 MB",
            "9999999 GiB",
            "MB",
        ];
        assert_eq!(
            counts.map(byte_count),
            [
                Some(1024),
                Some(500_000),
                Some(5_000_000),
                Some(5 << 20),
                Some(1 << 30),
                None,
                None,
                None,
                None,
                None,
                None
            ]
        );
    }

    #[test]
    fn accepts_media_types_and_ranges_without_parameters() {
        for valid in ["image/png", "image/*", "*/*", "application/vnd.api+json"] {
            assert!(is_media_range(valid), "{valid}");
        }
        for invalid in ["", "image", "*/png", "image/", "text/csv; charset=utf-8", "a b/c"] {
            assert!(!is_media_range(invalid), "{invalid}");
        }
    }
}
