//! Fields of a certificate (RFC 5280), for handlers and logs. This module verifies nothing: rustls has verified certificates of clients.

use std::fmt::Write as _;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::{Duration, SystemTime};

use crate::der::{Reader, SEQUENCE, decode_text};
use crate::name::{self, Attribute};

/// Tag of the extensions, `[3]`.
const EXTENSIONS: u8 = 0xA3;
/// Object identifier of the extension `subjectAltName`: 2.5.29.17.
const SUBJECT_ALT_NAME: &[u8] = &[0x55, 0x1D, 0x11];

/// Fields of a certificate.
///
/// ```
/// use kit_tls::CertificateFields;
///
/// fn may_pay(der: &[u8]) -> bool {
///     let fields = CertificateFields::read(der);
///     fields.is_some_and(|fields| fields.uris.iter().any(|uri| uri == "spiffe://example.com/billing"))
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertificateFields {
    /// Name of the owner in the form of RFC 4514: `CN=billing,O=Example`. Empty if the certificate has no such name.
    pub subject: String,
    /// `CN` of the subject. `None` if there is none, or more than one.
    pub common_name: Option<String>,
    /// Name of the authority that signed the certificate, in the form of [`CertificateFields::subject`].
    pub issuer: String,
    /// Number that the authority gave to the certificate, as hexadecimal digits in upper case.
    pub serial_number: String,
    /// Host names of the extension `subjectAltName`.
    pub dns_names: Vec<String>,
    /// URIs of this extension, such as SPIFFE ids.
    pub uris: Vec<String>,
    /// Email addresses of this extension.
    pub emails: Vec<String>,
    /// IP addresses of this extension.
    pub ip_addresses: Vec<IpAddr>,
    /// Time from which the certificate is valid.
    pub valid_from: SystemTime,
    /// Time until which the certificate is valid.
    pub valid_to: SystemTime,
}

impl CertificateFields {
    /// Reads the fields of a certificate in DER. Returns `None` if the bytes are no certificate. Names of hosts and the other alternative
    /// names that are not printable ASCII are left out.
    pub fn read(der: &[u8]) -> Option<Self> {
        let mut certificate = Reader::new(Reader::new(der).expect(SEQUENCE)?);
        let mut fields = Reader::new(certificate.expect(SEQUENCE)?);
        let (tag, content) = fields.next()?;
        // The version is optional, with the tag `[0]`.
        let serial = if tag == 0xA0 {
            fields.expect(0x02)?
        } else {
            content
        };
        fields.expect(SEQUENCE)?;
        let issuer = name::read(fields.expect(SEQUENCE)?)?;
        let mut validity = Reader::new(fields.expect(SEQUENCE)?);
        let (valid_from, valid_to) = (time(&mut validity)?, time(&mut validity)?);
        let subject = name::read(fields.expect(SEQUENCE)?)?;
        fields.expect(SEQUENCE)?;
        let mut read = Self {
            subject: name::to_text(&subject),
            common_name: common_name(&subject),
            issuer: name::to_text(&issuer),
            serial_number: hexadecimal(serial),
            dns_names: Vec::new(),
            uris: Vec::new(),
            emails: Vec::new(),
            ip_addresses: Vec::new(),
            valid_from,
            valid_to,
        };
        while let Some((tag, content)) = fields.next() {
            if tag == EXTENSIONS {
                read.add_extensions(content)?;
            }
        }
        Some(read)
    }

    fn add_extensions(&mut self, content: &[u8]) -> Option<()> {
        let mut list = Reader::new(Reader::new(content).expect(SEQUENCE)?);
        while let Some((_, extension)) = list.next() {
            let mut extension = Reader::new(extension);
            if extension.expect(0x06)? != SUBJECT_ALT_NAME {
                continue;
            }
            let (tag, content) = extension.next()?;
            // A boolean may come first: if the extension is critical.
            let value = if tag == 0x01 {
                extension.expect(0x04)?
            } else {
                content
            };
            let mut names = Reader::new(Reader::new(value).expect(SEQUENCE)?);
            while let Some((tag, content)) = names.next() {
                self.add_name(tag, content);
            }
        }
        Some(())
    }

    /// Adds an alternative name of the tag. Other kinds of names, such as names of directories, are left out.
    fn add_name(&mut self, tag: u8, content: &[u8]) {
        let text = || {
            let is_printable = content.iter().all(|byte| (0x21..=0x7E).contains(byte));
            let text = std::str::from_utf8(content).ok().filter(|_| is_printable)?;
            Some(text.to_owned())
        };
        match tag {
            0x81 => self.emails.extend(text()),
            0x82 => self.dns_names.extend(text()),
            0x86 => self.uris.extend(text()),
            0x87 => self.ip_addresses.extend(address(content)),
            _ => {}
        }
    }
}

/// Returns the only common name of a subject.
fn common_name(subject: &[Vec<Attribute<'_>>]) -> Option<String> {
    let mut names = subject
        .iter()
        .flatten()
        .filter(|attribute| attribute.identifier == name::COMMON_NAME);
    let first = names.next()?;
    names
        .next()
        .is_none()
        .then(|| decode_text(first.tag, first.value))?
}

/// Returns an IP address of 4 or 16 bytes. An IPv4 address that is mapped to IPv6 is returned as IPv4.
fn address(bytes: &[u8]) -> Option<IpAddr> {
    if let Ok(bytes) = <[u8; 4]>::try_from(bytes) {
        return Some(Ipv4Addr::from(bytes).into());
    }
    let bytes = <[u8; 16]>::try_from(bytes).ok()?;
    Some(IpAddr::from(Ipv6Addr::from(bytes)).to_canonical())
}

/// Returns the digits of a number without leading zero bytes.
fn hexadecimal(number: &[u8]) -> String {
    let start = number.iter().position(|byte| *byte != 0);
    let start = start.unwrap_or(number.len().saturating_sub(1));
    let mut text = String::with_capacity(2 * number.len());
    for byte in &number[start..] {
        let _ = write!(text, "{byte:02X}");
    }
    text
}

/// Reads a time: `UTCTime` (two digits for the year) or `GeneralizedTime`, which end with `Z` (RFC 5280, 4.1.2.5).
fn time(validity: &mut Reader<'_>) -> Option<SystemTime> {
    let (tag, content) = validity.next()?;
    let (year, rest) = match tag {
        0x17 => {
            let (year, rest) = content.split_at_checked(2)?;
            let year = digits(year)?;
            (if year < 50 { 2000 + year } else { 1900 + year }, rest)
        }
        0x18 => {
            let (year, rest) = content.split_at_checked(4)?;
            (digits(year)?, rest)
        }
        _ => return None,
    };
    if rest.len() != 11 || rest[10] != b'Z' {
        return None;
    }
    let part = |index: usize| digits(&rest[2 * index..2 * index + 2]);
    let (month, day) = (part(0)?, part(1)?);
    let (hour, minute, second) = (part(2)?, part(3)?, part(4)?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let seconds = days_since_1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
    let distance = Duration::from_secs(seconds.unsigned_abs());
    if seconds < 0 {
        SystemTime::UNIX_EPOCH.checked_sub(distance)
    } else {
        SystemTime::UNIX_EPOCH.checked_add(distance)
    }
}

fn digits(bytes: &[u8]) -> Option<i64> {
    bytes.iter().try_fold(0, |sum, byte| {
        byte.is_ascii_digit().then(|| sum * 10 + i64::from(byte - b'0'))
    })
}

/// Returns the number of days from 1970-01-01 to a date of the Gregorian calendar. March is the first month of the calculation, so that
/// the leap day is the last day of a year.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let days_of_years = 365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    // 719,468 days are between 0000-03-01 and 1970-01-01.
    days_of_years + (153 * month + 2) / 5 + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::{CertificateFields, days_since_1970, hexadecimal};

    #[test]
    fn counts_days_across_leap_years() {
        for (date, days) in [
            ((1970, 1, 1), 0),
            ((1969, 12, 31), -1),
            ((2000, 2, 29), 11_016),
            ((2000, 3, 1), 11_017),
            ((2100, 3, 1), 47_541),
            ((9999, 12, 31), 2_932_896),
        ] {
            assert_eq!(days_since_1970(date.0, date.1, date.2), days, "{date:?}");
        }
    }

    #[test]
    fn writes_numbers_without_leading_zero_bytes() {
        assert_eq!(hexadecimal(&[0, 0x0A, 0xFF]), "0AFF");
        assert_eq!(hexadecimal(&[0]), "00");
        assert_eq!(hexadecimal(&[]), "");
    }

    #[test]
    fn reads_no_fields_of_bytes_that_are_no_certificate() {
        for bytes in [
            &b""[..],
            &[0x30],
            &[0x30, 0x80, 0, 0],
            &[0x30, 0x03, 0x30, 0x01, 0x02],
        ] {
            assert_eq!(CertificateFields::read(bytes), None, "{bytes:?}");
        }
    }
}
