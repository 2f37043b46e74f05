//! Types of function parameters that statements compare with columns.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use crate::types::{RuntimeItem, RuntimeType, RustType};

/// Rust type of a function parameter that a statement compares with a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Parameter {
    /// `&str`.
    Text,
    /// `i64`.
    Whole,
    /// `f64`.
    Float,
    /// `&BigInt`.
    BigInt(RuntimeType),
    /// `Decimal`.
    Decimal(RuntimeType),
}

impl Parameter {
    /// Returns true if generated code copies values of the type, and false if it borrows them.
    pub(crate) fn is_copied(&self) -> bool {
        matches!(self, Self::Whole | Self::Float | Self::Decimal(_))
    }

    /// Returns true for [`Parameter::BigInt`]. Only values of this type can be too large for their column.
    pub(crate) fn is_bigint(&self) -> bool {
        matches!(self, Self::BigInt(_))
    }

    /// Returns true if a value of the Rust type can be passed as this parameter, with a `&` if necessary.
    pub(crate) fn accepts(&self, r#type: &RustType) -> bool {
        match self {
            Self::Text => *r#type == RustType::String,
            Self::Whole => *r#type == RustType::I64,
            Self::Float => *r#type == RustType::F64,
            Self::BigInt(_) => r#type.is_runtime(RuntimeItem::BigInt),
            Self::Decimal(_) => r#type.is_runtime(RuntimeItem::Decimal),
        }
    }

    /// Returns the `&` that generated code writes before a value of this parameter type. Returns no tokens if
    /// the value is copied.
    pub(crate) fn borrow(&self) -> TokenStream {
        if self.is_copied() {
            TokenStream::new()
        } else {
            quote!(&)
        }
    }
}

impl ToTokens for Parameter {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(match self {
            Self::Text => quote!(&str),
            Self::Whole => quote!(i64),
            Self::Float => quote!(f64),
            Self::BigInt(bigint) => quote!(&#bigint),
            Self::Decimal(decimal) => quote!(#decimal),
        });
    }
}
