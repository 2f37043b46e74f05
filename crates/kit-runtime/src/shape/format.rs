//! Formats of strings.

/// Formats of `@format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A mailbox of RFC 5321.
    Email,
    /// A URI of RFC 3986.
    Uri,
    /// A UUID.
    Uuid,
    /// A `full-date` of RFC 3339.
    Date,
    /// A `date-time` of RFC 3339.
    DateTime,
    /// An IPv4 address: four decimal numbers.
    Ipv4,
    /// An IPv6 address of RFC 4291.
    Ipv6,
}

impl Format {
    /// Returns the name of the format in `@format`: `date-time`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Uri => "uri",
            Self::Uuid => "uuid",
            Self::Date => "date",
            Self::DateTime => "date-time",
            Self::Ipv4 => "ipv4",
            Self::Ipv6 => "ipv6",
        }
    }

    /// Returns an example of the format, for suggestions.
    pub fn example(self) -> &'static str {
        match self {
            Self::Email => "name@example.com",
            Self::Uri => "https://example.com/",
            Self::Uuid => "123e4567-e89b-12d3-a456-426614174000",
            Self::Date => "2026-01-31",
            Self::DateTime => "2026-01-31T12:00:00Z",
            Self::Ipv4 => "192.0.2.1",
            Self::Ipv6 => "2001:db8::1",
        }
    }
}
