//! The schemas of `tools/list`: what a tool takes, and the one shape in which all answer.

use serde_json::{Map, Value, json};

use crate::tools::AnyTool;

/// The output schema of a tool: success and failure by `ok`, without `oneOf`, all but `ok` optional.
pub fn output(tool: &dyn AnyTool) -> Map<String, Value> {
    let shape = json!({
        "type": "object",
        "properties": {
            "ok": {"type": "boolean"},
            "data": Value::Object(tool.data_schema()),
            "etag": {"type": "string"},
            "truncated": {
                "type": "object",
                "properties": {
                    "shown": {"type": "integer"},
                    "total": {"type": "integer"},
                    "unit": {"type": "string"},
                    "next": {"type": "object", "properties": {"tool": {"type": "string"}, "args": {"type": "object"}}}
                }
            },
            "handle": {"type": "string"},
            "warnings": {"type": "array", "items": {"type": "string"}},
            "match": {"type": "string"},
            "effective_tier": {"type": "string", "enum": ["auto", "batch", "individual"]},
            "duration_ms": {"type": "integer"},
            "code": {"type": "string"},
            "message": {"type": "string"},
            "hint": {"type": "string"},
            "retryable": {"type": "boolean"},
            "candidates": {"type": "array", "items": {"type": "string"}}
        },
        "required": ["ok"]
    });
    match shape {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
