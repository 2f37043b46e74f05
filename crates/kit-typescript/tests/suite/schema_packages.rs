//! Schemas of packages, whose declaration files have no rules.

use crate::inferred::output;
use crate::support::text;

const DECLARATIONS: &str = r#"
import { z } from "zod";
export declare const customer: z.ZodObject<{ name: z.ZodString }>;
export type Customer = z.infer<typeof customer>;
export type Indexed = (typeof customer)["_output"];
export type Member = typeof customer._output;
export type Of<T extends z.ZodType> = z.infer<T>;
"#;
const MANIFEST: &str = r#"{ "name": "schemas", "version": "1.0.0", "types": "./index.d.ts" }"#;

fn warnings(project: &str) -> Vec<String> {
    let files = [
        ("node_modules/schemas/index.d.ts", DECLARATIONS),
        ("node_modules/schemas/package.json", MANIFEST),
        ("packages/schemas/dist/index.d.ts", DECLARATIONS),
        ("src/a.types.ts", project),
    ];
    let found = text(&output(&files, &[]));
    let lines = found
        .lines()
        .filter(|line| line.contains("KIT") || line.contains("help: "));
    lines.map(|line| line.trim().to_owned()).collect()
}

#[test]
fn a_type_of_a_package_that_a_library_infers_is_a_warning_at_its_use() {
    assert_eq!(
        warnings(
            "import type { Customer } from \"schemas\";\nexport interface Page { items: Customer[]; first: Customer }\n"
        ),
        [
            "src/a.types.ts:2:18 warning KIT1323 kit does not check this part of the schema: the rules of `typeof customer`, of which kit knows only the shape (zod)",
            "help: a declaration file has no rules of schemas; let kit read the source of the package, with `customConditions` in tsconfig.json, or check the rules in the handler"
        ]
    );
}

#[test]
fn a_type_of_a_package_that_takes_any_schema_is_no_warning() {
    assert_eq!(
        warnings(
            "import type { Of } from \"schemas\";\nimport { customer } from \"../packages/schemas/dist/index.js\";\nexport interface Page { first: Of<typeof customer> }\n"
        ),
        Vec::<String>::new()
    );
}

#[test]
fn a_type_in_a_declaration_file_of_a_workspace_is_a_warning() {
    assert_eq!(
        warnings(
            "import type { Customer } from \"../packages/schemas/dist/index.js\";\nexport interface Page { first: Customer }\n"
        ),
        [
            "packages/schemas/dist/index.d.ts:4:32 warning KIT1323 kit does not check this part of the schema: the rules of `typeof customer`, of which kit knows only the shape (zod)",
            "help: a declaration file has no rules of schemas; let kit read the source of the package, with `customConditions` in tsconfig.json, or check the rules in the handler"
        ]
    );
}

#[test]
fn a_property_of_a_schema_of_a_package_is_a_warning_at_its_use() {
    for name in ["Indexed", "Member"] {
        let found = warnings(&format!(
            "import type {{ {name} }} from \"schemas\";\nexport interface Page {{ items: {name}[]; first: {name} }}\n"
        ));
        let [warning, help] = found.as_slice() else {
            panic!("{found:#?}");
        };
        assert!(
            warning.starts_with("src/a.types.ts:2:")
                && warning.contains("KIT1323")
                && warning.ends_with("(zod)"),
            "{warning}"
        );
        assert!(help.contains("`customConditions`"), "{help}");
    }
}

#[test]
fn a_property_of_a_schema_in_a_declaration_file_of_a_workspace_is_a_warning_with_advice() {
    for name in ["Indexed", "Member"] {
        let found = warnings(&format!(
            "import type {{ {name} }} from \"../packages/schemas/dist/index.js\";\nexport interface Page {{ first: {name} }}\n"
        ));
        let [warning, help] = found.as_slice() else {
            panic!("{found:#?}");
        };
        assert!(
            warning.starts_with("packages/schemas/dist/index.d.ts:") && warning.contains("KIT1323"),
            "{warning}"
        );
        assert!(help.contains("`customConditions`"), "{help}");
    }
}
