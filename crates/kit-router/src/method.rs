//! HTTP methods and sets of methods.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An HTTP method that a route can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[repr(u8)]
pub enum Method {
    /// The method `GET`.
    Get,
    /// The method `HEAD`.
    Head,
    /// The method `POST`.
    Post,
    /// The method `PUT`.
    Put,
    /// The method `PATCH`.
    Patch,
    /// The method `DELETE`.
    Delete,
    /// The method `OPTIONS`.
    Options,
}

impl Method {
    /// All methods, in the order in which `Allow` lists them.
    pub const ALL: [Self; 7] = [
        Self::Get,
        Self::Head,
        Self::Post,
        Self::Put,
        Self::Patch,
        Self::Delete,
        Self::Options,
    ];

    /// Returns the name of the method in requests, such as `GET`.
    ///
    /// ```
    /// assert_eq!(kit_router::Method::Get.name(), "GET");
    /// ```
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

    /// Returns the method with exactly this name; `None` if it is not in [`Method::ALL`]. Names are
    /// case-sensitive.
    ///
    /// ```
    /// use kit_router::Method;
    ///
    /// assert_eq!(Method::from_name("PATCH"), Some(Method::Patch));
    /// assert_eq!(Method::from_name("patch"), None);
    /// ```
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

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Set of the methods for which a path has routes. The set is displayed as the value of an `Allow` header:
/// `GET, HEAD, POST`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Allow(pub(crate) u8);

impl Allow {
    /// Returns the methods in the order of [`Method::ALL`].
    ///
    /// ```
    /// use kit_router::{Match, Method, ParamBuffer, RouteSpec, RouteTree};
    ///
    /// let router = RouteTree::compile([RouteSpec::new("GET", "/notes")]).unwrap().router();
    /// let Match::MethodNotAllowed(allow) = router.find("PUT", "/notes", &mut ParamBuffer::new()) else {
    ///     unreachable!("the path has no PUT route");
    /// };
    /// assert_eq!(allow.methods().collect::<Vec<_>>(), [Method::Get, Method::Head]);
    /// ```
    pub fn methods(self) -> impl Iterator<Item = Method> {
        Method::ALL
            .into_iter()
            .filter(move |method| self.contains(*method))
    }

    /// Returns true if the set contains the method. If a path has a GET route, the set also contains HEAD.
    ///
    /// ```
    /// use kit_router::{Allow, Method};
    ///
    /// assert!(!Allow::default().contains(Method::Get));
    /// ```
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
