//! Parses and checks the paths of routes.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use kit_guard::normal_path;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Deserialize, Serialize};

/// Maximum number of segments of a route's path. With more segments, the compiled route tree could exceed the
/// default nesting limit of JSON parsers, and recursion over it would need a large stack.
pub const MAX_SEGMENTS: usize = 50;

/// A segment of a route's path. Cloning is cheap, because clones share the text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Segment {
    /// Static text. In a [`RoutePath`], it is as the route declares it; in a [`RouteTree`](crate::RouteTree), it has
    /// the normal form of paths.
    Static(Arc<str>),
    /// Parameter, with its name: `:name`
    Parameter(Arc<str>),
    /// Wildcard, with its name: `*name`
    Wildcard(Arc<str>),
}

/// Path of a route, parsed into segments: `/notes/:id` or `/files/*path`.
///
/// The text is as the route declares it, but without a trailing slash (except for `/`). Serde and
/// [`Display`](fmt::Display) use this text.
///
/// ```
/// use kit_router::{RoutePath, Segment};
///
/// let path = RoutePath::parse("/teams/:team/files/*path/").unwrap();
/// assert_eq!(path.as_str(), "/teams/:team/files/*path");
/// assert_eq!(path.segments()[1], Segment::Parameter("team".into()));
/// assert_eq!(path.parameters().collect::<Vec<_>>(), ["team", "path"]);
/// assert_eq!(path.wildcard(), Some("path"));
/// assert_eq!(path.with_parameters(|name| format!("{{{name}}}")), "/teams/{team}/files/{path}");
/// assert_eq!(path.name(str::to_uppercase), "TEAMSByTEAMFILESByPATH");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RoutePath {
    text: String,
    segments: Vec<Segment>,
}

/// Rule that the path of a route breaks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPath {
    /// The path does not begin with a slash: `users`
    #[error("a path begins with `/`")]
    NoLeadingSlash,
    /// A segment is empty: `/users//posts`
    #[error("a path has no empty segments")]
    EmptySegment,
    /// A wildcard is not the last segment: `/files/*rest/size`
    #[error("`{segment}` matches the rest of the path, so nothing can follow it")]
    WildcardNotLast {
        /// The wildcard as declared.
        segment: String,
    },
    /// A parameter or wildcard has no name: `/users/:` or `/files/*`
    #[error("`{segment}` has no name: write `{segment}name`")]
    Unnamed {
        /// `:` or `*`
        segment: String,
    },
    /// The name of a parameter or wildcard is invalid: `/users/:user-id`
    #[error(
        "`{name}` in `{segment}` is not a name: use letters, digits and `_`, with one parameter in a segment"
    )]
    InvalidName {
        /// The segment as the route declares it.
        segment: String,
        /// The invalid name: everything after the first character of the segment.
        name: String,
    },
    /// Two parameters have the same name: `/users/:id/posts/:id`
    #[error("the name `{name}` occurs twice in the path")]
    RepeatedName {
        /// The name.
        name: String,
    },
    /// A character must be percent-encoded: `/a b`, `/a?b`
    #[error("`{segment}` contains {found}, which is invalid in a path: write `{escaped}` instead")]
    InvalidCharacter {
        /// The segment as the route declares it.
        segment: String,
        /// Description of the character, for the message.
        found: String,
        /// Percent-escape to write instead of the character.
        escaped: String,
    },
    /// A percent-escape is invalid: `/a%zz`
    #[error("`{segment}` contains an invalid percent-escape: write a literal `%` as `%25`")]
    InvalidEscape {
        /// The segment as the route declares it.
        segment: String,
    },
    /// The path has more than [`MAX_SEGMENTS`] segments.
    #[error("a path has at most {MAX_SEGMENTS} segments, but this one has {count}")]
    TooDeep {
        /// Number of segments in the path.
        count: usize,
    },
}

impl RoutePath {
    /// Parses a path. Ignores one trailing slash, as in requests.
    ///
    /// ```
    /// use kit_router::RoutePath;
    ///
    /// assert_eq!(RoutePath::parse("/notes/:id/")?.as_str(), "/notes/:id");
    /// assert!(RoutePath::parse("/notes/*rest/more").is_err());
    /// # Ok::<(), kit_router::InvalidPath>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the first rule that the path breaks.
    pub fn parse(path: &str) -> Result<Self, InvalidPath> {
        let body = path.strip_prefix('/').ok_or(InvalidPath::NoLeadingSlash)?;
        let body = body.strip_suffix('/').unwrap_or(body);
        if body.is_empty() {
            // The path `//` has an empty segment, unlike the path `/`.
            return if path.len() > 1 {
                Err(InvalidPath::EmptySegment)
            } else {
                Ok(Self::root())
            };
        }
        let segments = body
            .split('/')
            .map(Segment::parse)
            .collect::<Result<Vec<_>, _>>()?;
        check_segments(&segments, true)?;
        Ok(Self {
            text: format!("/{body}"),
            segments,
        })
    }

    /// Returns the path `/`, which has no segments.
    ///
    /// ```
    /// use kit_router::RoutePath;
    ///
    /// assert_eq!(RoutePath::root().as_str(), "/");
    /// ```
    pub fn root() -> Self {
        Self {
            text: "/".to_owned(),
            segments: Vec::new(),
        }
    }

    /// Returns the path with the segments of `prefix` before its own segments. A path that already begins
    /// with the segments of `prefix` is returned unchanged.
    ///
    /// ```
    /// use kit_router::RoutePath;
    ///
    /// let prefix = RoutePath::parse("/v1")?;
    /// let path = RoutePath::parse("/notes/:id")?;
    /// assert_eq!(path.below(&prefix)?.as_str(), "/v1/notes/:id");
    /// # Ok::<(), kit_router::InvalidPath>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the rule that the joined path breaks, for example if both paths have a parameter with the same name.
    pub fn below(&self, prefix: &Self) -> Result<Self, InvalidPath> {
        if self.after(prefix).is_some() {
            return Ok(self.clone());
        }
        let segments = [prefix.segments(), self.segments()].concat();
        check_segments(&segments, true)?;
        let own = if self.segments.is_empty() {
            ""
        } else {
            self.as_str()
        };
        Ok(Self {
            text: format!("{prefix}{own}"),
            segments,
        })
    }

    /// Returns the segments after the segments of `prefix`; `None` if the path does not begin with `prefix`.
    ///
    /// ```
    /// use kit_router::RoutePath;
    ///
    /// let path = RoutePath::parse("/v1/notes")?;
    /// let rest = path.after(&RoutePath::parse("/v1")?);
    /// assert_eq!(rest.map(<[_]>::len), Some(1));
    /// # Ok::<(), kit_router::InvalidPath>(())
    /// ```
    pub fn after(&self, prefix: &Self) -> Option<&[Segment]> {
        self.segments.strip_prefix(prefix.segments())
    }

    /// Returns the text of the path.
    ///
    /// ```
    /// use kit_router::RoutePath;
    ///
    /// assert_eq!(RoutePath::parse("/notes/:id/").unwrap().as_str(), "/notes/:id");
    /// ```
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the segments. The path `/` has none.
    ///
    /// ```
    /// use kit_router::RoutePath;
    ///
    /// let path = RoutePath::parse("/notes/:id").unwrap();
    /// let segments: Vec<_> = path.segments().iter().map(ToString::to_string).collect();
    /// assert_eq!(segments, ["notes", ":id"]);
    /// assert!(RoutePath::root().segments().is_empty());
    /// ```
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Returns the names of the parameters in order. The name of a wildcard is the last.
    ///
    /// ```
    /// use kit_router::RoutePath;
    ///
    /// let path = RoutePath::parse("/users/:id/files/*path")?;
    /// assert_eq!(path.parameters().collect::<Vec<_>>(), ["id", "path"]);
    /// # Ok::<(), kit_router::InvalidPath>(())
    /// ```
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        self.segments.iter().filter_map(Segment::name)
    }

    /// Returns the name of the wildcard.
    ///
    /// ```
    /// use kit_router::RoutePath;
    ///
    /// assert_eq!(RoutePath::parse("/files/*path")?.wildcard(), Some("path"));
    /// # Ok::<(), kit_router::InvalidPath>(())
    /// ```
    pub fn wildcard(&self) -> Option<&str> {
        match self.segments.last()? {
            Segment::Wildcard(name) => Some(name),
            Segment::Static(_) | Segment::Parameter(_) => None,
        }
    }

    /// Returns the static segments as the route declares them, in order.
    ///
    /// ```
    /// use kit_router::RoutePath;
    ///
    /// let path = RoutePath::parse("/users/:id/files")?;
    /// assert_eq!(path.static_segments().collect::<Vec<_>>(), ["users", "files"]);
    /// # Ok::<(), kit_router::InvalidPath>(())
    /// ```
    pub fn static_segments(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.segments.iter().filter_map(|segment| match segment {
            Segment::Static(text) => Some(&**text),
            Segment::Parameter(_) | Segment::Wildcard(_) => None,
        })
    }

    /// Returns the path with each parameter and wildcard replaced by the result of `replace` for its name:
    /// `/notes/{id}`.
    ///
    /// ```
    /// use kit_router::RoutePath;
    ///
    /// let path = RoutePath::parse("/notes/:id")?;
    /// assert_eq!(path.with_parameters(|name| format!("{{{name}}}")), "/notes/{id}");
    /// # Ok::<(), kit_router::InvalidPath>(())
    /// ```
    pub fn with_parameters(&self, mut replace: impl FnMut(&str) -> String) -> String {
        if self.segments.is_empty() {
            return self.text.clone();
        }
        self.segments
            .iter()
            .flat_map(|segment| {
                let text = match segment {
                    Segment::Static(text) => text.to_string(),
                    Segment::Parameter(name) | Segment::Wildcard(name) => replace(name),
                };
                ["/".to_owned(), text]
            })
            .collect()
    }

    /// Returns a name for the path: its segments, each converted by `case`, with `By` before parameters and wildcards.
    /// If `case` converts to upper camel case, `/notes/:id` gives `NotesById`.
    ///
    /// ```
    /// use kit_router::RoutePath;
    ///
    /// let path = RoutePath::parse("/notes/:id").unwrap();
    /// assert_eq!(path.name(str::to_uppercase), "NOTESByID");
    /// ```
    pub fn name(&self, case: impl Fn(&str) -> String) -> String {
        self.segments
            .iter()
            .map(|segment| match segment {
                Segment::Static(text) => case(text),
                Segment::Parameter(name) | Segment::Wildcard(name) => format!("By{}", case(name)),
            })
            .collect()
    }
}

impl fmt::Display for RoutePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for RoutePath {
    type Err = InvalidPath;

    fn from_str(text: &str) -> Result<Self, InvalidPath> {
        Self::parse(text)
    }
}

impl TryFrom<String> for RoutePath {
    type Error = InvalidPath;

    fn try_from(text: String) -> Result<Self, InvalidPath> {
        Self::parse(&text)
    }
}

impl From<RoutePath> for String {
    fn from(path: RoutePath) -> Self {
        path.text
    }
}

impl Segment {
    fn parse(text: &str) -> Result<Self, InvalidPath> {
        match text.chars().next() {
            None => return Err(InvalidPath::EmptySegment),
            Some(':') => return Ok(Self::Parameter(parse_name(text)?.into())),
            Some('*') => return Ok(Self::Wildcard(parse_name(text)?.into())),
            Some(_) => {}
        }
        if let Some(found) = text.chars().find(|&c| is_reserved(c)) {
            return Err(InvalidPath::InvalidCharacter {
                segment: text.to_owned(),
                found: if found.is_whitespace() || found.is_control() {
                    format!("U+{:04X}", u32::from(found))
                } else {
                    format!("`{found}`")
                },
                escaped: utf8_percent_encode(found.encode_utf8(&mut [0; 4]), NON_ALPHANUMERIC).to_string(),
            });
        }
        if normal_path(text).is_none() {
            return Err(InvalidPath::InvalidEscape {
                segment: text.to_owned(),
            });
        }
        Ok(Self::Static(text.into()))
    }

    /// Returns the segment. Static text is converted to the normal form of paths.
    ///
    /// ```
    /// use kit_router::RoutePath;
    ///
    /// let path = RoutePath::parse("/caf%C3%A9").unwrap();
    /// let other = RoutePath::parse("/café").unwrap();
    /// assert_eq!(path.segments()[0].normalized(), other.segments()[0].normalized());
    /// ```
    #[must_use]
    pub fn normalized(&self) -> Self {
        match self {
            Self::Static(text) => match normal_path(text) {
                Some(Cow::Owned(normal)) => Self::Static(normal.into()),
                Some(Cow::Borrowed(_)) | None => self.clone(),
            },
            Self::Parameter(_) | Self::Wildcard(_) => self.clone(),
        }
    }

    /// Returns the name of a parameter or wildcard; `None` for static text.
    ///
    /// ```
    /// use kit_router::RoutePath;
    ///
    /// let path = RoutePath::parse("/notes/:id").unwrap();
    /// assert_eq!(path.segments()[0].name(), None);
    /// assert_eq!(path.segments()[1].name(), Some("id"));
    /// ```
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Static(_) => None,
            Self::Parameter(name) | Self::Wildcard(name) => Some(name),
        }
    }
}

/// Formats the segment as a route declares it: `notes`, `:id`, `*path`.
impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Static(text) => f.write_str(text),
            Self::Parameter(name) => write!(f, ":{name}"),
            Self::Wildcard(name) => write!(f, "*{name}"),
        }
    }
}

/// Checks the rules that concern several segments of a path. If `distinct_names` is true, a name may occur only once.
/// It is false for paths in a compiled document: routes share nodes there, and a shared node keeps the name that its
/// first route gave the parameter. Such a path can contain the same name twice.
pub(crate) fn check_segments(segments: &[Segment], distinct_names: bool) -> Result<(), InvalidPath> {
    if segments.len() > MAX_SEGMENTS {
        return Err(InvalidPath::TooDeep {
            count: segments.len(),
        });
    }
    for (index, segment) in segments.iter().enumerate() {
        if matches!(segment, Segment::Wildcard(_)) && index + 1 < segments.len() {
            return Err(InvalidPath::WildcardNotLast {
                segment: segment.to_string(),
            });
        }
        if distinct_names
            && let Some(name) = segment.name()
            && segments[..index]
                .iter()
                .any(|earlier| earlier.name() == Some(name))
        {
            return Err(InvalidPath::RepeatedName {
                name: name.to_owned(),
            });
        }
    }
    Ok(())
}

/// Returns true if the name is valid for a parameter.
pub(crate) fn is_name(name: &str) -> bool {
    let mut characters = name.chars();
    characters
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && characters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn parse_name(segment: &str) -> Result<String, InvalidPath> {
    let name = &segment[1..];
    if name.is_empty() {
        Err(InvalidPath::Unnamed {
            segment: segment.to_owned(),
        })
    } else if is_name(name) {
        Ok(name.to_owned())
    } else {
        Err(InvalidPath::InvalidName {
            segment: segment.to_owned(),
            name: name.to_owned(),
        })
    }
}

/// Returns true for a character that a static segment must not contain: it ends the path of a URL, or clients
/// always escape it. The colon is one of these characters, because `/files/:name.json` and
/// `/v1/notes:archive` would look like parameters.
fn is_reserved(c: char) -> bool {
    matches!(c, '?' | '#' | '\\' | ':' | '*') || c.is_whitespace() || c.is_control()
}
