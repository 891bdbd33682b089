//! What a body is, before MCP sees it: a chunk, a JSON-RPC message, or something that deserves an error answer.
//!
//! Anything readable is answered: a peer that sends rubbish learns what was wrong with it, with the id where one can be found.

use std::{cell::Cell, fmt};

use serde::{
    Deserializer,
    de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Value, json};

use crate::{
    limits::{ECHO_BYTES, MESSAGE_VALUES},
    native::chunk::ChunkFrame,
    text::excerpt,
};

/// JSON-RPC's codes.
pub const PARSE_ERROR: i64 = -32700;
/// Not a request, response or notification.
pub const INVALID_REQUEST: i64 = -32600;
/// A method that there is not.
pub const METHOD_NOT_FOUND: i64 = -32601;
/// A method that is known, with what it does not take.
pub const INVALID_PARAMS: i64 = -32602;
/// Not done, with a name, a reason and what would work.
pub const REFUSED: i64 = -32052;

/// A body, understood as far as this floor does.
#[derive(Debug, PartialEq)]
pub enum Envelope {
    /// A piece of a longer message.
    Chunk(ChunkFrame),
    /// An object that claims to be JSON-RPC 2.0, and how many values it has, keys counted.
    Message(Value, usize),
    /// Answer this.
    Broken(Value),
    /// No usable chunk, and still one of this group, if it says so: answer this, and forget the group.
    BrokenChunk { answer: Value, group: Option<String> },
}

/// Looks at a body.
pub fn open(body: &[u8]) -> Envelope {
    let count = Cell::new(0);
    let value = match read(body, &count) {
        Ok(value) => value,
        Err(_) if count.get() > MESSAGE_VALUES => {
            let message = format!(
                "the message has more than {MESSAGE_VALUES} values (keys count as well); send several with fewer each"
            );
            return Envelope::Broken(error_answer(find_id(body), INVALID_REQUEST, &message));
        }
        // Well-formed, and still no message: which of two values counts, whoever shows it and whoever runs it might read otherwise.
        Err(error) if error.is_data() => {
            return Envelope::Broken(error_answer(
                find_id(body),
                INVALID_REQUEST,
                &format!("the message is ambiguous: {error}"),
            ));
        }
        Err(error) => {
            let id = find_id(body);
            return Envelope::Broken(error_answer(
                id,
                PARSE_ERROR,
                &format!("the message is not usable JSON: {error}"),
            ));
        }
    };
    let Some(object) = value.as_object() else {
        let what = if value.is_array() { "a batch" } else { "no object" };
        let message = format!("the message is {what}; one JSON-RPC 2.0 object a message is expected");
        return Envelope::Broken(error_answer(Value::Null, INVALID_REQUEST, &message));
    };
    if object.contains_key("chunk") {
        let group = value["chunk"]["id"].as_str().map(str::to_owned);
        return match serde_json::from_value(value) {
            Ok(frame) => Envelope::Chunk(frame),
            Err(error) => {
                let ends = if group.is_some() { "; its group is dropped" } else { "" };
                let message =
                    format!("not a usable chunk: {}{ends}", excerpt(&error.to_string(), ECHO_BYTES));
                Envelope::BrokenChunk { answer: error_answer(Value::Null, INVALID_REQUEST, &message), group }
            }
        };
    }
    let id = object.get("id").cloned().unwrap_or(Value::Null);
    let wrong = |message: &str| Envelope::Broken(error_answer(usable_id(&id), INVALID_REQUEST, message));
    if object.get("jsonrpc") != Some(&json!("2.0")) {
        return wrong("`jsonrpc` must be \"2.0\"");
    }
    match object.get("method") {
        Some(Value::String(_)) => {}
        Some(_) => return wrong("`method` must be a string"),
        // Nobody answers an answer, whatever its id.
        None if object.contains_key("result") || object.contains_key("error") => {
            return Envelope::Message(value, count.get());
        }
        None => return wrong("`method` is missing"),
    }
    // Beyond 64 bits, what was written as an integer is read as the fraction next to it.
    let is_beyond = id.is_f64() && id.as_f64().is_some_and(|id| id.abs() > 9.2e18);
    if is_beyond || (id.is_u64() && !id.is_i64()) {
        return wrong(&format!(
            "`id` is not between {} and {}: integers beyond are not taken",
            i64::MIN,
            i64::MAX
        ));
    }
    if object.contains_key("id") && usable_id(&id).is_null() {
        return wrong("`id` must be a string or an integer");
    }
    if object.get("params").is_some_and(|params| !params.is_object()) {
        // Of a method of ours it is known what it takes.
        return match object.get("method").and_then(Value::as_str) {
            Some(method) if method.starts_with("outrigger/") => {
                let message =
                    format!("the parameters of `{}` do not fit: they must be an object", excerpt(method, 80));
                Envelope::Broken(error_answer(usable_id(&id), INVALID_PARAMS, &message))
            }
            _ => wrong("`params` must be an object"),
        };
    }
    Envelope::Message(value, count.get())
}

/// A JSON value in which no key stands twice, of no more values than a message may have; counts them.
fn read(body: &[u8], count: &Cell<usize>) -> serde_json::Result<Value> {
    let mut deserializer = serde_json::Deserializer::from_slice(body);
    let value = Unambiguous { count }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

#[derive(Clone, Copy)]
struct Unambiguous<'c> {
    count: &'c Cell<usize>,
}

impl Unambiguous<'_> {
    /// One more; before it takes any memory.
    fn one_more<E: de::Error>(self) -> Result<(), E> {
        self.count.set(self.count.get() + 1);
        if self.count.get() > MESSAGE_VALUES { Err(E::custom("too many values")) } else { Ok(()) }
    }
}

impl<'de> DeserializeSeed<'de> for Unambiguous<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.one_more()?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Unambiguous<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            self.one_more()?;
            if object.contains_key(&key) {
                let key = crate::text::excerpt(&key, 80);
                return Err(de::Error::custom(format_args!("the key `{key}` stands twice in one object")));
            }
            object.insert(key, entries.next_value_seed(self)?);
        }
        Ok(Value::Object(object))
    }
}

/// A JSON-RPC error answer.
pub fn error_answer(id: Value, code: i64, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

/// The answer to a message of which only the beginning is there.
pub fn refusal_of_cut(beginning: &[u8], message: &str) -> Value {
    error_answer(find_id(beginning), INVALID_REQUEST, message)
}

fn usable_id(id: &Value) -> Value {
    match id {
        Value::String(_) => id.clone(),
        Value::Number(number) if number.is_i64() || number.is_u64() => id.clone(),
        _ => Value::Null,
    }
}

/// The id of a body that does not parse, as far as one can be made out at its top level; null otherwise.
fn find_id(body: &[u8]) -> Value {
    let mut depth = 0_usize;
    let mut position = 0;
    while let Some(&byte) = body.get(position) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let end = string_end(body, position);
                let is_key = depth == 1 && body.get(position + 1..end) == Some(b"id");
                position = end;
                if is_key && let Some(id) = value_after_colon(body, end + 1) {
                    return id;
                }
            }
            _ => {}
        }
        position += 1;
    }
    Value::Null
}

/// The position of the quote that ends the string that begins at `start`.
fn string_end(body: &[u8], start: usize) -> usize {
    let mut position = start + 1;
    while let Some(&byte) = body.get(position) {
        match byte {
            b'"' => return position,
            b'\\' => position += 2,
            _ => position += 1,
        }
    }
    body.len()
}

fn value_after_colon(body: &[u8], start: usize) -> Option<Value> {
    let rest = body.get(start..)?.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
    let end = match rest.first()? {
        b'"' => string_end(rest, 0) + 1,
        // A number of which the end is not there is another one.
        _ => rest.iter().position(|byte| matches!(byte, b',' | b'}' | b']') || byte.is_ascii_whitespace())?,
    };
    serde_json::from_slice(rest.get(..end)?).ok().map(|id| usable_id(&id))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(body: &[u8]) -> (Value, i64, String) {
        match open(body) {
            Envelope::Broken(answer) | Envelope::BrokenChunk { answer, .. } => (
                answer["id"].clone(),
                answer["error"]["code"].as_i64().unwrap(),
                answer["error"]["message"].as_str().unwrap().to_owned(),
            ),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_integer_that_is_too_large_for_an_id_is_called_that() {
        for (id, told) in [
            ("99999999999999999999999", "`id` is not between -9223372036854775808 and 9223372036854775807"),
            ("-99999999999999999999999", "`id` is not between"),
            ("18446744073709551615", "`id` is not between"),
            ("1.5", "`id` must be a string or an integer"),
            ("true", "`id` must be a string or an integer"),
        ] {
            let (_, code, message) =
                broken(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"x"}}"#).as_bytes());
            assert!(code == INVALID_REQUEST && message.starts_with(told), "{id}: {message}");
        }
    }

    #[test]
    fn rubbish_is_answered_with_the_id_where_there_is_one() {
        let deep = [br#"{"jsonrpc":"2.0","id":7,"method":"x","params":"#.to_vec(), vec![b'['; 500]].concat();
        for (body, id, code) in [
            (&b""[..], json!(null), PARSE_ERROR),
            (b"{", json!(null), PARSE_ERROR),
            (br#"{"id":"a\"b","x":}"#, json!("a\"b"), PARSE_ERROR),
            (br#"{"params":{"id":1},"id" : 12,"#, json!(12), PARSE_ERROR),
            (br#"{"jsonrpc":"2.0","id":3,"method":"\ud800"}"#, json!(3), PARSE_ERROR),
            (br#"{"jsonrpc":"2.0","id":1e400,"method":"x"}"#, json!(null), PARSE_ERROR),
            (br#"{"id":12x,"#, json!(null), PARSE_ERROR),
            (br#"{"id":12"#, json!(null), PARSE_ERROR),
            (b"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"\xff\"}", json!(3), PARSE_ERROR),
            (&deep, json!(7), PARSE_ERROR),
            (
                br#"{"jsonrpc":"2.0","id":3,"method":"x","params":{"a":[{"b":1,"c":"\ud800"}]}}"#,
                json!(3),
                PARSE_ERROR,
            ),
            (
                br#"{"jsonrpc":"2.0","id":3,"method":"x","params":{"a":[{"b":1,"b":2}]}}"#,
                json!(3),
                INVALID_REQUEST,
            ),
            (br#"{"jsonrpc":"2.0","id":3,"method":"x","id":4}"#, json!(3), INVALID_REQUEST),
            (
                br#"{"jsonrpc":"2.0","id":3,"method":"x","params":{"a":1,"\u0061":1}}"#,
                json!(3),
                INVALID_REQUEST,
            ),
            (b"5", json!(null), INVALID_REQUEST),
            (b"[]", json!(null), INVALID_REQUEST),
            (br#"{"id":1,"method":"x"}"#, json!(1), INVALID_REQUEST),
            (br#"{"jsonrpc":"2.0","id":1.5,"method":"x"}"#, json!(null), INVALID_REQUEST),
            (
                br#"{"jsonrpc":"2.0","id":18446744073709551615,"method":"x"}"#,
                json!(u64::MAX),
                INVALID_REQUEST,
            ),
            (br#"{"jsonrpc":"2.0","id":1}"#, json!(1), INVALID_REQUEST),
            (br#"{"jsonrpc":"2.0","id":1,"method":5}"#, json!(1), INVALID_REQUEST),
            (br#"{"jsonrpc":"2.0","id":1,"method":"x","params":[1]}"#, json!(1), INVALID_REQUEST),
            (br#"{"chunk":{"id":1}}"#, json!(null), INVALID_REQUEST),
        ] {
            let shown = String::from_utf8_lossy(body);
            let (found_id, found_code, message) = broken(body);
            assert_eq!((found_id, found_code), (id, code), "{shown}: {message}");
        }
    }

    #[test]
    fn a_key_that_stands_twice_is_named() {
        let body = br#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"a","arguments":{"path":"x","path":"y"}}}"#;
        let (_, _, message) = broken(body);
        assert!(
            message.starts_with("the message is ambiguous: the key `path` stands twice in one object"),
            "{message}"
        );
    }

    #[test]
    fn a_broken_chunk_names_its_group_where_it_can() {
        for (body, expected) in [
            (&br#"{"chunk":{"id":"g","index":1,"count":2,"data":"y","sha256":5}}"#[..], Some("g")),
            (br#"{"chunk":{"id":"g"},"more":1}"#, Some("g")),
            (br#"{"chunk":{"id":1}}"#, None),
            (br#"{"chunk":5}"#, None),
        ] {
            let Envelope::BrokenChunk { group, .. } = open(body) else {
                panic!("{}", String::from_utf8_lossy(body))
            };
            assert_eq!(group.as_deref(), expected);
        }
    }

    #[test]
    fn values_are_read_as_ever() {
        let body = br#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"z":[1,-2,1.5,1e300,18446744073709551615,true,null,"\u00e9\n",{}],"a":{"b":[]}}}"#;
        // Seventeen that are no key, and seven keys.
        assert_eq!(open(body), Envelope::Message(serde_json::from_slice(body).unwrap(), 24));
    }

    #[test]
    fn values_are_counted_before_they_take_memory() {
        let with = |values: &str| {
            format!(r#"{{"jsonrpc":"2.0","method":"x","params":{{"a":[{values}]}},"id":"7"}}"#).into_bytes()
        };
        // The message itself has eleven beside those in the list.
        let most = MESSAGE_VALUES - 11;
        let just = with(&vec!["0"; most].join(","));
        assert!(matches!(open(&just), Envelope::Message(_, MESSAGE_VALUES)));
        for (value, count) in [("0", 1), ("[]", 1), ("{}", 1), ("\"\"", 1), ("null", 1), (r#"{"a":0}"#, 3)] {
            let body = with(&vec![value; most / count + 1].join(","));
            let (id, code, message) = broken(&body);
            assert_eq!((id, code), (json!("7"), INVALID_REQUEST), "{value}");
            assert_eq!(
                message,
                "the message has more than 100000 values (keys count as well); send several with fewer each"
            );
        }
    }

    #[test]
    fn good_messages_pass() {
        for body in [
            &br#"{"jsonrpc":"2.0","id":"x","method":"tools/list"}"#[..],
            br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            br#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}"#,
        ] {
            assert!(matches!(open(body), Envelope::Message(..)));
        }
        assert!(matches!(
            open(br#"{"chunk":{"id":"a","index":0,"count":2,"data":"x"}}"#),
            Envelope::Chunk(_)
        ));
    }
}
