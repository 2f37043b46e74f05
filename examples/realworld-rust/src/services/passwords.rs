//! Hashes of passwords: scrypt with the parameters of `node:crypto`, so that both servers can use one database.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kit_runtime::Error;
use rand::RngCore as _;
use scrypt::Params;
use subtle::ConstantTimeEq as _;

/// Returns a salt and the hash of the password, in one string.
pub async fn hash(password: String) -> Result<String, Error> {
    let mut salt = [0; 16];
    rand::thread_rng().fill_bytes(&mut salt);
    let hash = derive(password, salt.to_vec()).await?;
    Ok(format!(
        "{}.{}",
        STANDARD.encode(salt),
        STANDARD.encode(hash)
    ))
}

/// Returns true if the password has that hash.
pub async fn verify(password: String, stored: &str) -> Result<bool, Error> {
    let (salt, hash) = stored.split_once('.').unwrap_or_default();
    let actual = derive(password, STANDARD.decode(salt)?).await?;
    Ok(actual.ct_eq(&STANDARD.decode(hash)?).into())
}

/// Derives 32 bytes. The computation takes tens of milliseconds, so it has its own thread.
async fn derive(password: String, salt: Vec<u8>) -> Result<[u8; 32], Error> {
    let task = tokio::task::spawn_blocking(move || {
        let mut hash = [0; 32];
        let parameters = Params::new(14, 8, 1, hash.len()).expect("the parameters are valid");
        scrypt::scrypt(password.as_bytes(), &salt, &parameters, &mut hash)
            .expect("32 bytes are a valid length");
        hash
    });
    Ok(task.await?)
}
