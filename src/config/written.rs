//! A value that knows where it was written, so that what is found wrong with it later points there.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error as _, MapAccess, Visitor},
};

use super::document::Span;

/// A value together with where it was written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Written<T> {
    pub value: T,
    pub start: usize,
    pub end: usize,
}

impl<T> Written<T> {
    pub(super) fn span(&self) -> Span {
        self.start..self.end
    }
}

impl<T: Serialize> Serialize for Written<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(serializer)
    }
}

/// The schema is the value's: where it stands is nothing that is written.
impl<T: JsonSchema> JsonSchema for Written<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::schema_name()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// The name by which [`Written`] asks for its place.
pub(super) const WRITTEN: &str = "$written";

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Written<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Parts<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Parts<T> {
            type Value = Written<T>;
            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("a value and its place")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let bug = || A::Error::custom("bug: a place was asked of a reader that has none");
                let (_, start) = map.next_entry::<&str, usize>()?.ok_or_else(bug)?;
                let (_, end) = map.next_entry::<&str, usize>()?.ok_or_else(bug)?;
                let (_, value) = map.next_entry::<&str, T>()?.ok_or_else(bug)?;
                Ok(Written { value, start, end })
            }
        }
        deserializer.deserialize_struct(WRITTEN, &["start", "end", "value"], Parts(std::marker::PhantomData))
    }
}
