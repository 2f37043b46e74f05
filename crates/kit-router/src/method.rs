//! Methods and sets of them.

use std::fmt;

/// An HTTP method that a route can be registered for.
///
/// The crate has its own so that the server does not carry the compiler's vocabulary; order and names are those of route keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Method {
    /// GET
    Get,
    /// HEAD
    Head,
    /// POST
    Post,
    /// PUT
    Put,
    /// PATCH
    Patch,
    /// DELETE
    Delete,
    /// OPTIONS
    Options,
}

impl Method {
    /// Every method, in the order `Allow` lists them.
    pub const ALL: [Self; 7] = [
        Self::Get,
        Self::Head,
        Self::Post,
        Self::Put,
        Self::Patch,
        Self::Delete,
        Self::Options,
    ];

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
            Self::Options => "OPTIONS",
        }
    }

    /// The method of exactly that name: methods are case-sensitive.
    #[inline]
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "GET" => Self::Get,
            "HEAD" => Self::Head,
            "POST" => Self::Post,
            "PUT" => Self::Put,
            "PATCH" => Self::Patch,
            "DELETE" => Self::Delete,
            "OPTIONS" => Self::Options,
            _ => return None,
        })
    }

    pub(crate) fn bit(self) -> u8 {
        1 << (self as u8)
    }
}

/// The methods that a path has routes for. Displays as the value of an `Allow` header: `GET, HEAD, POST`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Allow(pub(crate) u8);

impl Allow {
    /// The methods in the order of [`Method::ALL`].
    pub fn methods(self) -> impl Iterator<Item = Method> {
        Method::ALL
            .into_iter()
            .filter(move |method| self.contains(*method))
    }

    /// Whether the path has a route for the method. HEAD counts where GET does.
    pub fn contains(self, method: Method) -> bool {
        self.0 & method.bit() != 0
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Display for Allow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, method) in self.methods().enumerate() {
            if index > 0 {
                f.write_str(", ")?;
            }
            f.write_str(method.name())?;
        }
        Ok(())
    }
}
