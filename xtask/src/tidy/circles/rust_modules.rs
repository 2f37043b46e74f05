//! Imports between modules of crates: the paths in `use` and in code, followed through re-exports to the file that defines
//! the item. Test modules do not count. Macros and calls of methods need no import, so they are not seen.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::{Imports, TextFile, Tree};

/// Modules of a crate by path. The path of the crate itself is empty.
type Modules<'a> = BTreeMap<Vec<String>, Module<'a>>;

/// Parts of a module that decide what its paths mean.
#[derive(Debug, Default)]
struct Module<'a> {
    file: &'a str,
    /// Names of modules that this module declares.
    children: BTreeSet<String>,
    /// Names of modules that exist only in tests.
    test_children: BTreeSet<String>,
    /// Names that the module defines.
    items: BTreeSet<String>,
    /// Names that `use` brings into the module, with their paths.
    uses: BTreeMap<String, Use>,
    /// Paths whose items `use …::*` brings into the module.
    globs: Vec<Vec<String>>,
    /// Paths in code. The first name of each is a keyword, a module, or a name of `uses`.
    paths: BTreeSet<Vec<String>>,
}

#[derive(Debug)]
struct Use {
    path: Vec<String>,
    /// True for `pub use`, which passes a name on. The module itself imports the name only if its code contains the name.
    is_public: bool,
}

/// Returns the imports between the files of all crates.
pub(super) fn imports(tree: &Tree) -> Imports {
    let mut imports = Imports::default();
    let roots = tree
        .matching("crates/", "/src/lib.rs")
        .chain(tree.matching("xtask/src/main.rs", ""))
        .filter(|file| file.path.matches('/').count() <= 3);
    for root in roots {
        let folder = root.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let prefix = format!("{folder}/");
        let files = tree.matching(&prefix, ".rs").filter(|file| {
            file.path == root.path || !["lib.rs", "main.rs"].contains(&&file.path[prefix.len()..])
        });
        let mut modules = Modules::new();
        for file in files {
            let Ok(tokens) = file.text.parse::<TokenStream>() else {
                continue;
            };
            read_module(
                &module_path(&file.path[prefix.len()..]),
                file,
                tokens,
                &mut modules,
            );
        }
        add_imports(&modules, &mut imports);
    }
    imports
}

/// Returns the path of the module in a file: `a/b.rs` and `a/b/mod.rs` are `a::b`.
fn module_path(file: &str) -> Vec<String> {
    let path = file.trim_end_matches(".rs");
    let mut parts: Vec<String> = path.split('/').map(str::to_owned).collect();
    if parts
        .last()
        .is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str()))
    {
        parts.pop();
    }
    parts
}

fn add_imports(modules: &Modules<'_>, imports: &mut Imports) {
    for (path, module) in modules {
        if is_for_tests(modules, path) {
            continue;
        }
        let used = module
            .uses
            .iter()
            .filter(|(name, used)| !used.is_public || module.paths.contains(&vec![(*name).clone()]))
            .map(|(_, used)| &used.path);
        let through_modules = module.paths.iter().filter(|path| path.len() > 1);
        for names in used.chain(through_modules).chain(&module.globs) {
            // A `use` of a whole module imports nothing by itself; the paths through the module do.
            let Some((defining, Some(item))) = resolve(modules, path, names, 0) else {
                continue;
            };
            // A module and its parts are one subject: the parts use the types of the module, which runs the parts.
            if !path.starts_with(&defining) {
                imports.add(module.file, modules[&defining].file, &item);
            }
        }
    }
}

fn is_for_tests(modules: &Modules<'_>, path: &[String]) -> bool {
    (1..=path.len()).any(|length| {
        let (name, parent) = path[..length].split_last().expect("the length is at least 1");
        modules
            .get(parent)
            .is_some_and(|parent| parent.test_children.contains(name))
    })
}

/// Returns the module that a path leads to, and the name of an item in it, if the path names an item. Returns `None` for
/// paths into other crates.
fn resolve(
    modules: &Modules<'_>,
    within: &[String],
    names: &[String],
    depth: usize,
) -> Option<(Vec<String>, Option<String>)> {
    // Re-exports may form circles.
    if depth > 20 {
        return None;
    }
    let mut module = within.to_vec();
    let mut names = names;
    match names.first()?.as_str() {
        "crate" => {
            module.clear();
            names = &names[1..];
        }
        "self" | "super" => {
            while let Some(keyword @ ("self" | "super")) = names.first().map(String::as_str) {
                if keyword == "super" {
                    module.pop();
                }
                names = &names[1..];
            }
        }
        name => {
            let here = modules.get(&module)?;
            if !here.children.contains(name) && !here.uses.contains_key(name) {
                return None;
            }
        }
    }
    while let Some(name) = names.first() {
        let here = modules.get(&module)?;
        if here.children.contains(name) {
            module.push(name.clone());
            names = &names[1..];
            continue;
        }
        if here.items.contains(name) {
            return Some((module, Some(name.clone())));
        }
        if let Some(used) = here.uses.get(name) {
            let rest: Vec<String> = used.path.iter().chain(&names[1..]).cloned().collect();
            // A path of one name that has the same name would lead back here.
            return (used.path.as_slice() != [name.clone()])
                .then(|| resolve(modules, &module, &rest, depth + 1))
                .flatten();
        }
        return here.globs.iter().find_map(|glob| {
            let (target, item) = resolve(modules, &module, glob, depth + 1)?;
            if item.is_some() || target == module {
                return None;
            }
            resolve_within(modules, &target, names, depth + 1)
        });
    }
    Some((module, None))
}

/// Returns the target of names that are looked up in a module, and not in its surroundings.
fn resolve_within(
    modules: &Modules<'_>,
    module: &[String],
    names: &[String],
    depth: usize,
) -> Option<(Vec<String>, Option<String>)> {
    let full: Vec<String> = std::iter::once("self".to_owned())
        .chain(names.iter().cloned())
        .collect();
    resolve(modules, module, &full, depth)
}

/// Reads the tokens of a module and of the modules within it.
fn read_module<'a>(path: &[String], file: &'a TextFile, tokens: TokenStream, modules: &mut Modules<'a>) {
    let mut module = Module {
        file: &file.path,
        ..Module::default()
    };
    let mut tokens = tokens.into_iter().peekable();
    let mut is_public = false;
    let mut is_for_tests = false;
    while let Some(token) = tokens.next() {
        match &token {
            TokenTree::Punct(punct) if punct.as_char() == '#' => {
                tokens.next_if(|next| is_punct(next, '!'));
                if let Some(TokenTree::Group(attribute)) = tokens.peek() {
                    is_for_tests |= attribute.stream().to_string().replace(' ', "") == "cfg(test)";
                    tokens.next();
                }
            }
            TokenTree::Ident(word) if word == "pub" => {
                is_public = true;
                tokens.next_if(
                    |next| matches!(next, TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis),
                );
            }
            TokenTree::Ident(word) if word == "mod" => {
                let name = tokens.next().map(|name| name.to_string()).unwrap_or_default();
                let within = tokens.next();
                if is_for_tests {
                    module.test_children.insert(name.clone());
                } else if let Some(TokenTree::Group(group)) = within {
                    let inner: Vec<String> = path.iter().cloned().chain([name.clone()]).collect();
                    read_module(&inner, file, group.stream(), modules);
                }
                module.children.insert(name);
                (is_public, is_for_tests) = (false, false);
            }
            TokenTree::Ident(word) if word == "use" => {
                let tree: Vec<TokenTree> = tokens
                    .by_ref()
                    .take_while(|token| !is_punct(token, ';'))
                    .collect();
                if !is_for_tests {
                    read_use(&tree, &[], is_public, &mut module);
                }
                (is_public, is_for_tests) = (false, false);
            }
            _ => {
                let mut item = vec![token];
                while let Some(last) = item.last()
                    && !is_end_of_item(last)
                {
                    let Some(next) = tokens.next() else { break };
                    item.push(next);
                }
                if !is_for_tests {
                    module.items.extend(defined_name(&item));
                    read_paths(item, &mut module.paths);
                }
                (is_public, is_for_tests) = (false, false);
            }
        }
    }
    modules.insert(path.to_vec(), module);
}

fn is_punct(token: &TokenTree, wanted: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == wanted)
}

fn is_end_of_item(token: &TokenTree) -> bool {
    is_punct(token, ';') || matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
}

/// Returns the name that an item defines.
fn defined_name(item: &[TokenTree]) -> Option<String> {
    let kinds = [
        "fn",
        "struct",
        "enum",
        "union",
        "trait",
        "type",
        "const",
        "static",
        "macro_rules",
    ];
    let mut words = item
        .iter()
        .filter(|token| !is_punct(token, '!'))
        .map(ToString::to_string);
    let kind = words.find(|word| kinds.contains(&word.as_str()) || word == "impl")?;
    let mut name = words.next()?;
    while ["fn", "mut", "unsafe", "async", "extern"].contains(&name.as_str()) {
        name = words.next()?;
    }
    (kind != "impl").then_some(name)
}

/// Reads the tree of a `use`: `a::{b, c as d, e::*}`.
fn read_use(tree: &[TokenTree], before: &[String], is_public: bool, module: &mut Module<'_>) {
    for branch in tree.split(|token| is_punct(token, ',')) {
        let mut path = before.to_vec();
        let mut renamed = None;
        let mut is_complete = false;
        let mut tokens = branch.iter();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Ident(word) if word == "as" => renamed = tokens.next().map(ToString::to_string),
                TokenTree::Ident(word) if word == "self" && !path.is_empty() => {}
                TokenTree::Ident(word) => path.push(word.to_string()),
                TokenTree::Group(group) => {
                    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                    read_use(&inner, &path, is_public, module);
                    is_complete = true;
                }
                TokenTree::Punct(punct) if punct.as_char() == '*' => {
                    module.globs.push(path.clone());
                    is_complete = true;
                }
                _ => {}
            }
        }
        if let Some(name) = renamed.or_else(|| path.last().cloned())
            && !is_complete
        {
            module.uses.insert(name, Use { path, is_public });
        }
    }
}

/// Reads the paths in code, and single names, which a `pub use` may have defined.
fn read_paths(tokens: impl IntoIterator<Item = TokenTree>, paths: &mut BTreeSet<Vec<String>>) {
    let mut path: Vec<String> = Vec::new();
    let mut colons = 0;
    for token in tokens {
        match token {
            TokenTree::Ident(word) => {
                if colons != 2 {
                    paths.extend((!path.is_empty()).then(|| std::mem::take(&mut path)));
                }
                path.push(word.to_string());
                colons = 0;
            }
            TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
            other => {
                paths.extend((!path.is_empty()).then(|| std::mem::take(&mut path)));
                colons = 0;
                if let TokenTree::Group(group) = other {
                    read_paths(group.stream(), paths);
                }
            }
        }
    }
    paths.extend((!path.is_empty()).then_some(path));
}

#[cfg(test)]
mod tests {
    use super::super::modules_have_no_circles;
    use crate::tidy::Tree;

    /// Returns the problems of a crate with the modules `a` and `b`, and a folder `c` with the modules `c` and `c::d`.
    fn problems(root: &str, a: &str, b: &str, c: &str, d: &str) -> Vec<String> {
        modules_have_no_circles(&Tree::of(&[
            (
                "crates/x/src/lib.rs",
                &format!("//! x\n{root}\nmod a;\nmod b;\nmod c;\n"),
            ),
            ("crates/x/src/a.rs", a),
            ("crates/x/src/b.rs", b),
            ("crates/x/src/c/mod.rs", &format!("mod d;\n{c}")),
            ("crates/x/src/c/d.rs", d),
        ]))
    }

    #[test]
    fn reports_modules_that_use_each_other_by_use_and_by_path() {
        let found = problems(
            "",
            "use crate::b::{B, other as renamed};\npub struct A(B);",
            "pub struct B;\nfn f() { crate::a::A::new(); }",
            "",
            "",
        );
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("crates/x/src/a.rs, crates/x/src/b.rs: a circle of imports"));
        assert!(found[0].contains("crates/x/src/b.rs imports A from crates/x/src/a.rs"));
    }

    #[test]
    fn finds_the_module_that_defines_a_re_exported_item() {
        let found = problems(
            "pub use a::A;\npub use c::*;",
            "use crate::D;\npub struct A;",
            "",
            "pub use d::D;",
            "use super::super::A;\npub struct D;",
        );
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].starts_with("crates/x/src/a.rs, crates/x/src/c/d.rs: a circle"),
            "{found:?}"
        );
    }

    #[test]
    fn allows_submodules_to_use_the_items_of_their_parent_module() {
        let found = problems(
            "",
            "",
            "",
            "pub struct C;\nfn f() { d::run(); }",
            "use super::C;\npub fn run() {}",
        );
        assert_eq!(found, [] as [&str; 0]);
    }

    #[test]
    fn ignores_imports_of_test_modules_and_names_in_comments_and_texts() {
        let found = problems(
            "",
            "use crate::b::B;\npub struct A;",
            "/// See [`crate::a::A`].\npub struct B;\nconst TEXT: &str = \"crate::a::A\";\n#[cfg(test)]\nmod tests { use crate::a::A; }",
            "",
            "",
        );
        assert_eq!(found, [] as [&str; 0]);
    }
}
