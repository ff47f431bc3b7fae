//! SHA-256 (FIPS 180-4), which witnesses know files by. Linear.

const FIRST: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

/// The fractional parts of the cube roots of the first 64 primes.
fn constants() -> [u32; 64] {
    let mut constants = [0; 64];
    let is_prime = |n: u64| {
        (2..n)
            .take_while(|d| d * d <= n)
            .all(|d| !n.is_multiple_of(d))
    };
    let primes = (2..).filter(|n| is_prime(*n));
    for (constant, prime) in constants.iter_mut().zip(primes) {
        // The largest r with r^3 <= prime * 2^96: its last 32 bits are behind the point.
        let (mut low, mut high) = (0_u128, 1 << 36);
        while low + 1 < high {
            let middle = (low + high) / 2;
            let is_small = middle * middle <= (u128::from(prime) << 96) / middle;
            (low, high) = if is_small {
                (middle, high)
            } else {
                (low, middle)
            };
        }
        *constant = low as u32;
    }
    constants
}

/// The hash of some bytes, in hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    let constants = constants();
    let mut padded = bytes.to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend((bytes.len() as u64 * 8).to_be_bytes());
    let mut hash = FIRST;
    for block in padded.chunks_exact(64) {
        compress(&mut hash, block, &constants);
    }
    hash.iter().map(|word| format!("{word:08x}")).collect()
}

fn compress(hash: &mut [u32; 8], block: &[u8], constants: &[u32; 64]) {
    let mut words = [0_u32; 64];
    for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
        *word = bytes
            .iter()
            .fold(0, |word, byte| word << 8 | u32::from(*byte));
    }
    for i in 16..64 {
        let (a, b) = (words[i - 15], words[i - 2]);
        let first = a.rotate_right(7) ^ a.rotate_right(18) ^ (a >> 3);
        let second = b.rotate_right(17) ^ b.rotate_right(19) ^ (b >> 10);
        words[i] = words[i - 16]
            .wrapping_add(first)
            .wrapping_add(words[i - 7])
            .wrapping_add(second);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *hash;
    for (word, constant) in words.iter().zip(constants) {
        let sum = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = (e & f) ^ (!e & g);
        let first = h
            .wrapping_add(sum)
            .wrapping_add(choice)
            .wrapping_add(*constant)
            .wrapping_add(*word);
        let sum = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        let second = sum.wrapping_add(majority);
        (h, g, f, e) = (g, f, e, d.wrapping_add(first));
        (d, c, b, a) = (c, b, a, first.wrapping_add(second));
    }
    for (word, new) in hash.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = word.wrapping_add(new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the standard.
    #[test]
    fn known_hashes() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(sha256(b""), empty);
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(b"abc"), abc);
        let long = "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1";
        let text = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        assert_eq!(sha256(text), long);
    }
}
