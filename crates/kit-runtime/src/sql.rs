//! Values of rows that are more than PostgreSQL's types say.

use serde::de::DeserializeOwned;
use serde_json::Value;
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgArgumentBuffer, PgRow, PgTypeInfo, PgValueFormat, PgValueRef};
use sqlx::{Decode, Encode, Error, Postgres, Row as _, Type};

use crate::{BigInt, Bytes, Timestamp};

/// The name of the constraint that kept a row out; nothing where it failed for another reason.
pub fn violated(error: &Error) -> Option<&str> {
    error.as_database_error()?.constraint()
}

/// A column of texts, of a type that has some of them. Null is none, for an `Option`.
pub fn text<T: DeserializeOwned>(row: &PgRow, column: &str) -> Result<T, Error> {
    let text: Option<String> = row.try_get(column)?;
    read(text.map_or(Value::Null, Value::String), column)
}

/// A column of JSON.
pub fn json<T: DeserializeOwned>(row: &PgRow, column: &str) -> Result<T, Error> {
    let value: Option<Value> = row.try_get(column)?;
    read(value.unwrap_or(Value::Null), column)
}

fn read<T: DeserializeOwned>(value: Value, column: &str) -> Result<T, Error> {
    serde_json::from_value(value).map_err(|error| Error::ColumnDecode {
        index: column.to_owned(),
        source: Box::new(error),
    })
}

/// Milliseconds from 1970 to 2000, where PostgreSQL's time begins.
const EPOCH: i64 = 946_684_800_000;

/// A `timestamp` without time zone, in which kit keeps UTC.
impl Type<Postgres> for Timestamp {
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_name("timestamp")
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
