//! Prints syntax trees as Rust code in the layout of rustfmt.
//!
//! The modules follow the algorithm of rustfmt for the syntax that generated code contains, with its default widths.
//! Code that fits stays on one line; other code is broken into several lines. Every function returns `None` for code
//! that does not fit into its [`Space`].

mod arguments;
mod chain;
mod expressions;
mod items;
mod tokens;

use proc_macro2::{TokenStream, TokenTree};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Lit, Meta, Token};

/// Maximum width of a line.
const WIDTH: usize = 100;

/// Maximum width of the parts of an attribute on one line.
const ATTRIBUTE: usize = 70;

/// Space on a line that is available for printing an expression.
#[derive(Debug, Clone, Copy)]
struct Space {
    /// Indentation of the line.
    indent: usize,
    /// Column at which the code begins.
    column: usize,
    /// Column at which the code must end. `usize::MAX` means that there is no limit.
    end: usize,
}

impl Space {
    /// Returns the space of a complete line with this indentation.
    fn line(indent: usize) -> Self {
        Self {
            indent,
            column: indent,
            end: WIDTH,
        }
    }

    /// Returns the space that remains after `count` columns. Returns `None` if the space has fewer columns
    /// than `count`.
    fn after(self, count: usize) -> Option<Self> {
        let column = self.column + count;
        (column <= self.end).then_some(Self { column, ..self })
    }

    /// Returns the space without its last `count` columns, which the code after the expression needs. Returns
    /// `None` if the space has fewer columns.
    fn before(self, count: usize) -> Option<Self> {
        if self.end == usize::MAX {
            return Some(self);
        }
        let end = self.end.checked_sub(count)?;
        (self.column <= end).then_some(Self { end, ..self })
    }

    /// Returns the space of a complete line that is indented by four more columns.
    fn nested(self) -> Self {
        let indent = self.indent + 4;
        let end = if self.end == usize::MAX { usize::MAX } else { WIDTH };
        Self {
            indent,
            column: indent,
            end,
        }
    }
}

pub(crate) use items::import_block;

/// Returns true if the code has an identifier.
pub(crate) fn mentions(code: &TokenStream, name: &str) -> bool {
    code.clone().into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == name,
        TokenTree::Group(group) => mentions(&group.stream(), name),
        _ => false,
    })
}

/// Prints a file. An attribute `#[comment = "…"]` before a statement becomes a comment.
pub(crate) fn file(code: &TokenStream) -> String {
    match syn::parse2(code.clone()) {
        Ok(file) => laid_out(&file),
        // If the code is not Rust, this crate has a defect. The compiler then reports its location.
        Err(_) => format!("{code}\n"),
    }
}

fn laid_out(file: &syn::File) -> String {
    let mut text = attributes(&file.attrs, 0);
    if !text.is_empty() && !file.items.is_empty() {
        text.push('\n');
    }
    text.push_str(&items::all(&file.items, 0));
    text
}

fn margin(indent: usize) -> String {
    " ".repeat(indent)
}

/// Prints attributes, one per line. The attributes `doc` and `comment` become comments.
fn attributes(attributes: &[Attribute], indent: usize) -> String {
    let margin = margin(indent);
    let line = |attribute: &Attribute| {
        let is_inner = matches!(attribute.style, syn::AttrStyle::Inner(_));
        if let Some((name, text)) = comment(attribute) {
            let begin = match (name.as_str(), is_inner) {
                ("comment", _) => "//",
                (_, true) => "//!",
                (_, false) => "///",
            };
            return format!("{margin}{begin}{text}\n");
        }
        let inner = if is_inner { "!" } else { "" };
        format!("{margin}#{inner}[{}]\n", meta(&attribute.meta, indent))
    };
    attributes.iter().map(line).collect()
}

/// Prints the content of an attribute. If it is too long, each part is on its own line.
fn meta(node: &Meta, indent: usize) -> String {
    let line = tokens::flat(node);
    let Meta::List(list) = node else { return line };
    let parse = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
    let parts: Vec<String> = parse.iter().flatten().map(tokens::flat).collect();
    let is_derive = list.path.is_ident("derive");
    if is_derive || parts.is_empty() || parts.join(", ").len() <= ATTRIBUTE {
        return line;
    }
    let inner = margin(indent + 4);
    let parts = parts.join(&format!(",\n{inner}"));
    format!(
        "{}(\n{inner}{parts}\n{})",
        tokens::flat(&list.path),
        margin(indent)
    )
}

/// Returns the name and the text of an attribute `doc` or `comment`; `None` for other attributes.
fn comment(attribute: &Attribute) -> Option<(String, String)> {
    let Meta::NameValue(pair) = &attribute.meta else {
        return None;
    };
    let name = pair.path.get_ident()?.to_string();
    let Expr::Lit(literal) = &pair.value else {
        return None;
    };
    match &literal.lit {
        Lit::Str(text) if matches!(name.as_str(), "doc" | "comment") => Some((name, text.value())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
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
        let code =
            quote!(fn text(self) -> &'static str { match self { Self::A => "a", Self::Long => #text, } });
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
}
