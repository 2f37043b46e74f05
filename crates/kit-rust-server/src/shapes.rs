//! Generates shapes: types as data. The runtime checks values against them and describes values that do not fit.

mod template;

use heck::ToSnakeCase as _;
use kit_analysis::UnionPlan;
use kit_ir::{
    Constraints, DeclarationId, Format, IndexKey, LiteralValue, ObjectType, TupleElement, TypeId, TypeKind,
};

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use crate::models::Module;
use crate::source::{ident, number as digits, string_literal};
use crate::types::{Form, Types};

/// Returns the Rust expression that creates the shape of a type.
pub(crate) fn shape(types: &Types<'_>, id: TypeId, name: Option<&str>, module: &mut Module) -> TokenStream {
    let r#type = &types.program.types[id];
    let rules = &r#type.constraints;
    let base = module.runtime(types, "shape::Shape");
    match &r#type.kind {
        TypeKind::Unknown => quote!(#base::Unknown),
        TypeKind::Never => quote!(#base::Never),
        TypeKind::Null => quote!(#base::Null),
        TypeKind::Boolean => quote!(#base::Boolean),
        TypeKind::Date => quote!(#base::Date),
        TypeKind::Bytes => quote!(#base::Bytes),
        TypeKind::Number if rules.integer => number(&quote!(#base::INTEGER), rules),
        TypeKind::Number => number(&quote!(#base::NUMBER), rules),
        TypeKind::BigInt => number(&quote!(#base::BIGINT), rules),
        TypeKind::String => text(types, &quote!(#base::TEXT), rules, module),
        TypeKind::Template { parts } => {
            let template = template::constant(types, parts, module);
            text(types, &quote!(#base::template(&#template)), rules, module)
        }
        TypeKind::Literal { value } => literal(types, value, &base, module),
        TypeKind::Array { element } => {
            let element = shape(types, *element, None, module);
            let least = rule("min_items", rules.min_items.map(integer));
            let most = rule("max_items", rules.max_items.map(integer));
            let unique = rules.unique_items.then(|| quote!(.unique_items()));
            quote!(#base::array(&#element) #least #most #unique)
        }
        TypeKind::Tuple { elements } => {
            let elements: Vec<_> = elements.iter().map(|of| element(types, of, module)).collect();
            quote!(#base::tuple(&[#(#elements),*]))
        }
        TypeKind::Object(object) => self::object(types, object, name, &base, module),
        TypeKind::Union { members } => union(types, members, module),
        TypeKind::Reference { declaration } => {
            let target = ident(&module.model(types, *declaration, Form::Complete));
            quote!(#base::of::<#target>())
        }
    }
}

/// Returns the method call that adds a rule to a shape, such as `.min_length(1)`. Returns no tokens if
/// `value` is `None`.
fn rule(method: &str, value: Option<impl ToTokens>) -> TokenStream {
    let method = ident(method);
    value.map(|value| quote!(.#method(#value))).unwrap_or_default()
}

fn element(types: &Types<'_>, of: &TupleElement, module: &mut Module) -> TokenStream {
    let element = module.runtime(types, "shape::Element");
    let function = match of {
        TupleElement { rest: true, .. } => quote!(rest),
        TupleElement { optional: true, .. } => quote!(optional),
        _ => quote!(required),
    };
    let shape = shape(types, of.r#type, None, module);
    quote!(#element::#function(#shape))
}

fn object(
    types: &Types<'_>,
    object: &ObjectType,
    name: Option<&str>,
    base: &TokenStream,
    module: &mut Module,
) -> TokenStream {
    let mut properties = Vec::new();
    for property in &object.properties {
        let path = module.runtime(types, "shape::Property");
        let function = if property.optional_in_input() {
            quote!(optional)
        } else {
            quote!(required)
        };
        let name = string_literal(&property.name);
        let shape = shape(types, property.r#type, None, module);
        let sensitive = property.tags.sensitive.then(|| quote!(.sensitive()));
        properties.push(quote!(#path::#function(#name, #shape) #sensitive));
    }
    let shape_of_object = if let Some(name) = name.map(string_literal) {
        quote!(#base::object(#name, &[#(#properties),*]))
    } else {
        quote!(#base::anonymous(&[#(#properties),*]))
    };
    let mut index = Vec::new();
    for signature in object.signatures() {
        let keys = keys(types, &signature.key, module);
        let path = module.runtime(types, "shape::Index");
        let value = shape(types, signature.value, None, module);
        index.push(if signature.rules.is_empty() {
            quote!(#path::new(#keys, #value))
        } else {
            let rules = text(types, &quote!(#base::TEXT), &signature.rules, module);
            quote!(#path::ruled(#keys, #value, #rules))
        });
    }
    if index.is_empty() {
        shape_of_object
    } else {
        quote!(#shape_of_object.index(&[#(#index),*]))
    }
}

/// Returns the Rust expression for the keys that an index signature matches.
pub(crate) fn keys(types: &Types<'_>, key: &IndexKey, module: &mut Module) -> TokenStream {
    let path = module.runtime(types, "shape::Keys");
    match key {
        IndexKey::String => quote!(#path::Any),
        IndexKey::Number => quote!(#path::Numeric),
        IndexKey::Template { parts } => {
            let template = template::constant(types, parts, module);
            quote!(#path::Template(&#template))
        }
    }
}

/// Returns the Rust expression for the shape of a union. A union inside of the union is replaced by its
/// members. If the inner union is recursive, its members are wrapped, so that each counts as a level of the
/// maximum depth.
pub(crate) fn union(types: &Types<'_>, members: &[TypeId], module: &mut Module) -> TokenStream {
    let base = module.runtime(types, "shape::Shape");
    let plan = UnionPlan::new(types.program, members);
    let mut shapes = Vec::new();
    for member in &plan.members {
        let recursive = |id: &&DeclarationId| types.is_recursive(**id);
        let levels = member.containing_unions.iter().filter(recursive).count();
        let inner = shape(types, member.r#type, None, module);
        shapes.push((0..levels).fold(inner, |inner, _| {
            quote! {
                #base::Recursive(|| {
                    static SHAPE: #base = #inner;
                    &SHAPE
                })
            }
        }));
    }
    let discriminants: Vec<_> = plan.discriminants().into_iter().map(string_literal).collect();
    let discriminated = (!discriminants.is_empty()).then(|| quote!(.discriminants(&[#(#discriminants),*])));
    quote!(#base::union(&[#(#shapes),*]) #discriminated)
}

fn literal(types: &Types<'_>, value: &LiteralValue, base: &TokenStream, module: &mut Module) -> TokenStream {
    if let LiteralValue::String(text) = value {
        let text = string_literal(text);
        return quote!(#base::literal(#text));
    }
    let path = module.runtime(types, "shape::Literal");
    let value = match value {
        LiteralValue::String(text) | LiteralValue::BigInt(text) => quote!(BigInt(#text)),
        LiteralValue::Number(number) => {
            let number = decimal(*number);
            quote!(Number(#number))
        }
        LiteralValue::Boolean(value) => quote!(Boolean(#value)),
    };
    quote!(#base::Literal(#path::#value))
}

fn number(shape: &TokenStream, rules: &Constraints) -> TokenStream {
    let bounds = [
        ("minimum", rules.minimum),
        ("maximum", rules.maximum),
        ("exclusive_minimum", rules.exclusive_minimum),
        ("exclusive_maximum", rules.exclusive_maximum),
        ("multiple_of", rules.multiple_of),
    ];
    let bounds = bounds.map(|(name, bound)| rule(name, bound.map(|bound| decimal(bound.get()))));
    quote!(#shape #(#bounds)*)
}

fn text(types: &Types<'_>, shape: &TokenStream, rules: &Constraints, module: &mut Module) -> TokenStream {
    let least = rule("min_length", rules.min_length.map(integer));
    let most = rule("max_length", rules.effective_max_length().map(integer));
    let format = rules.format.map(|format| {
        let name = match format {
            Format::Email => quote!(Email),
            Format::Uri => quote!(Uri),
            Format::Uuid => quote!(Uuid),
            Format::Date => quote!(Date),
            Format::DateTime => quote!(DateTime),
            Format::Ipv4 => quote!(Ipv4),
            Format::Ipv6 => quote!(Ipv6),
        };
        let path = module.runtime(types, "shape::Format");
        quote!(.format(#path::#name))
    });
    let pattern = rules.pattern.as_ref().map(|pattern| {
        let constant = module.pattern(pattern);
        quote!(.pattern(&#constant))
    });
    let words = rules.decimal_words().map(|words| quote!(.words(#words)));
    let bounds = rules.decimal_range.iter().flat_map(|range| range.bounds());
    let bounds = bounds.map(|(name, bound)| {
        let method = ident(&format!("decimal_{}", name.to_snake_case()));
        quote!(.#method(#bound))
    });
    quote!(#shape #least #most #format #pattern #words #(#bounds)*)
}

/// Returns a Rust literal of the type `f64`.
pub(crate) fn decimal(number: f64) -> TokenStream {
    let text = format!("{number:?}");
    let end = text.find('e').unwrap_or(text.len());
    let (number, exponent) = text.split_at(end);
    let Some((whole, fraction)) = number.split_once('.') else {
        return digits(&text);
    };
    let whole = grouped(whole);
    let fraction = if fraction.len() < 5 && !whole.contains('_') {
        fraction.to_owned()
    } else {
        let groups: Vec<_> = fraction
            .as_bytes()
            .chunks(3)
            .map(String::from_utf8_lossy)
            .collect();
        groups.join("_")
    };
    digits(&format!("{whole}.{fraction}{exponent}"))
}

/// Returns a Rust integer literal for a number up to 2^53 - 1. Returns `None` for any other number.
pub(crate) fn whole_literal(number: f64) -> Option<TokenStream> {
    const MAX_SAFE: f64 = 9_007_199_254_740_991.0;
    (number.fract() == 0.0 && number.abs() <= MAX_SAFE).then(|| integer_literal(number))
}

/// Returns a Rust integer literal for a `f64` without a fraction.
pub(crate) fn integer_literal(number: f64) -> TokenStream {
    match format!("{number:.0}").as_str() {
        "-0" => digits("0"),
        text => digits(&grouped(text)),
    }
}

/// Returns a Rust integer literal.
pub(crate) fn integer(number: u64) -> TokenStream {
    digits(&grouped(&number.to_string()))
}

/// Inserts `_` between groups of three digits if there are more than four, as Clippy requires: `10000` gives
/// `10_000`.
pub(crate) fn grouped(digits: &str) -> String {
    let (sign, digits) = digits
        .strip_prefix('-')
        .map_or(("", digits), |digits| ("-", digits));
    if digits.len() < 5 {
        return format!("{sign}{digits}");
    }
    let first = (digits.len() - 1) % 3 + 1;
    let rest = digits.as_bytes()[first..].chunks(3);
    let rest: String = rest
        .map(|group| format!("_{}", String::from_utf8_lossy(group)))
        .collect();
    format!("{sign}{}{rest}", &digits[..first])
}
