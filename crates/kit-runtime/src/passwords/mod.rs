//! Hashes of passwords. The form of the hashes and the rules are those of `createPasswords` of `@kit/auth`, so that servers
//! on Node and in Rust can share the accounts of an application.

mod hash;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use argon2::{Algorithm, Argon2, Params, Version};
use axum::http::StatusCode;
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};
use unicode_normalization::UnicodeNormalization as _;

use crate::Error;
use crate::option_error::OptionError;
use crate::random::random_bytes;
use hash::{Cost, MOST_MEMORY_KIB, MOST_PARALLELISM, MOST_PASSES, StoredHash};

/// Bytes of salts and hashes of new passwords (RFC 9106, section 3.1).
const SALT_BYTES: usize = 16;
const HASH_BYTES: usize = 32;

/// Options of [`Passwords`]. The default parameters are those of the
/// [OWASP Password Storage Cheat Sheet](https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html).
///
/// ```
/// use kit_runtime::passwords::PasswordOptions;
///
/// let passwords = PasswordOptions::default()
///     .memory_kib(32_768)
///     .passes(3)
///     .parallelism(2)
///     .concurrency(4)
///     .max_waiting(50)
///     .max_bytes(200)
///     .build()?;
/// # let _ = passwords;
/// # Ok::<(), kit_runtime::OptionError>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct PasswordOptions {
    memory_kib: u32,
    passes: u32,
    parallelism: u32,
    concurrency: u32,
    max_waiting: u32,
    max_bytes: u32,
}

impl Default for PasswordOptions {
    fn default() -> Self {
        Self {
            memory_kib: 19_456,
            passes: 2,
            parallelism: 1,
            concurrency: 2,
            max_waiting: 100,
            max_bytes: 1024,
        }
    }
}

impl PasswordOptions {
    /// Sets the memory of one hash in KiB. Default: 19,456 (19 MiB).
    pub fn memory_kib(mut self, memory: u32) -> Self {
        self.memory_kib = memory;
        self
    }

    /// Sets the number of passes over the memory. Default: 2.
    pub fn passes(mut self, passes: u32) -> Self {
        self.passes = passes;
        self
    }

    /// Sets the number of lanes. Default: 1.
    pub fn parallelism(mut self, lanes: u32) -> Self {
        self.parallelism = lanes;
        self
    }

    /// Sets the number of hashes that are computed at the same time. Default: 2.
    pub fn concurrency(mut self, hashes: u32) -> Self {
        self.concurrency = hashes;
        self
    }

    /// Sets the number of hashes that may wait. Further hashes are refused with 503. Default: 100.
    pub fn max_waiting(mut self, hashes: u32) -> Self {
        self.max_waiting = hashes;
        self
    }

    /// Sets the maximum length of a password in bytes of UTF-8. Default: 1,024.
    pub fn max_bytes(mut self, bytes: u32) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// Creates the functions that hash and verify passwords.
    ///
    /// # Errors
    ///
    /// If a number is not in its range.
    pub fn build(self) -> Result<Passwords, OptionError> {
        let least_memory = 7168.max(self.parallelism.saturating_mul(8));
        for (name, value, least, most) in [
            ("parallelism", self.parallelism, 1, MOST_PARALLELISM),
            ("memory_kib", self.memory_kib, least_memory, MOST_MEMORY_KIB),
            ("passes", self.passes, 1, MOST_PASSES),
            ("concurrency", self.concurrency, 1, 64),
            ("max_waiting", self.max_waiting, 0, 10_000),
            ("max_bytes", self.max_bytes, 64, 65_536),
        ] {
            if !(least..=most).contains(&value) {
                let problem = format_args!("`{name}` must be from {least} to {most}, not {value}");
                return Err(OptionError::new("passwords", problem));
            }
        }
        let most_at_once = self.concurrency.saturating_add(self.max_waiting);
        Ok(Passwords {
            cost: Cost {
                memory_kib: self.memory_kib,
                passes: self.passes,
                parallelism: self.parallelism,
            },
            max_bytes: usize::try_from(self.max_bytes).unwrap_or(usize::MAX),
            slots: Arc::new(Semaphore::new(usize::try_from(self.concurrency).unwrap_or(1))),
            at_once: AtomicUsize::new(0),
            most_at_once: usize::try_from(most_at_once).unwrap_or(usize::MAX),
        })
    }
}

/// Hashes and verifies passwords with Argon2id. Passwords are normalized to NFKC first, so that each keyboard gives the same
/// password (NIST SP 800-63B).
///
/// ```
/// use kit_runtime::passwords::{PasswordOptions, Passwords};
/// use kit_runtime::{Error, OptionError};
///
/// fn passwords() -> Result<&'static Passwords, OptionError> {
///     use std::sync::LazyLock;
///     static PASSWORDS: LazyLock<Result<Passwords, OptionError>> =
///         LazyLock::new(|| PasswordOptions::default().build());
///     PASSWORDS.as_ref().map_err(Clone::clone)
/// }
///
/// # async fn run() -> Result<(), Error> {
/// let stored = passwords()?.hash("correct horse battery staple").await?;
/// assert!(passwords()?.verify("correct horse battery staple", Some(&stored)).await?);
/// assert!(!passwords()?.verify("correct horse battery staple", None).await?);
/// assert!(!passwords()?.needs_rehash(&stored));
/// # Ok(())
/// # }
/// ```
pub struct Passwords {
    cost: Cost,
    max_bytes: usize,
    /// Permits for the hashes that are computed at the same time.
    slots: Arc<Semaphore>,
    /// Number of hashes that are computed or wait.
    at_once: AtomicUsize,
    most_at_once: usize,
}

impl fmt::Debug for Passwords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Passwords")
            .field("cost", &self.cost)
            .finish_non_exhaustive()
    }
}

impl Passwords {
    /// Returns the hash of a password, to store.
    ///
    /// # Errors
    ///
    /// 400 `PASSWORD_TOO_LONG` if the password has too many bytes, and 503 `TOO_MANY_LOGINS` if too many hashes wait.
    pub async fn hash(&self, password: &str) -> Result<String, Error> {
        let Some(text) = self.normalized(password) else {
            let message = format!("A password has at most {} bytes of text", self.max_bytes);
            return Err(Error::bad_request("PASSWORD_TOO_LONG", message));
        };
        let salt = random_bytes::<SALT_BYTES>()?.to_vec();
        let hash = self.compute(text, salt.clone(), HASH_BYTES, self.cost).await?;
        let cost = self.cost;
        Ok(StoredHash { cost, salt, hash }.text())
    }

    /// Returns true if a password has the stored hash. With `None`, because there is no such user, the function takes as long
    /// and returns false, so that the time does not show which users exist.
    ///
    /// # Errors
    ///
    /// 500 if the stored text is not a hash of Argon2id, and 503 `TOO_MANY_LOGINS` if too many hashes wait.
    pub async fn verify(&self, password: &str, stored: Option<&str>) -> Result<bool, Error> {
        let expected = match stored {
            Some(text) => StoredHash::read(text).ok_or_else(|| {
                Error::internal("The stored text is not a hash of Argon2id, such as $argon2id$v=19$m=…")
            })?,
            None => StoredHash {
                cost: self.cost,
                salt: random_bytes::<SALT_BYTES>()?.to_vec(),
                hash: vec![0; HASH_BYTES],
            },
        };
        let Some(text) = self.normalized(password) else {
            return Ok(false);
        };
        let StoredHash { cost, salt, hash } = expected;
        let actual = self.compute(text, salt, hash.len(), cost).await?;
        // Compares in constant time: every byte counts.
        let difference = actual
            .iter()
            .zip(&hash)
            .fold(0, |difference, (one, other)| difference | (one ^ other));
        Ok(std::hint::black_box(difference) == 0 && stored.is_some())
    }

    /// Returns true if a stored hash has other parameters than the options. Then hash the password again after a login.
    pub fn needs_rehash(&self, stored: &str) -> bool {
        StoredHash::read(stored).is_none_or(|found| {
            found.cost != self.cost || found.salt.len() != SALT_BYTES || found.hash.len() != HASH_BYTES
        })
    }

    /// Returns the bytes of a password to hash, or `None` if the password is too long.
    fn normalized(&self, password: &str) -> Option<String> {
        // The length is checked first, because normalizing a long text takes long.
        (password.len() <= self.max_bytes).then(|| password.nfkc().collect())
    }

    /// Computes a hash on a thread for blocking work.
    async fn compute(
        &self,
        password: String,
        salt: Vec<u8>,
        length: usize,
        cost: Cost,
    ) -> Result<Vec<u8>, Error> {
        let _waiting = Waiting::begin(self)?;
        let slot = self.slot().await?;
        let task = tokio::task::spawn_blocking(move || {
            // The task keeps the slot, because the hash is computed to its end if the client disconnects.
            let _slot = slot;
            let params = Params::new(cost.memory_kib, cost.passes, cost.parallelism, Some(length));
            let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params?);
            let mut hash = vec![0; length];
            argon2.hash_password_into(password.as_bytes(), &salt, &mut hash)?;
            Ok::<_, argon2::Error>(hash)
        });
        let hash = task.await?;
        hash.map_err(|error| Error::internal(format!("The password cannot be hashed: {error}")))
    }

    async fn slot(&self) -> Result<OwnedSemaphorePermit, AcquireError> {
        Arc::clone(&self.slots).acquire_owned().await
    }
}

/// A hash that is computed or waits. Its end makes place for another hash.
struct Waiting<'p>(&'p AtomicUsize);

impl<'p> Waiting<'p> {
    fn begin(passwords: &'p Passwords) -> Result<Self, Error> {
        let waiting = Self(&passwords.at_once);
        if waiting.0.fetch_add(1, Ordering::Relaxed) < passwords.most_at_once {
            return Ok(waiting);
        }
        Err(Error::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "TOO_MANY_LOGINS",
            "Too many logins at the moment, try again later",
        ))
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::PasswordOptions;
    use crate::StatusCode;

    /// Options whose hashes are fast.
    fn fast() -> PasswordOptions {
        PasswordOptions::default().memory_kib(7168).passes(1)
    }

    #[test]
    fn refuses_numbers_out_of_their_ranges() {
        for (options, name) in [
            (PasswordOptions::default().memory_kib(7167), "memory_kib"),
            (PasswordOptions::default().memory_kib(1_048_577), "memory_kib"),
            (PasswordOptions::default().passes(0), "passes"),
            (PasswordOptions::default().parallelism(17), "parallelism"),
            (PasswordOptions::default().concurrency(0), "concurrency"),
            (PasswordOptions::default().max_waiting(10_001), "max_waiting"),
            (PasswordOptions::default().max_bytes(63), "max_bytes"),
        ] {
            let message = options
                .build()
                .map_or_else(|error| error.to_string(), |_| String::new());
            assert!(message.contains(name), "{name}: {message}");
        }
    }

    #[tokio::test]
    async fn verifies_hashes_of_its_own_and_of_node() -> Result<(), crate::Error> {
        let passwords = fast().build()?;
        let stored = passwords.hash("pässword ﬁ").await?;
        assert!(stored.starts_with("$argon2id$v=19$m=7168,t=1,p=1$"), "{stored}");
        // Normalized: a decomposed letter, and two letters for the ligature.
        assert!(passwords.verify("pa\u{308}ssword fi", Some(&stored)).await?);
        assert!(!passwords.verify("password fi", Some(&stored)).await?);
        assert!(!passwords.verify("pässword fi", None).await?);
        assert!(!passwords.needs_rehash(&stored));
        // From `createPasswords({ parallelism: 2, passes: 3, memoryKib: 8192 })` of `@kit/auth`.
        let of_node = "$argon2id$v=19$m=8192,t=3,p=2$L+EpLQ+nYYTJkPvM89zQzA$s7wrto54r3v4w/7fyotkan2Lywv+hxUFq6oLasZGpEM";
        assert!(passwords.verify("correct horse", Some(of_node)).await?);
        assert!(passwords.needs_rehash(of_node));
        Ok(())
    }

    #[tokio::test]
    async fn refuses_passwords_that_are_too_long_and_texts_that_are_no_hash() -> Result<(), crate::Error> {
        let passwords = fast().max_bytes(64).build()?;
        let long = "a".repeat(65);
        let refused = passwords.hash(&long).await;
        assert_eq!(
            refused.map_err(|error| (error.status(), error.code().to_owned())),
            Err((StatusCode::BAD_REQUEST, "PASSWORD_TOO_LONG".to_owned()))
        );
        let stored = passwords.hash("a").await?;
        assert!(!passwords.verify(&long, Some(&stored)).await?);
        let broken = passwords.verify("a", Some("plain")).await;
        assert_eq!(
            broken.map_err(|error| error.status()),
            Err(StatusCode::INTERNAL_SERVER_ERROR)
        );
        Ok(())
    }

    #[tokio::test]
    async fn refuses_hashes_if_too_many_wait() -> Result<(), crate::Error> {
        let passwords = fast().concurrency(1).max_waiting(1).build()?;
        let (one, two, three) = tokio::join!(passwords.hash("a"), passwords.hash("b"), passwords.hash("c"));
        assert!(one.is_ok() && two.is_ok());
        assert_eq!(
            three.map_err(|error| (error.status(), error.code().to_owned())),
            Err((StatusCode::SERVICE_UNAVAILABLE, "TOO_MANY_LOGINS".to_owned()))
        );
        assert!(passwords.hash("d").await.is_ok());
        Ok(())
    }
}
