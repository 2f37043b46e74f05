//! Prints Rust items: functions, types, modules and imports.

use syn::{Fields, ImplItem, Item, ItemUse, ReturnType, Signature, TraitItem, UseTree, Visibility};

use super::expressions::{assigned, block, lenient};
use super::tokens::flat;
use super::{WIDTH, attributes, margin};

/// Maximum width of the fields of a tuple struct on one line.
const TUPLE: usize = 60;

/// Prints items with blank lines between them.
pub(super) fn all(items: &[Item], indent: usize) -> String {
    let mut text = String::new();
    for (number, item) in items.iter().enumerate() {
        if number > 0 && is_separate(&items[number - 1], item) {
            text.push('\n');
        }
        text.push_str(&self::item(item, indent));
    }
    text
}

/// Returns true if there is a blank line between two items.
fn is_separate(before: &Item, item: &Item) -> bool {
    match (before, item) {
        (Item::Use(before), Item::Use(item)) => origin(before) != origin(item),
        (Item::Mod(before), Item::Mod(item)) => before.content.is_some() || item.content.is_some(),
        _ => true,
    }
}

/// Returns the number of the block in which an import is: the standard library, other crates, `crate`, `self` and
/// `super`.
fn origin(of: &ItemUse) -> u8 {
    match &of.tree {
        UseTree::Path(path) if path.ident == "std" => 0,
        UseTree::Path(path) if path.ident == "crate" => 2,
        UseTree::Path(path) if path.ident == "self" || path.ident == "super" => 3,
        _ if matches!(of.vis, Visibility::Public(_)) => 1,
        _ => 1,
    }
}

/// Prints an item.
pub(super) fn item(item: &Item, indent: usize) -> String {
    let start = margin(indent);
    match item {
        Item::Use(of) => format!("{}{}", attributes(&of.attrs, indent), import(of)),
        Item::Mod(of) => {
            let head = format!(
                "{}{start}{}mod {}",
                attributes(&of.attrs, indent),
                visible(&of.vis),
                of.ident
            );
            match &of.content {
                None => format!("{head};\n"),
                Some((_, items)) => format!("{head} {{\n{}{start}}}\n", all(items, indent + 4)),
            }
        }
        Item::Const(of) => {
            let head = format!("{}const {}: {}", visible(&of.vis), of.ident, flat(&of.ty));
            format!(
                "{}{start}{}",
                attributes(&of.attrs, indent),
                constant(&head, &of.expr, indent)
            )
        }
        Item::Static(of) => {
            let head = format!("{}static {}: {}", visible(&of.vis), of.ident, flat(&of.ty));
            format!(
                "{}{start}{}",
                attributes(&of.attrs, indent),
                constant(&head, &of.expr, indent)
            )
        }
        Item::Struct(of) => {
            let head = format!("{}struct {}{}", visible(&of.vis), of.ident, flat(&of.generics));
            let end = if matches!(of.fields, Fields::Named(_)) {
                ""
            } else {
                ";"
            };
            format!(
                "{}{start}{head}{}{end}\n",
                attributes(&of.attrs, indent),
                fields(&of.fields, indent, head.len())
            )
        }
        Item::Enum(of) => {
            let mut text = format!(
                "{}{start}{}enum {} {{\n",
                attributes(&of.attrs, indent),
                visible(&of.vis),
                of.ident
            );
            for variant in &of.variants {
                let name = variant.ident.to_string();
                text.push_str(&attributes(&variant.attrs, indent + 4));
                text.push_str(&format!(
                    "{}{name}{},\n",
                    margin(indent + 4),
                    fields(&variant.fields, indent + 4, name.len())
                ));
            }
            format!("{text}{start}}}\n")
        }
        Item::Impl(of) => {
            let generics = flat(&of.generics);
            let own = flat(&of.self_ty);
            let head = match &of.trait_ {
                Some((name, _)) => format!("impl{generics} {} for {own}", flat(name)),
                None => format!("impl{generics} {own}"),
            };
            let members: Vec<String> = of
                .items
                .iter()
                .map(|member| self::member(member, indent + 4))
                .collect();
            body(
                &format!("{}{start}{head}", attributes(&of.attrs, indent)),
                &members,
                indent,
            )
        }
        Item::Trait(of) => {
            let members: Vec<String> = of
                .items
                .iter()
                .map(|member| declared(member, indent + 4))
                .collect();
            let head = format!("{}trait {}", visible(&of.vis), of.ident);
            body(
                &format!("{}{start}{head}", attributes(&of.attrs, indent)),
                &members,
                indent,
            )
        }
        Item::Fn(of) => {
            let head = signature(&of.sig, &visible(&of.vis), indent, " {");
            format!(
                "{}{head} {}\n",
                attributes(&of.attrs, indent),
                block(&of.block, indent)
            )
        }
        other => format!("{start}{}\n", flat(other)),
    }
}

fn body(head: &str, members: &[String], indent: usize) -> String {
    if members.is_empty() {
        return format!("{head} {{}}\n");
    }
    format!("{head} {{\n{}{}}}\n", members.join("\n"), margin(indent))
}

fn member(member: &ImplItem, indent: usize) -> String {
    match member {
        ImplItem::Const(of) => {
            let head = format!("{}const {}: {}", visible(&of.vis), of.ident, flat(&of.ty));
            format!(
                "{}{}{}",
                attributes(&of.attrs, indent),
                margin(indent),
                constant(&head, &of.expr, indent)
            )
        }
        ImplItem::Fn(of) => {
            let head = signature(&of.sig, &visible(&of.vis), indent, " {");
            format!(
                "{}{head} {}\n",
                attributes(&of.attrs, indent),
                block(&of.block, indent)
            )
        }
        other => format!("{}{}\n", margin(indent), flat(other)),
    }
}

fn declared(member: &TraitItem, indent: usize) -> String {
    match member {
        TraitItem::Fn(of) => {
            let end = if of.default.is_some() { " {" } else { ";" };
            let head = signature(&of.sig, "", indent, end);
            let body = of
                .default
                .as_ref()
                .map_or_else(|| ";".to_owned(), |body| format!(" {}", block(body, indent)));
            format!("{}{head}{body}\n", attributes(&of.attrs, indent))
        }
        other => format!("{}{}\n", margin(indent), flat(other)),
    }
}

fn constant(head: &str, value: &syn::Expr, indent: usize) -> String {
    let value = lenient(indent, |place| {
        assigned(value, place.after(head.len())?.before(1)?, " =")
    });
    format!("{head}{value};\n")
}

fn visible(of: &Visibility) -> String {
    match of {
        Visibility::Inherited => String::new(),
        other => format!("{} ", flat(other)),
    }
}

/// Prints the fields of a struct or variant. Its name takes `before` columns after the indentation.
fn fields(of: &Fields, indent: usize, before: usize) -> String {
    match of {
        Fields::Unit => String::new(),
        Fields::Named(of) if of.named.is_empty() => " {}".to_owned(),
        Fields::Named(of) => {
            let mut text = " {\n".to_owned();
            for field in &of.named {
                let name = field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
                text.push_str(&attributes(&field.attrs, indent + 4));
                text.push_str(&format!(
                    "{}{}{name}: {},\n",
                    margin(indent + 4),
                    visible(&field.vis),
                    flat(&field.ty)
                ));
            }
            format!("{text}{}}}", margin(indent))
        }
        Fields::Unnamed(of) => {
            let types: Vec<String> = of
                .unnamed
                .iter()
                .map(|field| format!("{}{}", visible(&field.vis), flat(&field.ty)))
                .collect();
            let line = format!("({})", types.join(", "));
            if line.len() <= TUPLE + 2 && indent + before + line.len() < WIDTH {
                return line;
            }
            let inner = margin(indent + 4);
            let types: String = types.iter().map(|of| format!("{inner}{of},\n")).collect();
            format!("(\n{types}{})", margin(indent))
        }
    }
}

/// Prints the signature of a function. `before` is the text in front of it, and `end` the text behind it on the same
/// line.
fn signature(of: &Signature, before: &str, indent: usize, end: &str) -> String {
    let start = margin(indent);
    let constant = if of.constness.is_some() { "const " } else { "" };
    let asynchronous = if of.asyncness.is_some() { "async " } else { "" };
    let name = format!(
        "{start}{before}{constant}{asynchronous}fn {}{}",
        of.ident,
        flat(&of.generics)
    );
    let given: Vec<String> = of.inputs.iter().map(flat).collect();
    let answer = match &of.output {
        ReturnType::Default => String::new(),
        ReturnType::Type(_, r#type) => format!("-> {}", flat(r#type)),
    };
    let space = if answer.is_empty() { "" } else { " " };
    let line = format!("{name}({}){space}{answer}", given.join(", "));
    let width = line.len() + end.len();
    // rustfmt counts the semicolon of a function without a body twice.
    let room = if end == ";" { WIDTH - 1 } else { WIDTH };
    if width <= room {
        return line;
    }
    if end == ";" && width == WIDTH {
        return format!("{name}({})\n{start}{answer}", given.join(", "));
    }
    let given: String = given.iter().map(|one| format!("{start}    {one},\n")).collect();
    format!("{name}(\n{given}{start}){space}{answer}")
}

/// Prints a `use` statement.
fn import(of: &ItemUse) -> String {
    let line = format!("{}use {};\n", visible(&of.vis), tree(&of.tree));
    // rustfmt leaves two columns of the line unused.
    if line.len() < WIDTH {
        return line;
    }
    let (mut path, mut rest) = (String::new(), &of.tree);
    while let UseTree::Path(part) = rest {
        path.push_str(&format!("{}::", part.ident));
        rest = &part.tree;
    }
    let UseTree::Group(group) = rest else { return line };
    let names: Vec<String> = group.items.iter().map(tree).collect();
    let mut text = format!("{}use {path}{{\n", visible(&of.vis));
    let mut line = "   ".to_owned();
    for (number, name) in names.iter().enumerate() {
        // rustfmt does not count the comma after the last name.
        let comma = usize::from(number + 1 < names.len());
        if line.len() + name.len() + comma + 2 > WIDTH {
            text.push_str(&line);
            text.push('\n');
            "   ".clone_into(&mut line);
        }
        line.push_str(&format!(" {name},"));
    }
    format!("{text}{line}\n}};\n")
}

fn tree(of: &UseTree) -> String {
    match of {
        UseTree::Path(of) => format!("{}::{}", of.ident, tree(&of.tree)),
        UseTree::Name(of) => of.ident.to_string(),
        UseTree::Rename(of) => format!("{} as {}", of.ident, of.rename),
        UseTree::Glob(_) => "*".to_owned(),
        UseTree::Group(of) => {
            let names: Vec<String> = of.items.iter().map(tree).collect();
            format!("{{{}}}", names.join(", "))
        }
    }
}
