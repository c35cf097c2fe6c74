//! A picture and a sound, as small as they get.

/// A red pixel, as PNG: signature, header, data, end.
pub(crate) const PIXEL: &[u8] = b"\
    \x89PNG\r\n\x1a\n\
    \0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde\
    \0\0\0\x0cIDATx\xdac\xf8\xcf\xc0\0\0\x03\x01\x01\0\xf7\x03AC\
    \0\0\0\0IEND\xaeB`\x82";

/// One sample of silence, as WAV: file, format, data.
pub(crate) const SILENCE: &[u8] = b"\
    RIFF&\0\0\0WAVE\
    fmt \x10\0\0\0\x01\0\x01\0@\x1f\0\0\x80>\0\0\x02\0\x10\0\
    data\x02\0\0\0\0\0";
