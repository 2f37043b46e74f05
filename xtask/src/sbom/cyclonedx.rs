//! Bills of materials in the JSON format of `CycloneDX` 1.5: <https://cyclonedx.org/docs/1.5/json/>.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Reason why a package or addon has a component.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scope {
    /// Needed at run time.
    Required,
    /// Installed only on some platforms.
    Optional,
    /// Needed only at build time.
    Excluded,
}

/// A crate or an npm package.
#[derive(Clone, Debug)]
pub(super) struct Component {
    pub(super) name: String,
    pub(super) version: String,
    /// Package URL, which also identifies the component in the document: <https://github.com/package-url/purl-spec>.
    pub(super) purl: String,
    /// SPDX expression, or other text that the author has written as licence.
    pub(super) licence: Option<String>,
    pub(super) scope: Scope,
}

/// Bill of materials: a published package or addon, all its components, and the dependencies between them.
pub(super) struct Bill {
    pub(super) subject: Component,
    pub(super) components: Vec<Component>,
    /// Direct dependencies of each component. Components and dependencies are package URLs.
    pub(super) dependencies: BTreeMap<String, BTreeSet<String>>,
}

impl Bill {
    /// Returns the bill of materials as JSON. `time` is in RFC 3339.
    pub(super) fn json(&self, time: &str) -> Value {
        let mut components: Vec<&Component> = self.components.iter().collect();
        components.sort_by(|a, b| a.purl.cmp(&b.purl));
        let mut document = json!({
            "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
            "bomFormat": "CycloneDX",
            "specVersion": "1.5",
            "version": 1,
            "metadata": {
                "timestamp": time,
                "tools": { "components": [{ "type": "application", "name": "cargo xtask sbom" }] },
                "component": self.subject.json(),
            },
            "components": components.iter().map(|component| component.json()).collect::<Vec<_>>(),
            "dependencies": self
                .dependencies
                .iter()
                .map(|(purl, on)| json!({ "ref": purl, "dependsOn": on }))
                .collect::<Vec<_>>(),
        });
        document["serialNumber"] = serial_number(&document.to_string()).into();
        document
    }
}

impl Component {
    fn json(&self) -> Value {
        let mut json = json!({
            "type": "library",
            "bom-ref": self.purl,
            "name": self.name,
            "version": self.version,
            "purl": self.purl,
            "scope": match self.scope {
                Scope::Required => "required",
                Scope::Optional => "optional",
                Scope::Excluded => "excluded",
            },
        });
        if let Some(licence) = &self.licence {
            json["licenses"] = if is_expression(licence) {
                json!([{ "expression": licence }])
            } else {
                json!([{ "license": { "name": licence } }])
            };
        }
        json
    }
}

/// Returns true if a text is an SPDX expression. `SEE LICENSE IN x`, which npm allows, is not.
fn is_expression(licence: &str) -> bool {
    licence
        .split([' ', '(', ')'])
        .filter(|word| !word.is_empty())
        .enumerate()
        .all(|(index, word)| {
            let is_operator = ["AND", "OR", "WITH"].contains(&word);
            is_operator == (index % 2 == 1)
        })
}

/// Returns a UUID of version 8 (RFC 9562) that is made from the hash of the text. Equal texts have equal serial
/// numbers.
fn serial_number(text: &str) -> String {
    let hash = Sha256::digest(text.as_bytes());
    let mut bytes: Vec<u8> = hash.iter().copied().take(16).collect();
    bytes[6] = (bytes[6] & 0x0f) | 0x80;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let mut uuid = String::from("urn:uuid:");
    for (index, byte) in bytes.iter().enumerate() {
        use std::fmt::Write;
        if [4, 6, 8, 10].contains(&index) {
            uuid.push('-');
        }
        let _ = write!(uuid, "{byte:02x}");
    }
    uuid
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use serde_json::json;

    use super::{Bill, Component, Scope};

    fn component(name: &str, licence: Option<&str>, scope: Scope) -> Component {
        Component {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            purl: format!("pkg:cargo/{name}@1.0.0"),
            licence: licence.map(str::to_owned),
            scope,
        }
    }

    #[test]
    fn writes_components_with_licences_and_a_serial_number_that_depends_on_the_content() {
        let bill = Bill {
            subject: component("addon", Some("MIT"), Scope::Required),
            components: vec![
                component("b", Some("SEE LICENSE IN LICENSE.md"), Scope::Excluded),
                component("a", Some("(MIT OR Apache-2.0) AND ISC"), Scope::Required),
                component("c", None, Scope::Optional),
            ],
            dependencies: BTreeMap::from([(
                "pkg:cargo/addon@1.0.0".to_owned(),
                BTreeSet::from(["pkg:cargo/a@1.0.0".to_owned()]),
            )]),
        };
        let document = bill.json("2026-01-02T03:04:05Z");
        assert_eq!(document["bomFormat"], "CycloneDX");
        assert_eq!(document["specVersion"], "1.5");
        assert_eq!(document["metadata"]["timestamp"], "2026-01-02T03:04:05Z");
        assert_eq!(document["metadata"]["component"]["name"], "addon");
        assert_eq!(
            document["components"],
            json!([
                { "type": "library", "bom-ref": "pkg:cargo/a@1.0.0", "name": "a", "version": "1.0.0",
                  "purl": "pkg:cargo/a@1.0.0", "scope": "required",
                  "licenses": [{ "expression": "(MIT OR Apache-2.0) AND ISC" }] },
                { "type": "library", "bom-ref": "pkg:cargo/b@1.0.0", "name": "b", "version": "1.0.0",
                  "purl": "pkg:cargo/b@1.0.0", "scope": "excluded",
                  "licenses": [{ "license": { "name": "SEE LICENSE IN LICENSE.md" } }] },
                { "type": "library", "bom-ref": "pkg:cargo/c@1.0.0", "name": "c", "version": "1.0.0",
                  "purl": "pkg:cargo/c@1.0.0", "scope": "optional" },
            ])
        );
        assert_eq!(
            document["dependencies"],
            json!([{ "ref": "pkg:cargo/addon@1.0.0", "dependsOn": ["pkg:cargo/a@1.0.0"] }])
        );
        let serial = document["serialNumber"].as_str().unwrap();
        assert_eq!(serial.len(), "urn:uuid:".len() + 36);
        assert_eq!(bill.json("2026-01-02T03:04:05Z"), document);
        assert_ne!(
            bill.json("2026-01-02T03:04:06Z")["serialNumber"],
            document["serialNumber"]
        );
    }
}
