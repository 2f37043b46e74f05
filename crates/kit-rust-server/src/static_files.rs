//! Generates the calls that serve static files, from the option `staticFiles` of `createApp`.

use kit_ir::Program;
use proc_macro2::TokenStream;
use quote::quote;
use serde_json::{Map, Value};

use crate::Problem;
use crate::cors::is_header_name;
use crate::literal_option::{Named, unknown_value};
use crate::source::string_literal;
use crate::types::Types;

const KNOWN: [&str; 9] = [
    "cacheControl",
    "dir",
    "dotFiles",
    "followSymlinks",
    "headers",
    "precompressed",
    "prefix",
    "spa",
    "spaExcept",
];
/// Headers that depend on the file, so that an option cannot set them.
const OWN_HEADERS: [&str; 13] = [
    "accept-ranges",
    "connection",
    "content-encoding",
    "content-length",
    "content-range",
    "content-type",
    "date",
    "etag",
    "last-modified",
    "location",
    "set-cookie",
    "transfer-encoding",
    "vary",
];
const EXAMPLE: &str = "{ dir: \"public\" }";

fn option(program: &Program) -> Option<Named<'_>> {
    let option = program.application.static_files.as_ref()?;
    Some(Named {
        name: "staticFiles",
        option,
    })
}

/// Returns the objects of the option with their names in messages. Returns `None` if the value is unknown, or is neither an
/// object nor a list of objects.
fn sites(option: &Named<'_>) -> Option<Vec<(String, Map<String, Value>)>> {
    match option.option.value.as_ref()? {
        Value::Object(site) => Some(vec![("staticFiles".to_owned(), site.clone())]),
        Value::Array(list) => {
            let named = list.iter().enumerate().map(|(index, site)| {
                let members = site.as_object()?.clone();
                Some((format!("staticFiles[{index}]"), members))
            });
            named.collect()
        }
        _ => None,
    }
}

/// Returns true if the application serves files, with a value that the compiler could read.
pub(crate) fn is_on(program: &Program) -> bool {
    option(program).is_some_and(|option| sites(&option).is_some_and(|sites| !sites.is_empty()))
}

/// Returns a call `.static_files(…)` for each directory.
pub(crate) fn calls(types: &Types<'_>) -> Option<TokenStream> {
    let sites = sites(&option(types.program)?)?;
    let calls = sites.iter().map(|(_, site)| call(types, site));
    Some(quote!(#(#calls)*))
}

fn call(types: &Types<'_>, site: &Map<String, Value>) -> TokenStream {
    let of_runtime = types.of_runtime("Site");
    let text = |name: &str| site.get(name).and_then(Value::as_str);
    let flag = |name: &str| site.get(name).is_some_and(|flag| flag == true);
    let dir = string_literal(text("dir").unwrap_or_default());
    let prefix = text("prefix").filter(|prefix| *prefix != "/").map(|prefix| {
        let prefix = string_literal(prefix);
        quote!(.prefix(#prefix))
    });
    let cache = string_literal(text("cacheControl").unwrap_or("no-cache"));
    let headers = site.get("headers").and_then(Value::as_object);
    let headers = headers.into_iter().flatten().map(|(name, value)| {
        let name = string_literal(&name.to_lowercase());
        let value = string_literal(value.as_str().unwrap_or_default());
        quote!(.header(#name, #value))
    });
    let spa = text("spa").map(|file| {
        let file = string_literal(file);
        let except = site.get("spaExcept").and_then(Value::as_array);
        let except = except.into_iter().flatten().filter_map(Value::as_str);
        let except = except.map(string_literal);
        quote!(.spa(#file, &[#(#except),*]))
    });
    let precompressed = flag("precompressed").then(|| quote!(.precompressed()));
    let dot_files = flag("dotFiles").then(|| quote!(.dot_files()));
    let follow = flag("followSymlinks").then(|| quote!(.follow_symlinks()));
    quote! {
        .static_files(
            #of_runtime::new(#dir) #prefix .header("cache-control", #cache) #(#headers)* #spa #precompressed
                #dot_files #follow
        )
    }
}

/// Returns the mistakes in the option `staticFiles`. A server on Node reports the same mistakes when it starts.
pub(crate) fn problems(program: &Program) -> Vec<Problem> {
    let Some(option) = option(program) else {
        return Vec::new();
    };
    let Some(value) = &option.option.value else {
        return vec![option.problem(
            unknown_value("staticFiles"),
            format!("write the value as an object of literals, such as `{EXAMPLE}`, or as a list of them"),
        )];
    };
    let Some(sites) = sites(&option) else {
        return vec![option.problem(
            format!("`staticFiles` is {value}, which is not a value of this option"),
            format!("write an object such as `{EXAMPLE}`, or a list of them"),
        )];
    };
    let of_site = |(name, site): &(String, Map<String, Value>)| problems_of_site(&option, name, site);
    sites.iter().flat_map(of_site).collect()
}

fn problems_of_site(option: &Named<'_>, name: &str, site: &Map<String, Value>) -> Vec<Problem> {
    let mut found = Vec::new();
    for member in site.keys().filter(|member| !KNOWN.contains(&member.as_str())) {
        let known = KNOWN.map(|known| format!("`{known}`")).join(", ");
        found.push(option.problem(
            format!("there is no option `{name}.{member}`"),
            format!("use one of {known}"),
        ));
    }
    let mut check = |member: &str, is_valid: &dyn Fn(&Value) -> bool, what: &str, help: &str| {
        if let Some(value) = site.get(member).filter(|value| !is_valid(value)) {
            let message = format!("`{name}.{member}` is {value}, which is not {what}");
            found.push(option.problem(message, help.to_owned()));
        }
    };
    let is_text = |valid: fn(&str) -> bool| move |value: &Value| value.as_str().is_some_and(valid);
    let is_apart = is_text(|dir| dir.split('/').any(|name| !matches!(name, "" | "." | "..")));
    let help = "put the files into a directory of their own, such as \"public\"";
    check(
        "dir",
        &is_apart,
        "a directory beside the sources of the project",
        help,
    );
    let is_prefix = is_text(|prefix| prefix == "/" || is_plain_path(prefix));
    check("prefix", &is_prefix, "a path", "write a path such as \"/assets\"");
    let help = "write a value such as \"no-cache\"";
    check(
        "cacheControl",
        &is_text(is_header_value),
        "the value of a header",
        help,
    );
    let help = "write the path of a file in `dir`, such as \"index.html\"";
    check("spa", &is_text(is_file_name), "the path of a file", help);
    let is_list = |value: &Value| {
        let is_path = |path: &Value| path.as_str().is_some_and(is_plain_path);
        value.as_array().is_some_and(|paths| paths.iter().all(is_path))
    };
    check(
        "spaExcept",
        &is_list,
        "a list of paths",
        "write paths such as [\"/api\"]",
    );
    let are_headers = |value: &Value| {
        let is_header = |(name, value): (&String, &Value)| {
            let lower = name.to_lowercase();
            is_header_name(name)
                && lower != "cache-control"
                && !OWN_HEADERS.contains(&lower.as_str())
                && value.as_str().is_some_and(is_header_value)
        };
        value
            .as_object()
            .is_some_and(|headers| headers.iter().all(is_header))
    };
    let help = "write an object such as `{ \"referrer-policy\": \"no-referrer\" }`, without headers that depend on the \
                file, and use `cacheControl` for `cache-control`";
    check(
        "headers",
        &are_headers,
        "an object of headers that this option can set",
        help,
    );
    for flag in ["dotFiles", "followSymlinks", "precompressed"] {
        check(flag, &Value::is_boolean, "a boolean", "write `true` or `false`");
    }
    if !site.contains_key("dir") {
        found.push(option.problem(
            format!("`{name}.dir` is missing"),
            format!("name a directory: `{EXAMPLE}`"),
        ));
    }
    let has_paths = |value: &Value| value.as_array().is_some_and(|paths| !paths.is_empty());
    if site.get("spaExcept").is_some_and(has_paths) && !site.contains_key("spa") {
        found.push(option.problem(
            format!("`{name}.spaExcept` has no effect without `{name}.spa`"),
            "remove `spaExcept`, or set `spa`".to_owned(),
        ));
    }
    found
}

fn is_plain_path(path: &str) -> bool {
    let is_name = |name: &str| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.~-".contains(&byte);
        !name.is_empty() && name.bytes().all(is_plain)
    };
    path.strip_prefix('/')
        .is_some_and(|rest| rest.split('/').all(is_name))
}

fn is_header_value(value: &str) -> bool {
    !value.is_empty() && value.trim() == value && value.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

fn is_file_name(path: &str) -> bool {
    let is_name = |name: &str| !name.is_empty() && !name.starts_with('.') && !name.contains('\\');
    path.split('/').all(is_name)
}

#[cfg(test)]
mod tests {
    use kit_ir::{LiteralOption, Program};
    use serde_json::{Value, json};

    use super::problems;

    fn messages(value: Option<Value>) -> Vec<String> {
        let mut program = Program::default();
        let span = json!({ "source": 0, "start": 0, "end": 2, "line": 1, "column": 1 });
        program.application.static_files = Some(LiteralOption {
            value,
            span: serde_json::from_value(span).unwrap(),
        });
        problems(&program)
            .into_iter()
            .map(|problem| problem.message)
            .collect()
    }

    #[test]
    fn accepts_an_object_and_a_list_of_objects() {
        assert!(messages(Some(json!({ "dir": "public" }))).is_empty());
        let site = json!({
            "dir": "dist", "prefix": "/assets", "cacheControl": "public, max-age=60", "precompressed": true,
            "headers": { "X-A": "b" }, "spa": "index.html", "spaExcept": ["/api"], "dotFiles": false,
        });
        assert!(messages(Some(json!([site, { "dir": "../web/dist" }]))).is_empty());
    }

    #[test]
    fn error_names_the_option_and_the_mistake() {
        let one = |value: Value| messages(Some(value)).join("; ");
        assert!(messages(None)[0].contains("known only when the application runs"));
        assert!(one(json!(true)).contains("`staticFiles` is true"));
        assert!(one(json!([{}])).contains("`staticFiles[0].dir` is missing"));
        for (member, value) in [
            ("dir", json!("")),
            ("dir", json!(".")),
            ("dir", json!("../..")),
            ("prefix", json!("assets")),
            ("cacheControl", json!("a\nb")),
            ("spa", json!("../index.html")),
            ("spaExcept", json!(["api"])),
            ("headers", json!({ "etag": "\"a\"" })),
            ("headers", json!({ "cache-control": "a" })),
            ("dotFiles", json!("yes")),
        ] {
            let mut site = json!({ "dir": "public", "spa": "index.html" });
            site[member] = value;
            let said = one(site);
            assert!(said.starts_with(&format!("`staticFiles.{member}` is ")), "{said}");
        }
        assert_eq!(
            one(json!({ "dir": "a", "prefx": "/" })),
            "there is no option `staticFiles.prefx`"
        );
        let said = one(json!({ "dir": "a", "spaExcept": ["/api"] }));
        assert!(said.contains("has no effect without `staticFiles.spa`"));
    }
}
