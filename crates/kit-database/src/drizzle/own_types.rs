//! Column types that drizzle does not have, or whose values drizzle reads inexactly.
//!
//! drizzle reads the rows of relations as JSON. `JSON.parse` rounds numbers with more than 15 digits, so these types throw
//! an error instead of returning another value.

/// A column type that a schema file declares itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum OwnType {
    /// `bytea`, for a `Uint8Array`.
    Bytes,
    /// `citext`, for a text that PostgreSQL compares without case.
    Citext,
    /// `numeric`, for a decimal number as a text.
    Decimal,
    /// `bigint`, for a `bigint` of TypeScript.
    ExactBigint,
}

impl OwnType {
    /// Returns the declaration of the function that creates a column of this type.
    pub(super) fn declaration(self) -> &'static str {
        match self {
            Self::Bytes => BYTES,
            Self::Citext => CITEXT,
            Self::Decimal => DECIMAL,
            Self::ExactBigint => EXACT_BIGINT,
        }
    }
}

/// Every driver accepts and returns the values as a `Uint8Array`. JSON contains them as hexadecimal digits after `\x`.
const BYTES: &str = r#"
const bytea = customType<{ data: Uint8Array; driverData: Uint8Array | string }>({
  dataType: () => "bytea",
  fromDriver: (value) =>
    typeof value === "string"
      ? Uint8Array.from(value.slice(2).match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
      : value,
});
"#;

const CITEXT: &str = r#"
const citext = customType<{ data: string; driverData: string }>({ dataType: () => "citext" });
"#;

const DECIMAL: &str = r#"
const decimal = (name: string, precision: number, scale: number) =>
  customType<{ data: string; driverData: string | number }>({
    dataType: () => `numeric(${precision}, ${scale})`,
    fromDriver: (value) => {
      if (typeof value === "string") return value;
      if (Math.abs(value) < 10 ** (15 - scale)) return value.toFixed(scale);
      throw new RangeError(`a value of ${name} has more digits than JSON keeps in a relation; query its table itself`);
    },
  })(name);
"#;

const EXACT_BIGINT: &str = r#"
const exactBigint = (name: string) =>
  customType<{ data: bigint; driverData: bigint | string | number }>({
    dataType: () => "bigint",
    fromDriver: (value) => {
      if (typeof value !== "number" || Number.isSafeInteger(value)) return BigInt(value);
      throw new RangeError(`a value of ${name} has more digits than JSON keeps in a relation; query its table itself`);
    },
  })(name);
"#;
