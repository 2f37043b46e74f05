//! Tests of the layout of generated code, which is that of rustfmt.

use quote::{format_ident, quote};

use super::file;

#[test]
fn breaks_calls_whose_arguments_are_wider_than_60_columns() {
    let code = quote! {
        static SHORT: Shape = Shape::object("Note", &[Property::required("title", Shape::TEXT)]);
        static LONG: Shape = Shape::object("Note", &[Property::required("title", Shape::TEXT.min_length(1).max_length(20_000))]);
    };
    assert_eq!(
        file(&code),
        "static SHORT: Shape = Shape::object(\"Note\", &[Property::required(\"title\", Shape::TEXT)]);

static LONG: Shape = Shape::object(
    \"Note\",
    &[Property::required(
        \"title\",
        Shape::TEXT.min_length(1).max_length(20_000),
    )],
);
"
    );
}

#[test]
fn breaks_a_field_of_more_than_100_columns_before_its_type() {
    let field = |length: usize| {
        let r#type = format_ident!("{}", "A".repeat(length));
        file(&quote!(pub struct Note { pub title: #r#type })).replace(&r#type.to_string(), "A")
    };
    // `    pub title: `, the type, and `,`.
    assert_eq!(field(84), "pub struct Note {\n    pub title: A,\n}\n");
    assert_eq!(field(85), "pub struct Note {\n    pub title:\n        A,\n}\n");
}

/// rustfmt counts the columns before the last bound only.
#[test]
fn breaks_a_result_type_with_bounds_at_the_columns_of_rustfmt() {
    let result = |length: usize| {
        let r#type = format_ident!("{}", "A".repeat(length));
        let code = quote! {
            pub trait Notes {
                fn get_notes_by_title_and_author(&self, input: GetNotesByTitleAndAuthor) -> impl Future<Output = Result<#r#type, Error>> + Send;
            }
        };
        let text = file(&code).replace(&r#type.to_string(), "A");
        let (_, text) = text.split_once("    ) -> ").unwrap();
        text.to_owned()
    };
    let on_one_line = "impl Future<Output = Result<A, Error>> + Send;\n}\n";
    let before_the_bound = "impl Future<Output = Result<A, Error>>\n    + Send;\n}\n";
    let in_the_arguments = "impl Future<\n        Output = Result<A, Error>,\n    > + Send;\n}\n";
    assert_eq!(result(54), on_one_line);
    assert_eq!(result(55), before_the_bound);
    assert_eq!(result(56), in_the_arguments);
}

#[test]
fn breaks_rules_after_calls_of_several_lines_like_rustfmt() {
    let code = quote! {
        static A: Shape = Shape::object("Abc", &[Property::required("a", Shape::tuple(&[Element::required(Shape::TEXT), Element::required(Shape::BOOLEAN), Element::required(Shape::NUMBER)]).sensitive())]);
        static B: Shape = Shape::object("Abc", &[Property::required("a", Shape::tuple(&[Element::required(Shape::TEXT)]).sensitive())]);
        static C: Shape = Shape::object("Abc", &[Property::required("a", Shape::tuple(&[Element::required(Shape::TEXT), Element::required(Shape::BOOLEAN), Element::required(Shape::NUMBER)]).sensitive()), Property::required("b", Shape::TEXT)]);
        static D: Shape = Shape::object("Abc", &[Property::required("a", Shape::tuple(&[Element::required(Shape::TEXT), Element::required(Shape::BOOLEAN), Element::required(Shape::NUMBER)]))]);
        static E: Shape = Shape::object("Abc", &[Property::required("a", Shape::array(&Shape::tuple(&[Element::required(Shape::TEXT), Element::required(Shape::BOOLEAN), Element::required(Shape::NUMBER)]).max_items(40)).min_items(30))]);
    };
    assert_eq!(
        file(&code),
        "static A: Shape = Shape::object(
    \"Abc\",
    &[Property::required(
        \"a\",
        Shape::tuple(&[
            Element::required(Shape::TEXT),
            Element::required(Shape::BOOLEAN),
            Element::required(Shape::NUMBER),
        ])
        .sensitive(),
    )],
);

static B: Shape = Shape::object(
    \"Abc\",
    &[Property::required(
        \"a\",
        Shape::tuple(&[Element::required(Shape::TEXT)]).sensitive(),
    )],
);

static C: Shape = Shape::object(
    \"Abc\",
    &[
        Property::required(
            \"a\",
            Shape::tuple(&[
                Element::required(Shape::TEXT),
                Element::required(Shape::BOOLEAN),
                Element::required(Shape::NUMBER),
            ])
            .sensitive(),
        ),
        Property::required(\"b\", Shape::TEXT),
    ],
);

static D: Shape = Shape::object(
    \"Abc\",
    &[Property::required(
        \"a\",
        Shape::tuple(&[
            Element::required(Shape::TEXT),
            Element::required(Shape::BOOLEAN),
            Element::required(Shape::NUMBER),
        ]),
    )],
);

static E: Shape = Shape::object(
    \"Abc\",
    &[Property::required(
        \"a\",
        Shape::array(
            &Shape::tuple(&[
                Element::required(Shape::TEXT),
                Element::required(Shape::BOOLEAN),
                Element::required(Shape::NUMBER),
            ])
            .max_items(40),
        )
        .min_items(30),
    )],
);
"
    );
}

#[test]
fn keeps_the_only_item_of_an_array_beside_the_bracket_if_a_method_follows_a_call_of_several_lines() {
    let code = quote! {
        static F: Shape = Shape::object("Tracing", &[Property::required("box", Shape::tuple(&[Element::required(Shape::union(&[Shape::literal("2"), Shape::literal("4")])), Element::optional(Shape::Bytes), Element::optional(Shape::Bytes)])).sensitive()]);
    };
    assert_eq!(
        file(&code),
        "static F: Shape = Shape::object(
    \"Tracing\",
    &[Property::required(
        \"box\",
        Shape::tuple(&[
            Element::required(Shape::union(&[Shape::literal(\"2\"), Shape::literal(\"4\")])),
            Element::optional(Shape::Bytes),
            Element::optional(Shape::Bytes),
        ]),
    )
    .sensitive()],
);
"
    );
}

#[test]
fn breaks_alternatives_in_parentheses_like_rustfmt() {
    let (long, longer) = (
        format_ident!("{}", "A".repeat(40)),
        format_ident!("{}", "B".repeat(44)),
    );
    let code =
        quote!(fn run() { match error { Some(#long | #longer) => "", Some(#long | #longer | C) => "" } });
    let (long, longer) = ("A".repeat(40), "B".repeat(44));
    let expected = format!(
        "fn run() {{
    match error {{
        Some(
            {long} | {longer},
        ) => \"\",
        Some(
            {long}
            | {longer}
            | C,
        ) => \"\",
    }}
}}
"
    );
    assert_eq!(file(&code), expected);
}

#[test]
fn breaks_chains_that_are_wider_than_60_columns() {
    let code = quote! {
        fn run() {
            let short = sqlx::query_as(LIST).bind(limit).fetch_all(pool).await?;
            let long = sqlx::query_as(LIST).bind(limit).bind(offset).fetch_all(pool).await?;
        }
    };
    assert_eq!(
        file(&code),
        "fn run() {
    let short = sqlx::query_as(LIST).bind(limit).fetch_all(pool).await?;
    let long = sqlx::query_as(LIST)
        .bind(limit)
        .bind(offset)
        .fetch_all(pool)
        .await?;
}
"
    );
}

#[test]
fn prints_comments_before_items_and_statements() {
    let code = quote! {
        #![doc = " A file."]
        use std::fmt;
        use crate::app::App;

        #[doc = " Returns nothing."]
        fn run(id: &str) -> Option<Vec<u8>> {
            #[comment = " No row has this key."]
            if !is_uuid(id) || id.is_empty() {
                return None;
            }
            Some(vec![1, 2, 3])
        }
    };
    assert_eq!(
        file(&code),
        "//! A file.

use std::fmt;

use crate::app::App;

/// Returns nothing.
fn run(id: &str) -> Option<Vec<u8>> {
    // No row has this key.
    if !is_uuid(id) || id.is_empty() {
        return None;
    }
    Some(vec![1, 2, 3])
}
"
    );
}

/// Returns the lengths of the lines of a `use` statement whose last line of names has `width` columns, with its comma.
fn lines_of_use(names: &[String], width: usize) -> Vec<usize> {
    let names = names.iter().map(|name| format_ident!("{name}"));
    let last = format_ident!("{}", "z".repeat(width - "    B, ,".len()));
    let code = quote!(use k::{#(#names,)* B, #last};);
    file(&code).lines().map(str::len).collect()
}

#[test]
fn breaks_the_names_of_a_use_statement_like_rustfmt() {
    assert_eq!(lines_of_use(&[], 100), [8, 100, 2]);
    assert_eq!(lines_of_use(&[], 101), [8, 6, 98, 2]);
    // rustfmt counts the comma after the last name only if there are several lines of names.
    let line = ["a".repeat(45), "b".repeat(46)];
    assert_eq!(lines_of_use(&line, 99), [8, 98, 99, 2]);
    assert_eq!(lines_of_use(&line, 100), [8, 98, 6, 97, 2]);
}

#[test]
fn prints_an_arm_with_a_text_that_is_wider_than_a_line_in_a_block() {
    let text = "ü".repeat(200);
    let code = quote!(fn text(self) -> &'static str { match self { Self::A => "a", Self::Long => #text, } });
    let expected = format!(
        "fn text(self) -> &'static str {{\n    match self {{\n        Self::A => \"a\",\n        Self::Long => {{\n            \"{text}\"\n        }}\n    }}\n}}\n"
    );
    assert_eq!(file(&code), expected);
}

#[test]
fn breaks_a_call_before_its_only_text_if_the_text_is_wider_than_a_line() {
    let text = "x".repeat(120);
    let code = quote!(static PATTERN: Pattern = Pattern::new(#text););
    let expected = format!("static PATTERN: Pattern = Pattern::new(\n    \"{text}\",\n);\n");
    assert_eq!(file(&code), expected);
}

#[test]
fn prints_a_text_that_is_wider_than_a_line_without_a_break() {
    let text = "x".repeat(120);
    let code = quote!(fn run() { Err(Error::not_implemented("GET /", #text)) });
    let expected = format!(
        "fn run() {{\n    Err(Error::not_implemented(\n        \"GET /\",\n        \"{text}\",\n    ))\n}}\n"
    );
    assert_eq!(file(&code), expected);
}

/// rustfmt prints no comma after the chain if its beginning also fits beside the bracket.
#[test]
fn breaks_an_array_before_its_only_chain_if_the_chain_fits_on_a_line_of_its_own() {
    let shape = |length: usize| {
        let name = "a".repeat(length);
        let property = quote!(Property::optional(#name, shape::Shape::TEXT).sensitive());
        let code = quote! {
            static SHAPE: Shape = Shape::object("A", &[
                Property::required("one", Shape::union(&[
                    Property::required("two", Shape::anonymous(&[#property])),
                    Property::required("three", Shape::TEXT),
                ])),
            ]);
        };
        let text = file(&code).replace(&name, "a");
        let (_, text) = text.split_once("Shape::anonymous(").unwrap();
        let (text, _) = text.split_once("Property::required").unwrap();
        text.replace(' ', "")
    };
    let beside = "\n&[Property::optional(\"a\",shape::Shape::TEXT).sensitive()],\n),\n),\n";
    let below = "&[\nProperty::optional(\"a\",shape::Shape::TEXT).sensitive()\n]),\n),\n";
    assert_eq!(shape(9), beside);
    assert_eq!(shape(10), below);
    assert_eq!(shape(18), below);
    assert_eq!(shape(19), below.replace("()\n", "(),\n"));
}

#[test]
fn breaks_a_tuple_struct_of_one_field_only_if_it_is_wider_than_a_line() {
    let tuple = |length: usize, others: &str| {
        let r#type = format_ident!("{}", "A".repeat(length));
        let others: proc_macro2::TokenStream = others.parse().unwrap();
        file(&quote!(pub struct Name(pub #r#type #others);)).replace(&r#type.to_string(), "A")
    };
    // `pub struct Name(pub `, the type, and `);`.
    assert_eq!(tuple(78, ""), "pub struct Name(pub A);\n");
    assert_eq!(tuple(79, ""), "pub struct Name(\n    pub A,\n);\n");
    assert_eq!(tuple(53, ", B"), "pub struct Name(pub A, B);\n");
    assert_eq!(tuple(54, ", B"), "pub struct Name(\n    pub A,\n    B,\n);\n");
}

#[test]
fn moves_the_brace_of_a_function_to_the_next_line_at_the_columns_of_rustfmt() {
    let read = |length: usize| {
        let name = "A".repeat(length);
        let r#type = format_ident!("{name}");
        let function = quote!(fn read<'de, D: Deserializer<'de>>(deserializer: D) -> #r#type { run() });
        let texts = [file(&function), file(&quote!(impl Name { #function }))];
        texts.map(|text| text.contains(&format!("{name} {{")))
    };
    assert_eq!(read(85), [true, true]);
    assert_eq!(read(86), [true, false]);
    assert_eq!(read(93), [true, false]);
    assert_eq!(read(94), [false, false]);
}

/// Without a memory, each level multiplies the time.
#[test]
fn prints_deeply_nested_calls_in_little_time() {
    let mut shape = quote!(Shape::Date);
    for _ in 0..16 {
        shape = quote! {
            Shape::union(&[Shape::anonymous(&[Property::required("nested", #shape)]), Shape::Null]).discriminants(&["kind"])
        };
    }
    let text = file(&quote!(static SHAPE: Shape = #shape;));
    assert_eq!(text.matches("\"nested\"").count(), 16, "{text}");
}
