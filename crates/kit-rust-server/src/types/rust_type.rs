//! Rust types of generated code.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use crate::source::ident;

/// A Rust type in generated code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RustType {
    Unit,
    Bool,
    I64,
    F64,
    String,
    /// A type of `kit_runtime`.
    Runtime(RuntimeType),
    /// A generated type with this name.
    Model(String),
    Box(Box<Self>),
    Option(Box<Self>),
    Vec(Box<Self>),
    /// `IndexMap<String, …>`. The first value is the type `IndexMap` itself.
    Map(RuntimeType, Box<Self>),
    Tuple(Vec<Self>),
}

/// A type of `kit_runtime`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RuntimeType {
    pub(crate) item: RuntimeItem,
    /// True if generated code writes the type with its path, because a type of the application has the same name.
    pub(crate) is_qualified: bool,
}

/// Name of a type in `kit_runtime`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RuntimeItem {
    BigInt,
    Bytes,
    Decimal,
    IndexMap,
    Never,
    Timestamp,
    Value,
}

impl RuntimeItem {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::BigInt => "BigInt",
            Self::Bytes => "Bytes",
            Self::Decimal => "Decimal",
            Self::IndexMap => "IndexMap",
            Self::Never => "Never",
            Self::Timestamp => "Timestamp",
            Self::Value => "Value",
        }
    }
}

impl RustType {
    /// Returns the type in an `Option`.
    pub(crate) fn optional(self) -> Self {
        Self::Option(Box::new(self))
    }

    /// Returns the type wrapped in `count` `Option`s.
    pub(crate) fn in_options(self, count: usize) -> Self {
        (0..count).fold(self, |inner, _| inner.optional())
    }

    /// Returns the type inside of an `Option`. A type that is not an `Option` stays unchanged.
    pub(crate) fn without_option(&self) -> &Self {
        match self {
            Self::Option(inner) => inner,
            other => other,
        }
    }

    pub(crate) fn is_option(&self) -> bool {
        matches!(self, Self::Option(_))
    }

    pub(crate) fn is_runtime(&self, item: RuntimeItem) -> bool {
        matches!(self, Self::Runtime(own) if own.item == item)
    }

    /// Returns the name of a generated type. Returns `None` for other types.
    pub(crate) fn model(&self) -> Option<&str> {
        match self {
            Self::Model(name) => Some(name),
            _ => None,
        }
    }

    /// Returns true if generated code copies values of the type, and false if it borrows them.
    pub(crate) fn is_copied(&self) -> bool {
        match self {
            Self::Bool | Self::I64 | Self::F64 => true,
            other => other.is_runtime(RuntimeItem::Timestamp) || other.is_runtime(RuntimeItem::Decimal),
        }
    }

    /// Returns the names of all generated types that this type contains.
    pub(crate) fn models(&self) -> Vec<&str> {
        match self {
            Self::Model(name) => vec![name],
            Self::Box(inner) | Self::Option(inner) | Self::Vec(inner) | Self::Map(_, inner) => inner.models(),
            Self::Tuple(types) => types.iter().flat_map(Self::models).collect(),
            Self::Unit | Self::Bool | Self::I64 | Self::F64 | Self::String | Self::Runtime(_) => Vec::new(),
        }
    }

    /// Returns all types of `kit_runtime` that this type contains.
    pub(crate) fn runtime_types(&self) -> Vec<&RuntimeType> {
        match self {
            Self::Runtime(own) => vec![own],
            Self::Map(own, inner) => [vec![own], inner.runtime_types()].concat(),
            Self::Box(inner) | Self::Option(inner) | Self::Vec(inner) => inner.runtime_types(),
            Self::Tuple(types) => types.iter().flat_map(Self::runtime_types).collect(),
            Self::Unit | Self::Bool | Self::I64 | Self::F64 | Self::String | Self::Model(_) => Vec::new(),
        }
    }
}

impl ToTokens for RuntimeType {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let name = ident(self.item.name());
        tokens.extend(if self.is_qualified {
            quote!(kit_runtime::#name)
        } else {
            quote!(#name)
        });
    }
}

impl ToTokens for RustType {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(match self {
            Self::Unit => quote!(()),
            Self::Bool => quote!(bool),
            Self::I64 => quote!(i64),
            Self::F64 => quote!(f64),
            Self::String => quote!(String),
            Self::Runtime(own) => quote!(#own),
            Self::Model(name) => ident(name).into_token_stream(),
            Self::Box(inner) => quote!(Box<#inner>),
            Self::Option(inner) => quote!(Option<#inner>),
            Self::Vec(inner) => quote!(Vec<#inner>),
            Self::Map(map, inner) => quote!(#map<String, #inner>),
            Self::Tuple(types) => match types.as_slice() {
                [only] => quote!((#only,)),
                several => quote!((#(#several),*)),
            },
        });
    }
}
