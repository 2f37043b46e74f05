//! Pages of sorted lists with cursors. The cursors are those of `defineKeyset` in `@kit/core/keyset`: a server on Node
//! continues a list that a Rust server began.

mod cursor;
mod key_type;

use serde::Serialize;
use sha2_v10::{Digest as _, Sha256};

use crate::Error;
use crate::bytes::base64url;
use crate::cookies::CookieKeys;
use crate::json::{quoted, to_text};
use crate::settings::settings;

pub use cursor::Side;
use cursor::{MAX_LENGTH, Position};
pub use key_type::KeyType;

/// Direction of a sort, which all columns share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Smallest first.
    Asc,
    /// Greatest first.
    Desc,
}

/// Sorted list that is read in pages.
///
/// ```
/// use kit_runtime::keyset::{KeyType, Keyset, Order};
///
/// const NEWEST: Keyset = Keyset::new(
///     "notes",
///     Order::Desc,
///     &[("created_at", KeyType::Timestamptz), ("id", KeyType::Uuid)],
/// );
/// let page = NEWEST.filters().filter("author", &"ada").page(None, 20)?;
/// assert_eq!(page.limit(), 21);
/// # Ok::<(), kit_runtime::Error>(())
/// ```
#[derive(Debug)]
pub struct Keyset {
    list: &'static str,
    order: Order,
    columns: &'static [(&'static str, KeyType)],
}

/// Filters of a list. A cursor belongs to the filters with which it was made.
#[derive(Debug)]
pub struct Filters<'k> {
    keyset: &'k Keyset,
    /// Names, each with its value as JSON.
    values: Vec<(&'static str, String)>,
}

/// One page of a [`Keyset`].
#[derive(Debug)]
pub struct KeysetPage<'k> {
    keyset: &'k Keyset,
    keys: &'k CookieKeys,
    fingerprint: String,
    limit: i64,
    position: Option<Position>,
}

/// Items of a page, with the cursors of the pages beside it.
#[derive(Debug)]
pub struct Page<T> {
    /// Items of the page.
    pub data: Vec<T>,
    /// Cursor of the next page.
    pub next: Option<String>,
    /// Cursor of the previous page.
    pub previous: Option<String>,
}

impl Keyset {
    /// Creates a list. The last column must be unique, and no column may contain NULL.
    ///
    /// ```
    /// use kit_runtime::keyset::{KeyType, Keyset, Order};
    ///
    /// const BY_ID: Keyset = Keyset::new("notes", Order::Asc, &[("id", KeyType::Uuid)]);
    /// assert!(BY_ID.filters().page(Some("forged"), 20).is_err());
    /// ```
    pub const fn new(list: &'static str, order: Order, columns: &'static [(&'static str, KeyType)]) -> Self {
        Self { list, order, columns }
    }

    /// Begins the filters of a request.
    ///
    /// ```
    /// use kit_runtime::keyset::{KeyType, Keyset, Order};
    ///
    /// const BY_ID: Keyset = Keyset::new("notes", Order::Asc, &[("id", KeyType::Uuid)]);
    /// let page = BY_ID.filters().page(None, 20)?;
    /// assert_eq!(page.side(), None);
    /// # Ok::<(), kit_runtime::Error>(())
    /// ```
    pub fn filters(&self) -> Filters<'_> {
        Filters {
            keyset: self,
            values: Vec::new(),
        }
    }
}

impl<'k> Filters<'k> {
    /// Adds a filter. An absent value is no filter.
    ///
    /// ```
    /// use kit_runtime::keyset::{KeyType, Keyset, Order};
    ///
    /// const BY_ID: Keyset = Keyset::new("notes", Order::Asc, &[("id", KeyType::Uuid)]);
    /// let page = BY_ID.filters().filter("author", &Some("ada")).filter("tag", &None::<String>);
    /// assert!(page.page(None, 20).is_ok());
    /// ```
    #[must_use]
    pub fn filter(mut self, name: &'static str, value: &impl Serialize) -> Self {
        // Requests contain no number without a JSON form.
        let text = to_text(value).unwrap_or_else(|error| quoted(&error.to_string()));
        if text != "null" {
            self.values.push((name, text));
        }
        self
    }

    /// Returns the page that a request selects.
    ///
    /// ```
    /// use kit_runtime::keyset::{KeyType, Keyset, Order};
    ///
    /// const BY_ID: Keyset = Keyset::new("notes", Order::Asc, &[("id", KeyType::Uuid)]);
    /// let error = BY_ID.filters().page(Some("forged"), 20).unwrap_err();
    /// assert_eq!(error.code(), "INVALID_CURSOR");
    /// ```
    ///
    /// # Errors
    ///
    /// 400 `INVALID_CURSOR` if the cursor does not belong to this list with these filters.
    #[track_caller]
    pub fn page(self, cursor: Option<&str>, limit: i64) -> Result<KeysetPage<'k>, Error> {
        self.page_signed_by(&settings().cursor_keys, cursor, limit)
    }

    /// Returns the same page as [`Self::page`], with other keys than those of `KIT_CURSOR_KEYS`.
    #[doc(hidden)] // Public only for tests.
    #[track_caller]
    pub fn page_signed_by(
        self,
        keys: &'k CookieKeys,
        cursor: Option<&str>,
        limit: i64,
    ) -> Result<KeysetPage<'k>, Error> {
        let fingerprint = self.fingerprint();
        let columns = self.keyset.columns;
        let position = match cursor {
            None => None,
            Some(text) => {
                let position = Position::decode(text, &fingerprint, keys);
                let fits = |position: &Position| {
                    let mut pairs = position.key.iter().zip(columns);
                    position.key.len() == columns.len()
                        && pairs.all(|(value, (_, r#type))| r#type.accepts(value))
                };
                let position = position.filter(fits).ok_or_else(|| {
                    Error::bad_request(
                        "INVALID_CURSOR",
                        "The cursor does not belong to this list with these filters. Request the first page, without a cursor",
                    )
                })?;
                Some(position)
            }
        };
        Ok(KeysetPage {
            keyset: self.keyset,
            keys,
            fingerprint,
            limit: limit.max(1),
            position,
        })
    }

    /// Returns the fingerprint of the list with its sort and its filters, which its cursors contain.
    fn fingerprint(&self) -> String {
        let Keyset { list, order, columns } = self.keyset;
        let order = match order {
            Order::Asc => "asc",
            Order::Desc => "desc",
        };
        let columns = columns
            .iter()
            // Quoted as in SQL: `"notes"."id"`.
            .map(|(name, r#type)| quoted(&format!("\"{}\" {}", name.replace('.', "\".\""), r#type.name())));
        let mut values: Vec<_> = self.values.iter().collect();
        // JavaScript sorts texts by their UTF-16 code units.
        values.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
        let filters = values
            .into_iter()
            .map(|(name, value)| format!("[{},{value}]", quoted(name)));
        let text = format!(
            "[\"kit\",{},\"{order}\",[{}],[{}]]",
            quoted(list),
            columns.collect::<Vec<_>>().join(","),
            filters.collect::<Vec<_>>().join(",")
        );
        base64url(&Sha256::digest(text.as_bytes())[..12])
    }
}

impl KeysetPage<'_> {
    /// Returns the value for `LIMIT`: one row more than the page has, which shows if another page follows.
    pub fn limit(&self) -> i64 {
        self.limit.saturating_add(1)
    }

    /// Returns the side of the item in the cursor on which the page is. Returns `None` for the first page.
    pub fn side(&self) -> Option<Side> {
        self.position.as_ref().map(|position| position.side)
    }

    /// Returns the values of the columns in the cursor. Empty for the first page.
    ///
    /// ```
    /// use kit_runtime::keyset::{KeyType, Keyset, Order};
    ///
    /// const BY_ID: Keyset = Keyset::new("notes", Order::Asc, &[("id", KeyType::Uuid)]);
    /// assert!(BY_ID.filters().page(None, 20)?.key().is_empty());
    /// # Ok::<(), kit_runtime::Error>(())
    /// ```
    pub fn key(&self) -> &[String] {
        self.position.as_ref().map_or(&[], |position| &position.key)
    }

    /// Returns the response for the rows of the query, each with its key as JSON.
    ///
    /// ```
    /// use kit_runtime::keyset::{KeyType, Keyset, Order};
    ///
    /// const BY_ID: Keyset = Keyset::new("notes", Order::Asc, &[("id", KeyType::BigInt)]);
    /// let rows = vec![("a", r#"["1"]"#.to_owned()), ("b", r#"["2"]"#.to_owned())];
    /// let page = BY_ID.filters().page(None, 1)?.of(rows)?;
    /// assert_eq!(page.data, ["a"]);
    /// assert!(page.next.is_some() && page.previous.is_none());
    /// # Ok::<(), kit_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// 500 if a row has NULL in a column of its key, if two rows have the same key, or if a cursor would be too long.
    #[track_caller]
    pub fn of<T>(&self, rows: Vec<(T, String)>) -> Result<Page<T>, Error> {
        let size = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let has_more = rows.len() > size;
        let mut data = Vec::with_capacity(rows.len().min(size));
        let mut keys: Vec<Vec<String>> = Vec::with_capacity(rows.len());
        for (item, key) in rows {
            let key = self.key_of(&key)?;
            if keys.last() == Some(&key) {
                return Err(Error::internal(format!(
                    "two rows of the list {} have the same key; the last column of a keyset must be unique",
                    self.keyset.list
                )));
            }
            keys.push(key);
            if data.len() < size {
                data.push(item);
            }
        }
        keys.truncate(size);
        let is_backward = self.side() == Some(Side::Previous);
        if is_backward {
            data.reverse();
            keys.reverse();
        }
        let has_previous = if is_backward {
            has_more
        } else {
            self.position.is_some()
        };
        let cursor = |is_there: bool, side: Side, key: Option<&Vec<String>>| {
            key.filter(|_| is_there)
                .map(|key| self.cursor(side, key))
                .transpose()
        };
        Ok(Page {
            next: cursor(is_backward || has_more, Side::Next, keys.last())?,
            previous: cursor(has_previous, Side::Previous, keys.first())?,
            data,
        })
    }

    #[track_caller]
    fn cursor(&self, side: Side, key: &[String]) -> Result<String, Error> {
        let position = Position {
            side,
            key: key.to_vec(),
        };
        let cursor = position.encode(&self.fingerprint, self.keys);
        if cursor.len() > MAX_LENGTH {
            return Err(Error::internal(format!(
                "a cursor of the list {} has {} characters; at most {MAX_LENGTH} are allowed, so sort the list by a \
                 shorter column",
                self.keyset.list,
                cursor.len()
            )));
        }
        Ok(cursor)
    }

    /// Returns the values in the key of a row.
    #[track_caller]
    fn key_of(&self, text: &str) -> Result<Vec<String>, Error> {
        let values: Vec<Option<String>> = serde_json::from_str(text)
            .map_err(|error| Error::internal(format!("the key of a row is not JSON: {error}")))?;
        let mut values = values.into_iter();
        let columns = self.keyset.columns.iter();
        columns
            .map(|(name, r#type)| {
                values
                    .next()
                    .flatten()
                    .filter(|value| r#type.accepts(value))
                    .ok_or_else(|| {
                        Error::internal(format!(
                            "the column {name} of the list {} contains NULL or another value that cannot be a part \
                             of a cursor for the type {}",
                            self.keyset.list,
                            r#type.name()
                        ))
                    })
            })
            .collect()
    }
}
