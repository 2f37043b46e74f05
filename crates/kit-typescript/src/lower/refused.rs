//! Types that JSON cannot represent, and the type that replaces them after their error.

use kit_diagnostics::codes;
use kit_ir::{TypeId, TypeKind};

use super::Lowering;

/// Help for an error about a type that JSON cannot represent.
pub(super) const WRITE_WIRE: &str = "describe the value as it is on the wire: with properties, arrays, strings, numbers, booleans, `Date` or null";

/// Returns the help for a type of TypeScript's library that JSON cannot represent.
pub(super) fn help_for(name: &str) -> &'static str {
    match name {
        "File" | "Blob" => {
            "send a file in a multipart body, not in JSON: `Route<{ body: Multipart<{ photo: File }> }>`"
        }
        "Set" | "ReadonlySet" => "write an array with `@uniqueItems`: `T[]`",
        "Map" | "ReadonlyMap" => {
            "write `Record<string, V>`, or an array of pairs for keys that are not strings: `[K, V][]`"
        }
        "ArrayBuffer" | "SharedArrayBuffer" | "DataView" | "Uint8ClampedArray" => {
            "write `Uint8Array`, which is a base64 text in JSON"
        }
        "Int8Array" | "Int16Array" | "Int32Array" | "Uint16Array" | "Uint32Array" | "Float32Array"
        | "Float64Array" => "write `number[]`, or `Uint8Array` for bytes, which is a base64 text in JSON",
        "BigInt64Array" | "BigUint64Array" => "write `bigint[]`",
        _ => WRITE_WIRE,
    }
}

impl Lowering<'_> {
    pub(super) fn no_json(&mut self, what: &str, help: &str) -> TypeId {
        self.refused(codes::NO_JSON_FORM, &format!("{what} has no JSON form"), help)
    }

    /// Returns the type that replaces a type with a mistake. The mistake was reported before.
    pub(super) fn failed(&mut self) -> TypeId {
        let id = self.program.add_type(TypeKind::Unknown);
        self.failed.insert(id);
        id
    }

    /// Returns true if a mistake in a type was reported. Mistakes that follow from it are not reported.
    pub(super) fn has_failed(&self, id: TypeId) -> bool {
        let target = match self.program.types[id].kind {
            TypeKind::Reference { declaration } => self.program.declarations[declaration].r#type,
            _ => id,
        };
        self.failed.contains(&target)
    }
}
