//! Conversions between PostgreSQL rows and kit's types, for generated code.

use serde::de::DeserializeOwned;
use serde_json::Value;
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::types::Oid;
use sqlx::postgres::{
    PgArgumentBuffer, PgArguments, PgDatabaseError, PgRow, PgTypeInfo, PgValueFormat, PgValueRef,
};
use sqlx::query::{QueryAs, QueryScalar};
use sqlx::{
    Decode, Encode, Error, FromRow, PgConnection, PgExecutor, PgPool, Postgres, Row as _, Transaction, Type,
    ValueRef,
};

#[cfg(feature = "decimal")]
use crate::Decimal;
use crate::format::{is_calendar_date, is_decimal, is_uuid};
use crate::{BigInt, Bytes, OutOfRange, Timestamp};

/// Returns the name of the constraint that a statement violated. Returns `None` if the statement failed for another
/// reason.
///
/// ```
/// use kit_runtime::{Error, sql};
///
/// fn explain(error: sqlx::Error) -> Error {
///     match sql::violated_constraint(&error) {
///         Some("notes_title_key") => Error::conflict("TITLE_TAKEN", "Another note has this title"),
///         _ => error.into(),
///     }
/// }
/// ```
pub fn violated_constraint(error: &Error) -> Option<&str> {
    error.as_database_error()?.constraint()
}

/// Returns true if PostgreSQL rolled a transaction back because of another transaction: a serialization failure (`40001`)
/// or a deadlock (`40P01`). The same transaction may succeed if it runs again. If the handler returns the
/// error, the response is 503.
///
/// ```
/// use kit_runtime::{Error, sql};
/// use sqlx::PgPool;
///
/// async fn transfer(pool: &PgPool) -> Result<(), Error> {
///     let transaction = pool.begin_with("BEGIN ISOLATION LEVEL SERIALIZABLE").await?;
///     // The queries are here.
///     Ok(transaction.commit().await?)
/// }
///
/// async fn transfer_with_retries(pool: &PgPool) -> Result<(), Error> {
///     for _ in 0..3 {
///         match transfer(pool).await {
///             Err(error) if sql::is_transaction_conflict(&error) => {}
///             ended => return ended,
///         }
///     }
///     transfer(pool).await
/// }
/// ```
pub fn is_transaction_conflict(error: &crate::Error) -> bool {
    error
        .source()
        .is_some_and(crate::postgres::is_transaction_conflict)
}

/// Returns true if a statement failed because a column cannot store one of its values: a string with the wrong format
/// or too many characters, or a number that is too large.
///
/// ```
/// use kit_runtime::sql::is_value_error;
///
/// assert!(!is_value_error(&sqlx::Error::RowNotFound));
/// ```
pub fn is_value_error(error: &Error) -> bool {
    match error {
        // https://www.postgresql.org/docs/current/errcodes-appendix.html
        Error::Database(error) => match error.code().as_deref() {
            // The last state is that of a text that is too long for its index, for `tsvector` or for `ltree`.
            Some("22001" | "22003" | "22007" | "22008" | "22026" | "2200M" | "2200N" | "22P02" | "54000") => {
                true
            }
            // `tsvector` and `ltree` report a wrong text like a mistake in a statement, but a mistake in a statement has a position.
            Some("42601" | "42622") => error
                .try_downcast_ref::<PgDatabaseError>()
                .is_some_and(|error| error.position().is_none()),
            _ => false,
        },
        // sqlx keeps only the message of the error: `Encoding argument $1 failed: …`.
        Error::Encode(error) => error.to_string().ends_with(&OutOfRange.to_string()),
        _ => false,
    }
}

/// Returns true for a string that is not a UUID. No row of a UUID column can match such a string, and PostgreSQL would
/// report the comparison as an error.
///
/// ```
/// use kit_runtime::sql::is_not_uuid;
///
/// assert!(is_not_uuid(Some("seven")));
/// assert!(!is_not_uuid(Some("f81d4fae-7dec-11d0-a765-00a0c91e6bf6")));
/// assert!(!is_not_uuid(None));
/// ```
pub fn is_not_uuid(text: Option<&str>) -> bool {
    text.is_some_and(|text| !is_uuid(text))
}

/// Returns true for a string that is not a decimal number without an exponent. No row of a `numeric` column can match such
/// a string, and PostgreSQL would report the comparison as an error.
///
/// ```
/// use kit_runtime::sql::is_not_decimal;
///
/// assert!(is_not_decimal(Some("seven")));
/// assert!(!is_not_decimal(Some("-7.50")));
/// assert!(!is_not_decimal(None));
/// ```
pub fn is_not_decimal(text: Option<&str>) -> bool {
    text.is_some_and(|text| !is_decimal(text))
}

/// Returns true for a string that is not a calendar day such as `2026-01-31`. No row of a `date` column can match such a
/// string, and PostgreSQL would report the comparison as an error.
///
/// ```
/// use kit_runtime::sql::is_not_day;
///
/// assert!(is_not_day(Some("2026-02-30")));
/// assert!(is_not_day(Some("0000-01-01")));
/// assert!(!is_not_day(Some("2026-02-28")));
/// ```
pub fn is_not_day(text: Option<&str>) -> bool {
    text.is_some_and(|text| text.starts_with("0000") || !is_calendar_date(text))
}

/// Returns true for an integer that needs more than 64 bits. No row of a `bigint` column can match such a number.
///
/// ```
/// use kit_runtime::BigInt;
/// use kit_runtime::sql::exceeds_bigint;
///
/// let number: BigInt = "9223372036854775808".parse()?;
/// assert!(exceeds_bigint(Some(&number)));
/// assert!(!exceeds_bigint(None));
/// # Ok::<(), kit_runtime::ParseBigIntError>(())
/// ```
pub fn exceeds_bigint(number: Option<&BigInt>) -> bool {
    number.is_some_and(|number| i64::try_from(number).is_err())
}

/// Returns true for a time whose year is not one of 1 to 9999. No array in the database contains such a time, because kit
/// sends the elements of arrays as texts, and PostgreSQL does not read the text of such a year.
///
/// ```
/// use kit_runtime::Timestamp;
/// use kit_runtime::sql::exceeds_elements;
///
/// assert!(exceeds_elements("0000-06-01T12:00:00.000Z".parse::<Timestamp>()?));
/// assert!(!exceeds_elements("2026-01-31T12:00:00.000Z".parse::<Timestamp>()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn exceeds_elements(time: Timestamp) -> bool {
    /// Milliseconds from 1970 to the first and to the last millisecond of these years.
    const YEARS: std::ops::RangeInclusive<i64> = -62_135_596_800_000..=253_402_300_799_999;
    !YEARS.contains(&time.unix_millis())
}

/// Reads a string or UUID column into a type that accepts only some strings, such as a union of literals. Null
/// becomes `None` if the type is an `Option`.
///
/// ```
/// use kit_runtime::sql;
/// use sqlx::postgres::PgRow;
///
/// /// Reads the columns `id` (UUID), `parent` (UUID or null), `state` (text) and `tags` (JSON).
/// fn read(row: &PgRow) -> Result<(String, Option<String>, String, Vec<String>), sqlx::Error> {
///     let (id, parent) = (sql::uuid(row, "id")?, sql::optional_uuid(row, "parent")?);
///     Ok((id, parent, sql::text(row, "state")?, sql::json(row, "tags")?))
/// }
/// ```
///
/// # Errors
///
/// If the column does not exist, or the value does not fit the type.
pub fn text<T: DeserializeOwned>(row: &PgRow, column: &str) -> Result<T, Error> {
    let text = optional_uuid(row, column)?;
    read(text.map_or(Value::Null, Value::String), column)
}

/// Runs the statement of a page, and returns its rows with their keys, which are in the column `kit_cursor_key`. Binds the
/// values of the cursor after all others.
///
/// ```
/// use kit_runtime::keyset::KeysetPage;
/// use kit_runtime::sql;
/// use sqlx::PgPool;
///
/// /// Returns the first page of numbers.
/// async fn numbers(pool: &PgPool, page: &KeysetPage<'_>) -> Result<Vec<((i64,), String)>, sqlx::Error> {
///     let statement = "
///         SELECT number, json_build_array(number::text)::text AS kit_cursor_key
///         FROM numbers
///         ORDER BY number
///         LIMIT $1";
///     sql::keyed_rows(sqlx::query_as(statement).bind(page.limit()), page.key(), pool).await
/// }
/// ```
///
/// # Errors
///
/// If the statement fails, or a row does not fit its type.
pub async fn keyed_rows<'q, T>(
    query: QueryAs<'q, Postgres, Keyed<T>, PgArguments>,
    key: &'q [String],
    database: impl PgExecutor<'_>,
) -> Result<Vec<(T, String)>, Error>
where
    T: for<'r> FromRow<'r, PgRow> + Send + Unpin,
{
    let query = key.iter().fold(query, QueryAs::bind);
    let rows = query.fetch_all(database).await?;
    Ok(rows.into_iter().map(|Keyed(row, key)| (row, key)).collect())
}

/// A row with its key for cursors.
pub struct Keyed<T>(T, String);

impl<'r, T: FromRow<'r, PgRow>> FromRow<'r, PgRow> for Keyed<T> {
    fn from_row(row: &'r PgRow) -> Result<Self, Error> {
        Ok(Self(T::from_row(row)?, row.try_get("kit_cursor_key")?))
    }
}

/// Runs the statement of a page and returns its rows with the number of all rows, which is in the column `kit_total`. If the
/// page has no rows, `count` counts all rows.
///
/// ```
/// use kit_runtime::sql;
/// use sqlx::PgConnection;
///
/// /// Returns ten numbers after the first `offset` numbers, and how many numbers there are.
/// async fn numbers(connection: &mut PgConnection, offset: i64) -> Result<(Vec<(i64,)>, i64), sqlx::Error> {
///     let statement = "
///         SELECT number, (SELECT count(*) FROM numbers) AS kit_total
///         FROM numbers
///         ORDER BY number
///         LIMIT 10 OFFSET $1";
///     let count = sqlx::query_scalar("SELECT count(*) FROM numbers");
///     sql::rows_with_total(sqlx::query_as(statement).bind(offset), count, offset, connection).await
/// }
/// ```
///
/// # Errors
///
/// If a statement fails, or a row does not fit its type.
pub async fn rows_with_total<'q, T>(
    rows: QueryAs<'q, Postgres, Counted<T>, PgArguments>,
    count: QueryScalar<'q, Postgres, i64, PgArguments>,
    offset: i64,
    connection: &mut PgConnection,
) -> Result<(Vec<T>, i64), Error>
where
    T: for<'r> FromRow<'r, PgRow> + Send + Unpin,
{
    let rows = rows.fetch_all(&mut *connection).await?;
    let total = match rows.first() {
        Some(Counted(_, total)) => *total,
        // No row exists at the offset or after it. Rows that other requests have inserted since then do not count.
        None => count.fetch_one(connection).await?.min(offset),
    };
    Ok((rows.into_iter().map(|Counted(row, _)| row).collect(), total))
}

/// A row with the number of all rows.
pub struct Counted<T>(T, i64);

impl<'r, T: FromRow<'r, PgRow>> FromRow<'r, PgRow> for Counted<T> {
    fn from_row(row: &'r PgRow) -> Result<Self, Error> {
        Ok(Self(T::from_row(row)?, row.try_get("kit_total")?))
    }
}

/// Begins a transaction that only reads, and whose statements all see the database as of the first statement. A handler that
/// reads rows of several tables needs such a transaction, so that the rows fit together.
///
/// ```
/// use kit_runtime::sql::snapshot;
/// use sqlx::PgPool;
///
/// async fn numbers(pool: &PgPool) -> Result<(i64, i64), sqlx::Error> {
///     let mut transaction = snapshot(pool).await?;
///     let orders = sqlx::query_scalar("SELECT count(*) FROM orders");
///     let orders = orders.fetch_one(&mut *transaction).await?;
///     let items = sqlx::query_scalar("SELECT count(*) FROM order_items");
///     let items = items.fetch_one(&mut *transaction).await?;
///     transaction.commit().await?;
///     Ok((orders, items))
/// }
/// ```
///
/// # Errors
///
/// If no connection of the pool is available, or the database refuses the transaction.
pub async fn snapshot(pool: &PgPool) -> Result<Transaction<'static, Postgres>, Error> {
    pool.begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        .await
}

/// Reads a JSON column.
///
/// # Errors
///
/// If the column does not exist, or the value does not fit the type.
pub fn json<T: DeserializeOwned>(row: &PgRow, column: &str) -> Result<T, Error> {
    let value: Option<Value> = row.try_get(column)?;
    read(value.unwrap_or(Value::Null), column)
}

/// Reads a UUID column as a string.
///
/// # Errors
///
/// If the column does not exist, is null, or has another type.
pub fn uuid(row: &PgRow, column: &str) -> Result<String, Error> {
    row.try_get(column).map(|Uuid(text)| text)
}

/// Reads a UUID column that may be null as a string.
///
/// # Errors
///
/// If the column does not exist or has another type.
pub fn optional_uuid(row: &PgRow, column: &str) -> Result<Option<String>, Error> {
    let value: Option<Uuid> = row.try_get(column)?;
    Ok(value.map(|Uuid(text)| text))
}

/// Reads a UUID as a string. A cast in the statement would convert every row that PostgreSQL scans, not only the rows
/// of the result.
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

/// Type numbers (OIDs) of `timestamp`, `timestamptz` and `uuid` in the catalog of PostgreSQL.
const TIMESTAMP: Oid = Oid(1114);
const TIMESTAMPTZ: Oid = Oid(1184);
const UUID: Oid = Oid(2950);

/// Milliseconds from 1970-01-01 to 2000-01-01, the epoch of PostgreSQL.
const EPOCH: i64 = 946_684_800_000;

/// Reads and writes `timestamptz`, and `timestamp` without time zone, which kit stores in UTC.
impl Type<Postgres> for Timestamp {
    /// The type is unspecified, so PostgreSQL infers it from the statement. kit sends both types in the same UTC
    /// form. If a type were specified, PostgreSQL would convert a value for a column of the other type, in the time
    /// zone of the session.
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_oid(Oid(0))
    }

    /// Compares type numbers and not type names, because this function is called for every value of every row
    /// and numbers are faster.
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

/// Converts PostgreSQL's text form of a time to RFC 3339. A `timestamp` such as `2026-01-01 12:00:00.5` is in UTC. A
/// `timestamptz` has an offset, such as `+01` or `+05:30`.
fn rfc3339(text: &str, r#type: Option<Oid>) -> String {
    let text = text.replacen(' ', "T", 1);
    if r#type != Some(TIMESTAMPTZ) {
        return format!("{text}Z");
    }
    let offset = text.rfind(['+', '-']).map_or(0, |at| text.len() - at);
    let minutes = if offset == "+01".len() { ":00" } else { "" };
    format!("{text}{minutes}")
}

/// Reads and writes `bigint` columns. A number that needs more than 64 bits makes the statement fail.
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

/// Reads and writes `numeric` columns as texts. Statements cast the columns and the parameters.
#[cfg(feature = "decimal")]
impl Type<Postgres> for Decimal {
    fn type_info() -> PgTypeInfo {
        <String as Type<Postgres>>::type_info()
    }

    fn compatible(r#type: &PgTypeInfo) -> bool {
        <String as Type<Postgres>>::compatible(r#type)
    }
}

#[cfg(feature = "decimal")]
impl Encode<'_, Postgres> for Decimal {
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        Encode::<Postgres>::encode(self.to_string(), buffer)
    }
}

#[cfg(feature = "decimal")]
impl<'r> Decode<'r, Postgres> for Decimal {
    fn decode(value: PgValueRef<'r>) -> Result<Self, BoxDynError> {
        Ok(<&str as Decode<Postgres>>::decode(value)?.parse()?)
    }
}

/// Reads and writes `bytea` columns.
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
