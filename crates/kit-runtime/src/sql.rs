//! Values of rows that are more than PostgreSQL's types say.

use serde::de::DeserializeOwned;
use serde_json::Value;
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::types::Oid;
use sqlx::postgres::{PgArgumentBuffer, PgRow, PgTypeInfo, PgValueFormat, PgValueRef};
use sqlx::{Decode, Encode, Error, Postgres, Row as _, Type, ValueRef};

use crate::format::is_uuid;
use crate::{BigInt, Bytes, OutOfRange, Timestamp};

/// The name of the constraint that kept a row out; nothing where it failed for another reason.
pub fn violated(error: &Error) -> Option<&str> {
    error.as_database_error()?.constraint()
}

/// Returns true if a column cannot hold a value of the statement: text of another form, or that is too long, or a number that is too large.
pub fn is_unfit(error: &Error) -> bool {
    match error {
        // https://www.postgresql.org/docs/current/errcodes-appendix.html
        Error::Database(error) => matches!(
            error.code().as_deref(),
            Some("22001" | "22003" | "22007" | "22008" | "22P02")
        ),
        // sqlx keeps only the text of the error: `Encoding argument $1 failed: …`.
        Error::Encode(error) => error.to_string().ends_with(&OutOfRange.to_string()),
        _ => false,
    }
}

/// Returns true for text that is no UUID. A column of UUIDs has no such value, and PostgreSQL calls the comparison an error.
pub fn is_no_uuid(text: Option<&str>) -> bool {
    text.is_some_and(|text| !is_uuid(text))
}

/// Returns true for a number of more than 64 bits. A `bigint` column has no such value.
pub fn is_no_bigint(number: Option<&BigInt>) -> bool {
    number.is_some_and(|number| i64::try_from(number).is_err())
}

/// A column of texts or UUIDs, of a type that has some of them. Null is none, for an `Option`.
pub fn text<T: DeserializeOwned>(row: &PgRow, column: &str) -> Result<T, Error> {
    let text = optional_uuid(row, column)?;
    read(text.map_or(Value::Null, Value::String), column)
}

/// A column of JSON.
pub fn json<T: DeserializeOwned>(row: &PgRow, column: &str) -> Result<T, Error> {
    let value: Option<Value> = row.try_get(column)?;
    read(value.unwrap_or(Value::Null), column)
}

/// A column of UUIDs, which are texts here.
pub fn uuid(row: &PgRow, column: &str) -> Result<String, Error> {
    row.try_get(column).map(|Uuid(text)| text)
}

/// The same of a column that may hold none.
pub fn optional_uuid(row: &PgRow, column: &str) -> Result<Option<String>, Error> {
    let value: Option<Uuid> = row.try_get(column)?;
    Ok(value.map(|Uuid(text)| text))
}

/// The text of a UUID. Were it made by the statement, PostgreSQL would make it of every row that it looks at to find those that are wanted.
struct Uuid(String);

impl Type<Postgres> for Uuid {
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_name("uuid")
    }

    fn compatible(r#type: &PgTypeInfo) -> bool {
        r#type.oid() == Some(UUID) || <String as Type<Postgres>>::compatible(r#type)
    }
}

impl<'r> Decode<'r, Postgres> for Uuid {
    fn decode(value: PgValueRef<'r>) -> Result<Self, BoxDynError> {
        let r#type = ValueRef::type_info(&value).oid();
        let is_text = r#type != Some(UUID) || value.format() == PgValueFormat::Text;
        if is_text {
            return Ok(Self(value.as_str()?.to_owned()));
        }
        let bytes: [u8; 16] = value.as_bytes()?.try_into()?;
        let mut text = String::with_capacity(36);
        for (at, byte) in bytes.into_iter().enumerate() {
            if matches!(at, 4 | 6 | 8 | 10) {
                text.push('-');
            }
            for digit in [byte >> 4, byte & 15] {
                text.extend(char::from_digit(digit.into(), 16));
            }
        }
        Ok(Self(text))
    }
}

fn read<T: DeserializeOwned>(value: Value, column: &str) -> Result<T, Error> {
    serde_json::from_value(value).map_err(|error| Error::ColumnDecode {
        index: column.to_owned(),
        source: Box::new(error),
    })
}

/// `timestamp`, `timestamptz` and `uuid` in PostgreSQL's catalog.
const TIMESTAMP: Oid = Oid(1114);
const TIMESTAMPTZ: Oid = Oid(1184);
const UUID: Oid = Oid(2950);

/// Milliseconds from 1970 to 2000, where PostgreSQL's time begins.
const EPOCH: i64 = 946_684_800_000;

/// A `timestamptz`, or a `timestamp` without time zone, in which kit keeps UTC.
impl Type<Postgres> for Timestamp {
    /// Left open: PostgreSQL finds out from the statement. Both types are sent in the same form, which is UTC. If one of them were named
    /// here, PostgreSQL would turn it into the other by the time zone of the session.
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_oid(Oid(0))
    }

    /// Asked for every value of every row: numbers are compared, not names.
    fn compatible(r#type: &PgTypeInfo) -> bool {
        matches!(r#type.oid(), Some(TIMESTAMP | TIMESTAMPTZ))
    }
}

impl Encode<'_, Postgres> for Timestamp {
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        Encode::<Postgres>::encode((self.unix_millis() - EPOCH) * 1000, buffer)
    }
}

impl<'r> Decode<'r, Postgres> for Timestamp {
    fn decode(value: PgValueRef<'r>) -> Result<Self, BoxDynError> {
        let millis = match value.format() {
            PgValueFormat::Binary => <i64 as Decode<Postgres>>::decode(value)?.div_euclid(1000) + EPOCH,
            PgValueFormat::Text => {
                let r#type = ValueRef::type_info(&value).oid();
                return Ok(rfc3339(value.as_str()?, r#type).parse()?);
            }
        };
        Ok(Self::from_unix_millis(millis)?)
    }
}

/// The text of a time as RFC 3339 wants it: `2026-01-01 12:00:00.5` is in UTC where it is a `timestamp`, and a `timestamptz` has its
/// offset behind it, `+01` or `+05:30`.
fn rfc3339(text: &str, r#type: Option<Oid>) -> String {
    let text = text.replacen(' ', "T", 1);
    if r#type != Some(TIMESTAMPTZ) {
        return format!("{text}Z");
    }
    let offset = text.rfind(['+', '-']).map_or(0, |at| text.len() - at);
    let minutes = if offset == "+01".len() { ":00" } else { "" };
    format!("{text}{minutes}")
}

/// A `bigint`. What has no room in its 64 bits is an error of the statement.
impl Type<Postgres> for BigInt {
    fn type_info() -> PgTypeInfo {
        <i64 as Type<Postgres>>::type_info()
    }
}

impl Encode<'_, Postgres> for BigInt {
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        Encode::<Postgres>::encode(i64::try_from(self)?, buffer)
    }
}

impl<'r> Decode<'r, Postgres> for BigInt {
    fn decode(value: PgValueRef<'r>) -> Result<Self, BoxDynError> {
        Ok(<i64 as Decode<Postgres>>::decode(value)?.into())
    }
}

/// A `bytea`.
impl Type<Postgres> for Bytes {
    fn type_info() -> PgTypeInfo {
        <Vec<u8> as Type<Postgres>>::type_info()
    }
}

impl Encode<'_, Postgres> for Bytes {
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        <&[u8] as Encode<Postgres>>::encode(self, buffer)
    }
}

impl<'r> Decode<'r, Postgres> for Bytes {
    fn decode(value: PgValueRef<'r>) -> Result<Self, BoxDynError> {
        Ok(Self(<Vec<u8> as Decode<Postgres>>::decode(value)?))
    }
}
