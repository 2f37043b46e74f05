//! Values of rows that are more than PostgreSQL's types say.

use serde::de::DeserializeOwned;
use serde_json::Value;
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::types::Oid;
use sqlx::postgres::{PgArgumentBuffer, PgRow, PgTypeInfo, PgValueFormat, PgValueRef};
use sqlx::{Decode, Encode, Error, Postgres, Row as _, Type, ValueRef};

use crate::{BigInt, Bytes, Timestamp};

/// The name of the constraint that kept a row out; nothing where it failed for another reason.
pub fn violated(error: &Error) -> Option<&str> {
    error.as_database_error()?.constraint()
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

/// `timestamp` and `uuid` in PostgreSQL's catalog.
const TIMESTAMP: Oid = Oid(1114);
const UUID: Oid = Oid(2950);

/// Milliseconds from 1970 to 2000, where PostgreSQL's time begins.
const EPOCH: i64 = 946_684_800_000;

/// A `timestamp` without time zone, in which kit keeps UTC.
impl Type<Postgres> for Timestamp {
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_name("timestamp")
    }

    /// Asked for every value of every row: numbers are compared, not names.
    fn compatible(r#type: &PgTypeInfo) -> bool {
        r#type.oid() == Some(TIMESTAMP)
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
            // `2026-01-01 12:00:00.5`
            PgValueFormat::Text => {
                let text = value.as_str()?.replacen(' ', "T", 1);
                return Ok(format!("{text}Z").parse()?);
            }
        };
        Ok(Self::from_unix_millis(millis)?)
    }
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
