//! Determines the media type of a file by its extension.

/// Returns the media type of the file `name` with the contents `bytes`.
pub(super) fn media_type(name: &str, bytes: &[u8]) -> &'static str {
    let known =
        name.rsplit_once('.').and_then(|(_, extension)| by_extension(&extension.to_ascii_lowercase()));
    match known {
        Some(known) => known,
        None if std::str::from_utf8(bytes).is_ok() => "text/plain",
        None => "application/octet-stream",
    }
}

/// The types of common files in skills (IANA media types); scripts have no registered type and are plain
/// text.
fn by_extension(extension: &str) -> Option<&'static str> {
    Some(match extension {
        "md" | "markdown" => "text/markdown",
        "html" | "htm" => "text/html",
        "css" => "text/css",
        "csv" => "text/csv",
        "js" | "mjs" | "cjs" => "text/javascript",
        "xml" => "application/xml",
        "json" => "application/json",
        "yaml" | "yml" => "application/yaml",
        "toml" => "application/toml",
        "sql" => "application/sql",
        "pdf" => "application/pdf",
        "zip" => "application/zip",
        "gz" => "application/gzip",
        "wasm" => "application/wasm",
        "docx" => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xlsx" => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "pptx" => "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "wav" => "audio/wav",
        "mp3" => "audio/mpeg",
        "mp4" => "video/mp4",
        "ttf" => "font/ttf",
        "otf" => "font/otf",
        "woff2" => "font/woff2",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::media_type;

    #[test]
    fn the_extension_precedes_the_contents() {
        for (name, bytes, expected) in [
            ("SKILL.md", &b"x"[..], "text/markdown"),
            ("a.PNG", b"x", "image/png"),
            ("run.py", b"print()", "text/plain"),
            ("run.py", b"\xff", "application/octet-stream"),
            ("LICENSE", b"MIT", "text/plain"),
            ("md", b"x", "text/plain"),
            ("a.tar.gz", b"\xff", "application/gzip"),
        ] {
            assert_eq!(media_type(name, bytes), expected, "{name}");
        }
    }
}
