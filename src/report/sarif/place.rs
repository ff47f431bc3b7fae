//! Where things are in files, and texts that are shown, as SARIF writes both.

use super::log::{ArtifactLocation, Location, LogicalLocation, Message, PhysicalLocation, Region};
use crate::report::harmless::one_line;
use crate::source::Position;
use std::fmt::Write;
use std::path::{MAIN_SEPARATOR, Path};

/// The first line of a file, for what has no place in it.
pub const BEGINNING: Region = Region {
    start_line: 1,
    start_column: None,
    end_line: None,
    end_column: None,
};

/// From the first to the last character.
pub fn region([first, last]: [Position; 2]) -> Region {
    Region {
        start_line: first.line,
        start_column: Some(first.column),
        end_line: Some(last.line),
        end_column: Some(last.column.saturating_add(1)),
    }
}

pub fn location(artifact: ArtifactLocation, region: Region) -> Location {
    Location {
        physical_location: PhysicalLocation {
            artifact_location: artifact,
            region,
        },
        logical_locations: Vec::new(),
        message: None,
    }
}

/// The file that was given, or another one that it includes.
pub fn artifact_of(given: &ArtifactLocation, file: Option<&str>) -> ArtifactLocation {
    match file.map(uri).filter(|file| *file != given.uri) {
        Some(uri) => ArtifactLocation { uri, index: None },
        None => given.clone(),
    }
}

pub fn procedure(name: &str) -> Vec<LogicalLocation> {
    match name {
        "" => Vec::new(),
        name => vec![LogicalLocation {
            name: name.to_owned(),
            kind: "function",
        }],
    }
}

/// A file as it was given, as a URI.
pub fn uri(file: &str) -> String {
    let is_absolute = Path::new(file).is_absolute();
    let mut uri = String::from(if is_absolute { "file://" } else { "" });
    let file = match MAIN_SEPARATOR {
        '/' => file.to_owned(),
        separator => file.replace(separator, "/"),
    };
    if is_absolute && !file.starts_with('/') {
        uri.push('/');
    }
    for byte in file.bytes() {
        // A colon in the first part of a relative path would end a scheme.
        let is_plain = byte.is_ascii_alphanumeric() || b"-._~/!$&'()*+,;=@".contains(&byte);
        match is_plain {
            true => uri.push(byte.into()),
            // A string takes everything.
            false => write!(uri, "%{byte:02X}").unwrap_or_default(),
        }
    }
    uri
}

/// A text that is shown: on one line, in which viewers find neither placeholders (`{0}`) nor
/// links (`[text](target)`). Of a formula such as `[](a -> b)` the meaning stays the same.
pub fn message(text: &str) -> Message {
    let text = one_line(text).replace('{', "{{").replace('}', "}}");
    Message {
        text: text.replace("](", "] ("),
    }
}

/// A hash of some texts that is the same in all versions and on all machines: FNV-1a, with an
/// end mark after each text.
pub fn fingerprint(texts: &[&str]) -> String {
    let ended = texts.iter().flat_map(|text| text.bytes().chain([0xFF]));
    let hash = ended.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_become_uris() {
        assert_eq!(uri("examples/lock.bp"), "examples/lock.bp");
        assert_eq!(uri("../a b:ü#?%.bp"), "../a%20b%3A%C3%BC%23%3F%25.bp");
        assert_eq!(uri("-"), "-");
        if MAIN_SEPARATOR == '/' {
            assert_eq!(uri("/tmp/x.bp"), "file:///tmp/x.bp");
        }
    }

    #[test]
    fn messages_have_no_placeholders_and_no_links() {
        let text = message("[](a -> {x == 0})\n \u{202e}{0}").text;
        assert_eq!(text, "[] (a -> {{x == 0}}) \u{fffd}{{0}}");
    }

    #[test]
    fn fingerprints_tell_where_one_text_ends() {
        assert_eq!(fingerprint(&["ab", "c"]), fingerprint(&["ab", "c"]));
        assert_ne!(fingerprint(&["ab", "c"]), fingerprint(&["a", "bc"]));
    }
}
