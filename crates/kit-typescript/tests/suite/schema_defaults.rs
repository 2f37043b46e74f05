//! Tests of defaults in schemas of validation libraries.

use crate::inferred::schemas;

#[test]
fn texts_in_defaults_of_schemas_stay_texts() {
    let found = schemas(
        r#"
export const user = z.object({
  empty: z.string().default(""),
  word: z.string().nullable().default("null"),
  digits: z.union([z.string(), z.number()]).default("1"),
  quoted: z.string().default("\"a\""),
  plain: z.string().default("two words"),
});
export type User = z.infer<typeof user>;
"#,
        r"
export declare const user: z.ZodObject<{
  empty: z.ZodString; word: z.ZodType<string | null>; digits: z.ZodType<string | number>; quoted: z.ZodString; plain: z.ZodString
}>;
",
    );
    for property in [
        r#"/* @default "" */ empty: string;"#,
        r#"/* @default "null" */ word: string | null;"#,
        r#"/* @default "1" */ digits: string | number;"#,
        r#"/* @default "\"a\"" */ quoted: string;"#,
        r#"/* @default "two words" */ plain: string;"#,
    ] {
        assert!(found.contains(property), "{property}: {found}");
    }
    assert!(!found.contains("KIT"), "{found}");
}
