//! Standard streams in other encodings than UTF-8, for programs that use the system's encoding.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

use crate::config::Encoding;

/// The characters of windows-1252 from 0x80 to 0x9F; the five undefined ones are as in Latin-1.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// Encodes JSON. Characters outside of ASCII are escaped, so that every encoding can represent them.
pub(crate) fn encode(text: &[u8], encoding: Encoding) -> Vec<u8> {
    let mut ascii = Vec::with_capacity(text.len());
    for character in String::from_utf8_lossy(text).chars() {
        if character.is_ascii() {
            ascii.push(u8::try_from(character).unwrap_or(b'?'));
        } else {
            // Outside of strings, JSON is ASCII.
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                ascii.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
            }
        }
    }
    match encoding {
        Encoding::Utf16Le => ascii.into_iter().flat_map(|byte| [byte, 0]).collect(),
        Encoding::Utf16Be => ascii.into_iter().flat_map(|byte| [0, byte]).collect(),
        _ => ascii,
    }
}

/// Converts a stream in another encoding to UTF-8.
pub(crate) struct Decoder<R> {
    inner: R,
    encoding: Encoding,
    text: Vec<u8>,
    at: usize,
    /// An incomplete unit or surrogate pair of UTF-16.
    byte: Option<u8>,
    unit: Option<u16>,
    /// The number of bytes read.
    offset: u64,
}

impl<R> Decoder<R> {
    pub(crate) fn new(inner: R, encoding: Encoding) -> Self {
        Self { inner, encoding, text: Vec::new(), at: 0, byte: None, unit: None, offset: 0 }
    }

    fn push_byte(&mut self, byte: u8) -> io::Result<()> {
        let character = match self.encoding {
            Encoding::Latin9 => match byte {
                0xA4 => '€',
                0xA6 => 'Š',
                0xA8 => 'š',
                0xB4 => 'Ž',
                0xB8 => 'ž',
                0xBC => 'Œ',
                0xBD => 'œ',
                0xBE => 'Ÿ',
                byte => char::from(byte),
            },
            Encoding::Windows1252 if matches!(byte, 0x80..=0x9F) => WINDOWS_1252[usize::from(byte - 0x80)],
            Encoding::Ascii if !byte.is_ascii() => return Err(self.invalid()),
            Encoding::Utf16Le | Encoding::Utf16Be => {
                let Some(first) = self.byte.take() else {
                    self.byte = Some(byte);
                    return Ok(());
                };
                let pair = [first, byte];
                let is_little = self.encoding == Encoding::Utf16Le;
                let unit = if is_little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) };
                return self.push_unit(unit);
            }
            _ => char::from(byte),
        };
        self.push(character);
        Ok(())
    }

    fn push_unit(&mut self, unit: u16) -> io::Result<()> {
        let units = match self.unit.take() {
            Some(first) => vec![first, unit],
            None if matches!(unit, 0xD800..=0xDBFF) => {
                self.unit = Some(unit);
                return Ok(());
            }
            None => vec![unit],
        };
        let text = String::from_utf16(&units).map_err(|_| self.invalid())?;
        text.chars().for_each(|character| self.push(character));
        Ok(())
    }

    fn push(&mut self, character: char) {
        self.text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    }

    fn invalid(&self) -> io::Error {
        let problem = format!("byte {} is not {}", self.offset, self.encoding.name());
        io::Error::new(io::ErrorKind::InvalidData, problem)
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Decoder<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        out: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        loop {
            if this.at < this.text.len() {
                let rest = &this.text[this.at..];
                let taken = rest.len().min(out.remaining());
                out.put_slice(&rest[..taken]);
                this.at += taken;
                return Poll::Ready(Ok(()));
            }
            this.text.clear();
            this.at = 0;
            let mut raw = [0; 4096];
            let mut space = ReadBuf::new(&mut raw);
            ready!(Pin::new(&mut this.inner).poll_read(cx, &mut space))?;
            let read = space.filled();
            if read.is_empty() {
                return Poll::Ready(Ok(()));
            }
            for &byte in read {
                this.push_byte(byte)?;
                this.offset += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;

    async fn decode(bytes: &[u8], encoding: Encoding) -> io::Result<String> {
        let mut text = String::new();
        Decoder::new(bytes, encoding).read_to_string(&mut text).await?;
        Ok(text)
    }

    #[tokio::test]
    async fn every_encoding_is_read() {
        for (bytes, encoding, expected) in [
            (&b"gr\xFC\xDF \x80"[..], Encoding::Latin1, "grüß \u{80}"),
            (b"\xA4", Encoding::Latin9, "€"),
            (b"\x80\x93\xFC", Encoding::Windows1252, "€“ü"),
            (b"a\0\xE4\0\x3D\xD8\x00\xDE", Encoding::Utf16Le, "aä😀"),
            (b"\0a\0\n", Encoding::Utf16Be, "a\n"),
            (b"abc", Encoding::Ascii, "abc"),
        ] {
            assert_eq!(decode(bytes, encoding).await.unwrap(), expected);
        }
        let problem = decode(b"ab\xFC", Encoding::Ascii).await.unwrap_err();
        assert_eq!(problem.to_string(), "byte 2 is not ascii");
        assert!(decode(b"\x00\xDE\x00\x00", Encoding::Utf16Le).await.is_err());
    }

    #[test]
    fn messages_are_json_in_every_encoding() {
        let json = r#"{"a":"ß😀"}"#.as_bytes();
        let escaped = br#"{"a":"\u00df\ud83d\ude00"}"#;
        assert_eq!(encode(json, Encoding::Latin1), escaped);
        let wide: Vec<u8> = escaped.iter().flat_map(|byte| [*byte, 0]).collect();
        assert_eq!(encode(json, Encoding::Utf16Le), wide);
    }
}
