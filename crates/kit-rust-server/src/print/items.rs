//! Prints Rust items: functions, types, modules and imports.

use syn::{Fields, ImplItem, Item, ItemUse, ReturnType, Signature, TraitItem, UseTree, Visibility};

use super::expressions::{assignment, block};
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

/// Returns true if a blank line separates two items. Imports of one block and `mod` lines have no blank line
/// between them.
fn is_separate(before: &Item, item: &Item) -> bool {
    match (before, item) {
        (Item::Use(before), Item::Use(item)) => import_block(before) != import_block(item),
        (Item::Mod(before), Item::Mod(item)) => before.content.is_some() || item.content.is_some(),
        _ => true,
    }
}

/// Returns the number of the block that contains an import. The order of the blocks is: the standard library,
/// other crates, `crate`, `self` and `super`.
pub(crate) fn import_block(node: &ItemUse) -> u8 {
    match &node.tree {
        UseTree::Path(path) if path.ident == "std" => 0,
        UseTree::Path(path) if path.ident == "crate" => 2,
        UseTree::Path(path) if path.ident == "self" || path.ident == "super" => 3,
        _ if matches!(node.vis, Visibility::Public(_)) => 1,
        _ => 1,
    }
}

/// Prints an item.
pub(super) fn item(item: &Item, indent: usize) -> String {
    let start = margin(indent);
    match item {
        Item::Use(node) => format!("{}{}", attributes(&node.attrs, indent), import(node)),
        Item::Mod(node) => {
            let head = format!(
                "{}{start}{}mod {}",
                attributes(&node.attrs, indent),
                visible(&node.vis),
                node.ident
            );
            match &node.content {
                None => format!("{head};\n"),
                Some((_, items)) => format!("{head} {{\n{}{start}}}\n", all(items, indent + 4)),
            }
        }
        Item::Const(node) => {
            let head = format!("{}const {}: {}", visible(&node.vis), node.ident, flat(&node.ty));
            format!(
                "{}{start}{}",
                attributes(&node.attrs, indent),
                constant(&head, &node.expr, indent)
            )
        }
        Item::Static(node) => {
            let head = format!("{}static {}: {}", visible(&node.vis), node.ident, flat(&node.ty));
            format!(
                "{}{start}{}",
                attributes(&node.attrs, indent),
                constant(&head, &node.expr, indent)
            )
        }
        Item::Struct(node) => {
            let head = format!(
                "{}struct {}{}",
                visible(&node.vis),
                node.ident,
                flat(&node.generics)
            );
            let end = if matches!(node.fields, Fields::Named(_)) {
                ""
            } else {
                ";"
            };
            format!(
                "{}{start}{head}{}{end}\n",
                attributes(&node.attrs, indent),
                fields(&node.fields, indent, head.len())
            )
        }
        Item::Enum(node) => {
            let mut text = format!(
                "{}{start}{}enum {} {{\n",
                attributes(&node.attrs, indent),
                visible(&node.vis),
                node.ident
            );
            for variant in &node.variants {
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
        Item::Impl(node) => {
            let generics = flat(&node.generics);
            let own = flat(&node.self_ty);
            let head = match &node.trait_ {
                Some((name, _)) => format!("impl{generics} {} for {own}", flat(name)),
                None => format!("impl{generics} {own}"),
            };
            let members: Vec<String> = node
                .items
                .iter()
                .map(|member| self::member(member, indent + 4))
                .collect();
            body(
                &format!("{}{start}{head}", attributes(&node.attrs, indent)),
                &members,
                indent,
            )
        }
        Item::Trait(node) => {
            let members: Vec<String> = node
                .items
                .iter()
                .map(|member| declared(member, indent + 4))
                .collect();
            let head = format!("{}trait {}", visible(&node.vis), node.ident);
            body(
                &format!("{}{start}{head}", attributes(&node.attrs, indent)),
                &members,
                indent,
            )
        }
        Item::Fn(node) => function(&node.attrs, &node.sig, &node.vis, &node.block, indent),
        other => format!("{start}{}\n", flat(other)),
    }
}

/// Prints a function with its body.
fn function(
    attrs: &[syn::Attribute],
    sig: &Signature,
    vis: &Visibility,
    body: &syn::Block,
    indent: usize,
) -> String {
    let head = signature(sig, &visible(vis), indent, " {");
    // If the brace does not fit on the last line of the parameters, rustfmt moves it to the next line. rustfmt counts the margin twice.
    let last = head.lines().last().unwrap_or_default();
    let separator = if head.contains('\n') && indent + last.len() + 2 > WIDTH {
        format!("\n{}", margin(indent))
    } else {
        " ".to_owned()
    };
    format!(
        "{}{head}{separator}{}\n",
        attributes(attrs, indent),
        block(body, indent)
    )
}

fn body(head: &str, members: &[String], indent: usize) -> String {
    if members.is_empty() {
        return format!("{head} {{}}\n");
    }
    format!("{head} {{\n{}{}}}\n", members.join("\n"), margin(indent))
}

fn member(member: &ImplItem, indent: usize) -> String {
    match member {
        ImplItem::Const(node) => {
            let head = format!("{}const {}: {}", visible(&node.vis), node.ident, flat(&node.ty));
            format!(
                "{}{}{}",
                attributes(&node.attrs, indent),
                margin(indent),
                constant(&head, &node.expr, indent)
            )
        }
        ImplItem::Fn(node) => function(&node.attrs, &node.sig, &node.vis, &node.block, indent),
        other => format!("{}{}\n", margin(indent), flat(other)),
    }
}

fn declared(member: &TraitItem, indent: usize) -> String {
    match member {
        TraitItem::Fn(node) => {
            let end = if node.default.is_some() { " {" } else { ";" };
            let head = signature(&node.sig, "", indent, end);
            let body = node
                .default
                .as_ref()
                .map_or_else(|| ";".to_owned(), |body| format!(" {}", block(body, indent)));
            format!("{}{head}{body}\n", attributes(&node.attrs, indent))
        }
        other => format!("{}{}\n", margin(indent), flat(other)),
    }
}

fn constant(head: &str, value: &syn::Expr, indent: usize) -> String {
    let value = assignment(value, indent, |space| space.after(head.len())?.before(1));
    format!("{head}{value};\n")
}

fn visible(node: &Visibility) -> String {
    match node {
        Visibility::Inherited => String::new(),
        other => format!("{} ", flat(other)),
    }
}

/// Prints the fields of a struct or variant. `before` is the number of columns that its name takes after the
/// indentation.
fn fields(node: &Fields, indent: usize, before: usize) -> String {
    match node {
        Fields::Unit => String::new(),
        Fields::Named(node) if node.named.is_empty() => " {}".to_owned(),
        Fields::Named(node) => {
            let mut text = " {\n".to_owned();
            for field in &node.named {
                let name = field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
                text.push_str(&attributes(&field.attrs, indent + 4));
                let start = format!("{}{}{name}:", margin(indent + 4), visible(&field.vis));
                let r#type = flat(&field.ty);
                // With the blank before the type and the comma after it.
                let separator = if start.len() + r#type.len() + 2 > WIDTH {
                    format!("\n{}", margin(indent + 8))
                } else {
                    " ".to_owned()
                };
                text.push_str(&format!("{start}{separator}{type},\n"));
            }
            format!("{text}{}}}", margin(indent))
        }
        Fields::Unnamed(node) => {
            let types: Vec<String> = node
                .unnamed
                .iter()
                .map(|field| format!("{}{}", visible(&field.vis), flat(&field.ty)))
                .collect();
            let line = format!("({})", types.join(", "));
            // The limit does not apply to a single field.
            let limit = if types.len() == 1 { WIDTH } else { TUPLE + 2 };
            if line.len() <= limit && indent + before + line.len() < WIDTH {
                return line;
            }
            let inner = margin(indent + 4);
            let types: String = types.iter().map(|field| format!("{inner}{field},\n")).collect();
            format!("(\n{types}{})", margin(indent))
        }
    }
}

/// Prints the signature of a function. `before` is the text before the signature, and `end` is the text after the
/// signature on the same line.
fn signature(node: &Signature, before: &str, indent: usize, end: &str) -> String {
    let start = margin(indent);
    let constant = if node.constness.is_some() { "const " } else { "" };
    let asynchronous = if node.asyncness.is_some() { "async " } else { "" };
    let name = format!(
        "{start}{before}{constant}{asynchronous}fn {}{}",
        node.ident,
        flat(&node.generics)
    );
    let parameters: Vec<String> = node.inputs.iter().map(flat).collect();
    let output = match &node.output {
        ReturnType::Default => String::new(),
        ReturnType::Type(_, r#type) => format!("-> {}", flat(r#type)),
    };
    let separator = if output.is_empty() { "" } else { " " };
    let line = format!("{name}({}){separator}{output}", parameters.join(", "));
    let width = line.len() + end.len();
    // rustfmt counts the semicolon of a function without a body twice.
    let room = if end == ";" { WIDTH - 1 } else { WIDTH };
    if width <= room {
        return line;
    }
    if end == ";" && width == WIDTH {
        return format!("{name}({})\n{start}{output}", parameters.join(", "));
    }
    let parameters: String = parameters
        .iter()
        .map(|parameter| format!("{start}    {parameter},\n"))
        .collect();
    let last = format!("{start}){separator}{output}");
    let last = match last.rsplit_once(" + ") {
        Some((first, bound)) => broken_bounds(first, bound, &start),
        // rustfmt does not count the parenthesis and the blank before the arrow.
        _ if last.len() > WIDTH + 2 => broken_output(node, indent).unwrap_or(last),
        _ => last,
    };
    format!("{name}(\n{parameters}{last}")
}

/// Prints the end of the parameters and a type such as `impl Future<Output = T> + Send`. `first` is the text before the last bound,
/// and only its width counts.
fn broken_bounds(first: &str, bound: &str, start: &str) -> String {
    match first.split_once('<') {
        Some((name, arguments)) if first.len() > WIDTH + 1 => {
            let arguments = arguments.strip_suffix('>').unwrap_or(arguments);
            format!("{name}<\n{start}    {arguments},\n{start}> + {bound}")
        }
        _ if first.len() > WIDTH => format!("{first}\n{start}+ {bound}"),
        _ => format!("{first} + {bound}"),
    }
}

/// Prints the end of the parameters and a result type whose arguments need lines of their own. Returns `None` for a type without
/// arguments.
fn broken_output(node: &Signature, indent: usize) -> Option<String> {
    let ReturnType::Type(_, r#type) = &node.output else {
        return None;
    };
    Some(format!("{}) -> {}", margin(indent), broken_type(r#type, indent)?))
}

/// Prints a type with a line for each argument. An argument that is too long gets such lines too. Returns `None` for a type without
/// arguments.
fn broken_type(r#type: &syn::Type, indent: usize) -> Option<String> {
    let syn::Type::Path(path) = r#type else {
        return None;
    };
    let last = path.path.segments.last()?;
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    let text = flat(r#type);
    let (name, _) = text.split_once('<')?;
    let inner = margin(indent + 4);
    let lines = arguments.args.iter().map(|argument| {
        let line = flat(argument);
        let broken = match argument {
            syn::GenericArgument::Type(r#type) if inner.len() + line.len() + 1 > WIDTH => {
                broken_type(r#type, indent + 4)
            }
            _ => None,
        };
        format!("{inner}{},\n", broken.unwrap_or(line))
    });
    let lines: String = lines.collect();
    Some(format!("{name}<\n{lines}{}>", margin(indent)))
}

/// Prints a `use` statement.
fn import(node: &ItemUse) -> String {
    let line = format!("{}use {};\n", visible(&node.vis), tree(&node.tree));
    // rustfmt leaves two columns of the line unused.
    if line.len() < WIDTH {
        return line;
    }
    let (mut path, mut rest) = (String::new(), &node.tree);
    while let UseTree::Path(part) = rest {
        path.push_str(&format!("{}::", part.ident));
        rest = &part.tree;
    }
    let UseTree::Group(group) = rest else { return line };
    let names: Vec<String> = group.items.iter().map(tree).collect();
    let mut text = format!("{}use {path}{{\n", visible(&node.vis));
    let mut line = "   ".to_owned();
    let mut is_first_line = true;
    for (number, name) in names.iter().enumerate() {
        // If all names fit on one line, rustfmt does not count the comma after the last name.
        let is_last_of_one_line = is_first_line && number + 1 == names.len();
        let comma = usize::from(!is_last_of_one_line);
        if line.len() + name.len() + comma + 2 > WIDTH {
            text.push_str(&line);
            text.push('\n');
            "   ".clone_into(&mut line);
            is_first_line = false;
        }
        line.push_str(&format!(" {name},"));
    }
    format!("{text}{line}\n}};\n")
}

fn tree(node: &UseTree) -> String {
    match node {
        UseTree::Path(node) => format!("{}::{}", node.ident, tree(&node.tree)),
        UseTree::Name(node) => node.ident.to_string(),
        UseTree::Rename(node) => format!("{} as {}", node.ident, node.rename),
        UseTree::Glob(_) => "*".to_owned(),
        UseTree::Group(node) => {
            let names: Vec<String> = node.items.iter().map(tree).collect();
            format!("{{{}}}", names.join(", "))
        }
    }
}
