//! A validator for JSON Schema, as far as the schemas in use go (draft 7).
//!
//! Whatever it does not know, a keyword, a pattern or a format, is a failure: nothing in a
//! schema goes unchecked unnoticed.

use serde_json::{Map, Value};
use std::path::Path;
use std::sync::LazyLock;

/// Fails if this is not what `derny check --format json` is said to write.
pub fn check_report(report: &Value) {
    static SCHEMA: LazyLock<Schema> = LazyLock::new(|| Schema::read("docs/check.schema.json"));
    SCHEMA.check(report, "the report");
}

pub struct Schema(Value);

impl Schema {
    /// The schema in a file of this package.
    pub fn read(path: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        let text = std::fs::read_to_string(path).expect("the schema is there");
        Schema(serde_json::from_str(&text).expect("a schema is JSON"))
    }

    /// Fails if a value is not as the schema has it.
    pub fn check(&self, value: &Value, what: &str) {
        let errors = self.errors(value);
        let shown = errors.iter().take(5).cloned().collect::<Vec<_>>();
        assert!(errors.is_empty(), "{what}:\n{}", shown.join("\n"));
    }

    /// Where a value is not as the schema has it, and why.
    pub fn errors(&self, value: &Value) -> Vec<String> {
        let mut errors = Vec::new();
        self.visit(&self.0, value, "", &mut errors);
        errors
    }

    fn resolve(&self, reference: &str) -> &Value {
        let path = reference.strip_prefix('#').expect("in the same schema");
        self.0.pointer(path).expect("references lead somewhere")
    }

    fn is_valid(&self, schema: &Value, value: &Value) -> bool {
        let mut errors = Vec::new();
        self.visit(schema, value, "", &mut errors);
        errors.is_empty()
    }

    fn visit(&self, schema: &Value, value: &Value, place: &str, errors: &mut Vec<String>) {
        let schema = match schema {
            Value::Bool(true) => return,
            Value::Bool(false) => return errors.push(format!("{place}: must not be there")),
            schema => schema.as_object().expect("a schema is an object"),
        };
        // Beside a reference nothing else counts.
        if let Some(Value::String(reference)) = schema.get("$ref") {
            return self.visit(self.resolve(reference), value, place, errors);
        }
        for (keyword, rule) in schema {
            let before = errors.len();
            let is_right = match keyword.as_str() {
                "type" => list(rule).any(|name| is_of_type(value, name)),
                "enum" => list(rule).any(|one| one == value),
                "const" => rule == value,
                "minimum" => value.as_f64().is_none_or(|it| it >= number(rule)),
                "maximum" => value.as_f64().is_none_or(|it| it <= number(rule)),
                "minItems" => items(value).len() as f64 >= number(rule) || !value.is_array(),
                "maxItems" => items(value).len() as f64 <= number(rule),
                "uniqueItems" => rule == false || are_distinct(items(value)),
                "pattern" => value.as_str().is_none_or(|text| matches(text, rule)),
                "format" => value.as_str().is_none_or(|text| has_format(text, rule)),
                "required" => value.as_object().is_none_or(|object| {
                    list(rule).all(|key| object.contains_key(key.as_str().expect("a key")))
                }),
                "anyOf" => list(rule).any(|one| self.is_valid(one, value)),
                "oneOf" => list(rule).filter(|one| self.is_valid(one, value)).count() == 1,
                "items" => {
                    for (i, item) in items(value).iter().enumerate() {
                        // One rule for all, or one for each.
                        let rule = rule.get(i).unwrap_or(rule);
                        self.visit(rule, item, &format!("{place}/{i}"), errors);
                    }
                    true
                }
                "properties" | "additionalProperties" => {
                    self.visit_members(schema, keyword, value, place, errors);
                    true
                }
                "$schema" | "$id" | "title" | "description" | "default" | "definitions" => true,
                other => panic!("the validator does not know `{other}`"),
            };
            if !is_right && errors.len() == before {
                errors.push(format!("{place}: {keyword} {rule}: {}", shortened(value)));
            }
        }
    }

    fn visit_members(
        &self,
        schema: &Map<String, Value>,
        keyword: &str,
        value: &Value,
        place: &str,
        errors: &mut Vec<String>,
    ) {
        let known = schema.get("properties").and_then(Value::as_object);
        for (key, member) in value.as_object().into_iter().flatten() {
            let rule = known.and_then(|known| known.get(key));
            let rule = match (rule, keyword) {
                (Some(rule), "properties") => rule,
                (None, "additionalProperties") => &schema[keyword],
                _ => continue,
            };
            self.visit(rule, member, &format!("{place}/{key}"), errors);
        }
    }
}

/// One thing, or several.
fn list(rule: &Value) -> impl Iterator<Item = &Value> {
    let several = rule.as_array().map_or(&[][..], |list| list);
    let one = (!rule.is_array()).then_some(rule);
    several.iter().chain(one)
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], |list| list)
}

fn number(rule: &Value) -> f64 {
    rule.as_f64().expect("a bound is a number")
}

fn shortened(value: &Value) -> String {
    value.to_string().chars().take(200).collect()
}

fn are_distinct(items: &[Value]) -> bool {
    let texts: std::collections::HashSet<_> = items.iter().map(Value::to_string).collect();
    texts.len() == items.len()
}

fn is_of_type(value: &Value, name: &Value) -> bool {
    match name.as_str().expect("a type has a name") {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("the validator does not know the type `{other}`"),
    }
}

fn matches(text: &str, pattern: &Value) -> bool {
    match pattern.as_str().expect("a pattern is a text") {
        "^[01]+$" => !text.is_empty() && text.chars().all(|c| c == '0' || c == '1'),
        other => panic!("the validator does not know the pattern `{other}`"),
    }
}

fn has_format(text: &str, format: &Value) -> bool {
    let is_reference = || {
        let allowed = b"-._~:/?#[]@!$&'()*+,;=%";
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || allowed.contains(&byte);
        let is_escape = |rest: &str| {
            let digits = rest.as_bytes().get(..2);
            digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
        };
        text.bytes().all(is_allowed) && text.split('%').skip(1).all(is_escape)
    };
    let scheme = text.split(['/', '?', '#']).next().unwrap_or_default();
    let scheme = scheme.split_once(':').map(|(scheme, _)| scheme);
    let is_scheme = |scheme: &str| {
        let rest = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
        scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(rest)
    };
    match format.as_str().expect("a format is a text") {
        "uri" => is_reference() && scheme.is_some_and(is_scheme),
        "uri-reference" => is_reference() && scheme.is_none_or(is_scheme),
        other => panic!("the validator does not know the format `{other}`"),
    }
}
