//! RSA keys whose signatures can be forged.

/// Primes of the test for ROCA: those below 168, by whose product the weak generator builds its primes.
const PRIMES: [u32; 38] = [
    3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103,
    107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167,
];

/// Returns the reason for which signatures of an RSA key can be forged. Returns `None` for a safe key.
pub(super) fn weakness_of_rsa(modulus: Option<Vec<u8>>, exponent: Option<Vec<u8>>) -> Option<&'static str> {
    let (Some(n), Some(e)) = (modulus, exponent) else {
        return Some("its `n` and `e` must be numbers in base64url");
    };
    if n.is_empty() || e.is_empty() {
        return Some("its `n` and `e` must be numbers in base64url");
    }
    // With the exponent 1, a signature is its own message.
    let is_small = e.iter().rev().skip(1).all(|byte| *byte == 0) && e.last().is_some_and(|last| *last < 3);
    if is_small || e.last().is_some_and(|last| last % 2 == 0) {
        return Some("its public exponent must be an odd number of at least 3");
    }
    is_roca(&n)
        .then_some("its private key can be computed (CVE-2017-15361, ROCA); replace the key at the issuer")
}

/// Returns true if a modulus is of the generator with the vulnerability ROCA: the modulus is a power of 65537 modulo each of
/// the primes. Of other moduli, about one in 2^27 is so too.
fn is_roca(modulus: &[u8]) -> bool {
    PRIMES.iter().all(|prime| {
        let rest = modulus
            .iter()
            .fold(0, |rest, byte| (rest * 256 + u32::from(*byte)) % prime);
        let mut power = 1;
        loop {
            if power == rest {
                return true;
            }
            power = power * 65_537 % prime;
            if power == 1 {
                return false;
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::weakness_of_rsa;

    #[test]
    fn refuses_exponents_below_three_and_even_ones() {
        let reason = |e: &[u8]| weakness_of_rsa(Some(vec![0xab; 256]), Some(e.to_vec()));
        for weak in [&[1][..], &[0, 1], &[2], &[0], &[1, 0, 0]] {
            assert!(
                reason(weak).is_some_and(|reason| reason.contains("exponent")),
                "{weak:?}"
            );
        }
        for safe in [&[3][..], &[1, 0, 1], &[0, 1, 0, 1]] {
            assert_eq!(reason(safe), None, "{safe:?}");
        }
        assert!(weakness_of_rsa(None, Some(vec![3])).is_some());
    }

    #[test]
    fn recognizes_a_modulus_of_the_weak_generator() {
        // A power of 65537 is one modulo each of the primes.
        let power = 65_537_u128.pow(7).to_be_bytes();
        assert!(
            weakness_of_rsa(Some(power.to_vec()), Some(vec![3])).is_some_and(|text| text.contains("ROCA"))
        );
        let other = (65_537_u128.pow(7) + 2).to_be_bytes();
        assert_eq!(weakness_of_rsa(Some(other.to_vec()), Some(vec![3])), None);
    }
}
