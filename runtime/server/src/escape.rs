//! Writes JSON strings block by block.

/// The number of bytes that are checked together: what processors handle in one or two steps.
const BLOCK: usize = 32;

/// Appends `text` as a JSON string, exactly as `serde_json` writes it.
pub(crate) fn string(out: &mut Vec<u8>, text: &str) {
    let mut rest = text.as_bytes();
    out.reserve(rest.len() + 2);
    out.push(b'"');
    loop {
        let (plain, from_special) = rest.split_at(plain_length(rest));
        out.extend_from_slice(plain);
        let Some((special, after)) = from_special.split_first() else { break };
        escape(out, *special);
        rest = after;
    }
    out.push(b'"');
}

/// The number of leading bytes that need no escape (RFC 8259 §7).
fn plain_length(bytes: &[u8]) -> usize {
    let blocks = bytes.chunks_exact(BLOCK).take_while(|block| {
        // Without early exits in a block, the compiler vectorizes the check.
        !block.iter().fold(false, |found, byte| found | is_special(*byte))
    });
    let plain = blocks.count() * BLOCK;
    plain + bytes[plain..].iter().take_while(|byte| !is_special(**byte)).count()
}

#[expect(clippy::needless_bitwise_bool, reason = "a branch per byte would prevent vectorization")]
fn is_special(byte: u8) -> bool {
    (byte < 0x20) | (byte == b'"') | (byte == b'\\')
}

fn escape(out: &mut Vec<u8>, byte: u8) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let short = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        b'\t' => b't',
        b'\n' => b'n',
        0x0c => b'f',
        b'\r' => b'r',
        _ => {
            let digits = [HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]];
            out.extend_from_slice(br"\u00");
            out.extend_from_slice(&digits);
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, string};

    #[test]
    fn escaping_writes_what_serde_json_writes() {
        let all: String = (0..=0x2ff).filter_map(char::from_u32).collect();
        for start in 0..all.chars().count() {
            let text: String = all.chars().skip(start).collect();
            assert_written(&text);
        }
        for length in 0..3 * BLOCK {
            for special in ['"', '\\', '\n', '\u{1f}', '\u{2028}'] {
                for place in 0..=length {
                    let mut text = "x".repeat(length);
                    text.insert(place, special);
                    assert_written(&text);
                }
            }
        }
    }

    fn assert_written(text: &str) {
        let mut out = Vec::new();
        string(&mut out, text);
        assert_eq!(out, serde_json::to_vec(text).expect("a string"), "{text:?}");
    }
}
