//! The values of numbers, characters and strings, from their spellings.

use super::token::{Constant, Encoding, Floating, FloatingSize, Integer, Text};

/// A value, and what is doubtful about it.
#[derive(Debug)]
pub struct Read {
    pub constant: Constant,
    pub warning: Option<&'static str>,
}

impl From<Constant> for Read {
    fn from(constant: Constant) -> Self {
        Read {
            constant,
            warning: None,
        }
    }
}

/// The value of a number, or what is wrong with it.
pub fn number(spelling: &[u8]) -> Result<Read, String> {
    let text = String::from_utf8_lossy(spelling).to_ascii_lowercase();
    let (radix, digits) = match text.as_bytes() {
        [b'0', b'x', ..] => (16, &text[2..]),
        [b'0', b'b', b'0' | b'1', ..] => (2, &text[2..]),
        [b'0', b'0'..=b'9', ..] => (8, &text[1..]),
        _ => (10, &text[..]),
    };
    let is_floating = match radix {
        16 => digits.contains(['.', 'p']),
        2 => false,
        _ => digits.contains('.') || exponent(digits).is_some(),
    };
    match is_floating {
        true if radix == 16 => hexadecimal_floating(digits),
        true => decimal_floating(&text),
        false => integer(spelling, digits, radix),
    }
}

/// Where the exponent of a decimal number begins: an `e` directly behind digits.
fn exponent(text: &str) -> Option<usize> {
    let at = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    text[at..].starts_with('e').then_some(at)
}

fn integer(spelling: &[u8], text: &str, radix: u32) -> Result<Read, String> {
    let is_digit = |c: char| match radix {
        16 => c.is_ascii_hexdigit(),
        _ => c.is_ascii_digit(),
    };
    let end = text.find(|c| !is_digit(c)).unwrap_or(text.len());
    let (digits, suffix) = text.split_at(end);
    if digits.is_empty() {
        return Err("the number has no digits".into());
    }
    let mut value: u64 = 0;
    let mut is_too_large = false;
    for digit in digits.chars() {
        let Some(digit) = digit.to_digit(radix) else {
            let name = if radix == 8 { "octal" } else { "binary" };
            return Err(format!("`{digit}` is no {name} digit"));
        };
        is_too_large |= value > (u64::MAX - u64::from(digit)) / u64::from(radix);
        value = value
            .wrapping_mul(u64::from(radix))
            .wrapping_add(u64::from(digit));
    }
    let mut integer = Integer {
        value,
        is_decimal: radix == 10,
        is_unsigned: false,
        longs: 0,
        is_imaginary: false,
    };
    let mut rest = suffix;
    // The two letters of `ll` are both small or both capital.
    let written = String::from_utf8_lossy(spelling);
    let is_mixed = written.contains("lL") || written.contains("Ll");
    while let Some(letter) = rest.chars().next() {
        let mut length = 1;
        let is_known = match letter {
            'u' => !std::mem::replace(&mut integer.is_unsigned, true),
            'l' if integer.longs == 0 => {
                length = 1 + usize::from(rest.starts_with("ll"));
                integer.longs = length as u8;
                !is_mixed
            }
            'i' | 'j' => !std::mem::replace(&mut integer.is_imaginary, true),
            _ => false,
        };
        if !is_known {
            return Err(no_suffix(suffix, "an integer"));
        }
        rest = &rest[length..];
    }
    Ok(Read {
        constant: Constant::Integer(integer),
        warning: is_too_large.then_some("the number is too large for any type"),
    })
}

fn no_suffix(suffix: &str, of: &str) -> String {
    format!("`{suffix}` is no suffix of {of} constant")
}

fn floating(value: f64, suffix: &str) -> Result<Read, String> {
    let (real, is_imaginary) = match suffix.strip_suffix(['i', 'j']) {
        Some(real) => (real, true),
        None => match suffix.strip_prefix(['i', 'j']) {
            Some(real) => (real, true),
            None => (suffix, false),
        },
    };
    let size = match real {
        "" | "f64" | "f32x" | "d" => FloatingSize::Double,
        "f" | "f32" => FloatingSize::Float,
        "l" | "f64x" | "w" => FloatingSize::LongDouble,
        "q" | "f128" => FloatingSize::Float128,
        _ => return Err(no_suffix(suffix, "a floating")),
    };
    let floating = Floating {
        value,
        size,
        is_imaginary,
    };
    Ok(Constant::Floating(floating).into())
}

/// Divides digits from the exponent and the suffix. The exponent is missing or has digits.
fn parts(text: &str, letter: char, is_digit: fn(char) -> bool) -> Result<[&str; 3], String> {
    let end = text.find(|c| !is_digit(c) && c != '.');
    let (mantissa, rest) = text.split_at(end.unwrap_or(text.len()));
    if mantissa.matches('.').count() > 1 {
        return Err("the number has two decimal points".into());
    }
    let Some(exponent) = rest.strip_prefix(letter) else {
        return Ok([mantissa, "", rest]);
    };
    let sign = usize::from(exponent.starts_with(['+', '-']));
    let digits = exponent[sign..].find(|c: char| !c.is_ascii_digit());
    let length = sign + digits.unwrap_or(exponent.len() - sign);
    if length == sign {
        return Err("the exponent has no digits".into());
    }
    let (exponent, suffix) = exponent.split_at(length);
    Ok([mantissa, exponent, suffix])
}

fn decimal_floating(text: &str) -> Result<Read, String> {
    let [mantissa, exponent, suffix] = parts(text, 'e', |c| c.is_ascii_digit())?;
    let number = match exponent {
        "" => mantissa.to_owned(),
        _ => format!("{mantissa}e{exponent}"),
    };
    let value = number.parse();
    floating(value.map_err(|_| "this is no number")?, suffix)
}

fn hexadecimal_floating(text: &str) -> Result<Read, String> {
    let [mantissa, exponent, suffix] = parts(text, 'p', |c| c.is_ascii_hexdigit())?;
    if exponent.is_empty() {
        return Err("a hexadecimal floating constant needs an exponent".into());
    }
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return Err("the number has no digits".into());
    }
    let digits = whole.chars().chain(fraction.chars());
    let digits = digits.filter_map(|c| c.to_digit(16));
    let value = digits.fold(0.0, |value, digit| value * 16.0 + f64::from(digit));
    // An exponent of more digits makes 0 or infinity, as this one does.
    let exponent: i64 = exponent.parse().unwrap_or(match exponent.starts_with('-') {
        true => i64::from(i32::MIN),
        false => i64::from(i32::MAX),
    });
    let scale = exponent.saturating_sub(4 * fraction.len() as i64);
    let scale = scale.clamp(-5000, 5000) as i32;
    // In two steps: 2 to the exponent may be out of range where the value is not.
    let half = scale / 2;
    floating(value * 2f64.powi(half) * 2f64.powi(scale - half), suffix)
}

/// The prefix of a literal, and what stands between its quotes.
pub fn unquoted(spelling: &[u8]) -> (Encoding, &[u8]) {
    let quote = spelling
        .iter()
        .position(|byte| matches!(byte, b'"' | b'\''));
    let quote = quote.unwrap_or_default();
    let encoding = match &spelling[..quote] {
        b"L" => Encoding::Wide,
        b"u" => Encoding::Utf16,
        b"U" => Encoding::Utf32,
        _ => Encoding::Plain,
    };
    let end = spelling.len().saturating_sub(1).max(quote + 1);
    (encoding, spelling.get(quote + 1..end).unwrap_or_default())
}

/// The value of a character constant, or what is wrong with it.
pub fn character(spelling: &[u8]) -> Result<Read, String> {
    let (encoding, text) = unquoted(spelling);
    let mut units = Vec::new();
    let mut warning = decode(text, encoding, &mut units)?;
    let Some(last) = units.last() else {
        return Err("a character constant needs a character".into());
    };
    if units.len() > 1 {
        warning = Some("the constant has more than one character");
    }
    let value = match encoding {
        Encoding::Plain if units.len() == 1 => i64::from(*last as u8 as i8),
        Encoding::Plain => {
            let number = units.iter().fold(0u32, |number, unit| number << 8 | unit);
            i64::from(number as i32)
        }
        Encoding::Wide => i64::from(*last as i32),
        Encoding::Utf16 | Encoding::Utf32 => i64::from(*last),
    };
    Ok(Read {
        constant: Constant::Character(encoding, value),
        warning,
    })
}

/// The value of adjacent string literals, or which one is wrong and why.
pub fn text(spellings: &[&[u8]]) -> Result<Read, (usize, String)> {
    let mut encoding = Encoding::Plain;
    for (at, spelling) in spellings.iter().enumerate() {
        let (own, _) = unquoted(spelling);
        if own != Encoding::Plain && encoding != Encoding::Plain && own != encoding {
            let message = "strings with different prefixes cannot be put together";
            return Err((at, message.into()));
        }
        if encoding == Encoding::Plain {
            encoding = own;
        }
    }
    let mut units = Vec::new();
    let mut warning = None;
    for (at, spelling) in spellings.iter().enumerate() {
        let (_, text) = unquoted(spelling);
        let doubtful = decode(text, encoding, &mut units).map_err(|wrong| (at, wrong))?;
        warning = warning.or(doubtful);
    }
    Ok(Read {
        constant: Constant::Text(Text { encoding, units }),
        warning,
    })
}

/// Appends the elements that a text stands for. Returns what is doubtful.
fn decode(
    text: &[u8],
    encoding: Encoding,
    units: &mut Vec<u32>,
) -> Result<Option<&'static str>, String> {
    let mut warning = None;
    let mut rest = text;
    while let Some(at) = rest.iter().position(|byte| *byte == b'\\') {
        plain(&rest[..at], encoding, units);
        let escape = &rest[at + 1..];
        let (letter, behind) = escape.split_first().unwrap_or((&b'\\', b""));
        rest = behind;
        let simple = match letter {
            b'a' => 7,
            b'b' => 8,
            b't' => 9,
            b'n' => 10,
            b'v' => 11,
            b'f' => 12,
            b'r' => 13,
            // GNU's escape character.
            b'e' | b'E' => 27,
            b'0'..=b'7' => {
                let length = digits(escape, 8).min(3);
                rest = &escape[length..];
                let (value, _) = parse(&escape[..length], 8);
                warning = warning.or(too_large(value, encoding));
                value
            }
            b'x' => {
                let length = digits(rest, 16);
                if length == 0 {
                    return Err("`\\x` without hexadecimal digits".into());
                }
                let (value, overflows) = parse(&rest[..length], 16);
                let large = overflows.then_some(LARGE);
                warning = warning.or(large).or(too_large(value, encoding));
                rest = &rest[length..];
                value
            }
            b'u' | b'U' => {
                let length = if *letter == b'u' { 4 } else { 8 };
                if digits(rest, 16) < length {
                    return Err("a universal character name has too few digits".into());
                }
                let (value, _) = parse(&rest[..length], 16);
                // Characters of the basic set have no such names.
                let is_basic = value < 0xa0 && !matches!(value, 0x24 | 0x40 | 0x60);
                let Some(character) = char::from_u32(value).filter(|_| !is_basic) else {
                    return Err("this is no universal character".into());
                };
                rest = &rest[length..];
                let mut bytes = [0; 4];
                let bytes = character.encode_utf8(&mut bytes).as_bytes();
                plain(bytes, encoding, units);
                continue;
            }
            other => {
                if !matches!(other, b'\\' | b'\'' | b'"' | b'?') {
                    warning = warning.or(Some("an unknown escape stands for its letter"));
                }
                u32::from(*other)
            }
        };
        units.push(match encoding {
            Encoding::Plain => simple & 0xff,
            Encoding::Utf16 => simple & 0xffff,
            Encoding::Wide | Encoding::Utf32 => simple,
        });
    }
    plain(rest, encoding, units);
    Ok(warning)
}

const LARGE: &str = "the number of an escape is too large for its character";

fn too_large(value: u32, encoding: Encoding) -> Option<&'static str> {
    let most = match encoding {
        Encoding::Plain => 0xff,
        Encoding::Utf16 => 0xffff,
        Encoding::Wide | Encoding::Utf32 => u32::MAX,
    };
    (value > most).then_some(LARGE)
}

fn digits(text: &[u8], radix: u32) -> usize {
    let is_digit = |byte: &&u8| char::from(**byte).is_digit(radix);
    text.iter().take_while(is_digit).count()
}

/// The value of digits, and whether it is out of range.
fn parse(text: &[u8], radix: u32) -> (u32, bool) {
    let digits = text
        .iter()
        .filter_map(|byte| char::from(*byte).to_digit(radix));
    digits.fold((0u32, false), |(value, overflows), digit| {
        let overflows = overflows || value > u32::MAX / radix;
        (value.wrapping_mul(radix) | digit, overflows)
    })
}

/// Appends text without escapes.
fn plain(text: &[u8], encoding: Encoding, units: &mut Vec<u32>) {
    if encoding == Encoding::Plain {
        units.extend(text.iter().copied().map(u32::from));
        return;
    }
    let text = String::from_utf8_lossy(text);
    match encoding {
        Encoding::Utf16 => units.extend(text.encode_utf16().map(u32::from)),
        _ => units.extend(text.chars().map(u32::from)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integer_of(text: &str) -> (u64, bool, u8) {
        match number(text.as_bytes()).map(|read| read.constant) {
            Ok(Constant::Integer(one)) => (one.value, one.is_unsigned, one.longs),
            other => unreachable!("{text}: {other:?}"),
        }
    }

    fn floating_of(text: &str) -> f64 {
        match number(text.as_bytes()).map(|read| read.constant) {
            Ok(Constant::Floating(one)) => one.value,
            other => unreachable!("{text}: {other:?}"),
        }
    }

    #[test]
    fn integers() {
        assert_eq!(integer_of("0"), (0, false, 0));
        assert_eq!(integer_of("017"), (15, false, 0));
        assert_eq!(integer_of("0xFFul"), (255, true, 1));
        assert_eq!(integer_of("0b101LLU"), (5, true, 2));
        assert_eq!(integer_of("18446744073709551615u"), (u64::MAX, true, 0));
        assert_eq!(integer_of("0x1e5"), (0x1e5, false, 0));
        let read = number(b"18446744073709551616").unwrap();
        assert!(read.warning.is_some());
        for wrong in [
            "08", "0b12", "1lul", "1lL", "12abc", "0x", "0xg", "1uu", "0b2",
        ] {
            assert!(number(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn floating_numbers() {
        assert_eq!(floating_of("1.5"), 1.5);
        assert_eq!(floating_of("1."), 1.0);
        assert_eq!(floating_of(".5e1f"), 5.0);
        assert_eq!(floating_of("1e3L"), 1000.0);
        assert_eq!(floating_of("09.5"), 9.5);
        assert_eq!(floating_of("0x1.8p1"), 3.0);
        assert_eq!(floating_of("0x.8p-1"), 0.25);
        assert_eq!(floating_of("0x1p-1074"), f64::from_bits(1));
        assert_eq!(floating_of("0x1p99999999999999999999"), f64::INFINITY);
        for wrong in ["1e", "1.2.3", "0x1.8", "0x.p1", "1.5z", "1e+f"] {
            assert!(number(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn characters() {
        let value = |text: &str| match character(text.as_bytes()).map(|read| read.constant) {
            Ok(Constant::Character(_, value)) => value,
            other => unreachable!("{text}: {other:?}"),
        };
        assert_eq!(value("'a'"), 97);
        assert_eq!(value(r"'\n'"), 10);
        assert_eq!(value(r"'\''"), 39);
        assert_eq!(value(r"'\0'"), 0);
        assert_eq!(value(r"'\377'"), -1);
        assert_eq!(value(r"'\xff'"), -1);
        assert_eq!(value(r"L'\xff'"), 255);
        assert_eq!(value("L'é'"), 0xe9);
        assert_eq!(value("'ab'"), 0x6162);
        assert_eq!(value(r"L'\u20ac'"), 0x20ac);
        assert!(character(b"''").is_err());
        assert!(character(br"'\x'").is_err());
        assert!(character(br"'\u12'").is_err());
    }

    #[test]
    fn strings() {
        let units = |spellings: &[&[u8]]| match text(spellings).map(|read| read.constant) {
            Ok(Constant::Text(text)) => text.units,
            other => unreachable!("{other:?}"),
        };
        assert_eq!(
            units(&[b"\"ab\"", br#""\x41" "#.trim_ascii()]),
            [97, 98, 0x41]
        );
        assert_eq!(units(&[br#""\1234""#]), [0o123, u32::from(b'4')]);
        assert_eq!(units(&[b"\"a\"", b"L\"b\""]), [97, 98]);
        assert_eq!(units(&["\"é\"".as_bytes()]), [0xc3, 0xa9]);
        assert_eq!(units(&["L\"é\"".as_bytes()]), [0xe9]);
        assert_eq!(units(&["u\"😀\"".as_bytes()]), [0xd83d, 0xde00]);
        assert!(units(&[b"\"\""]).is_empty());
        assert!(text(&[b"L\"a\"", b"u\"b\""]).is_err());
    }
}
