//! What a derive says about a prompt or a resource, as parts of its definition.

use serde::de::DeserializeOwned;

use crate::metadata::FeatureMetadata;
use crate::schema;

/// Returns the definition without its description and its arguments.
pub(crate) fn parse_definition<T: DeserializeOwned>(metadata: &FeatureMetadata) -> T {
    let text = metadata.definition;
    serde_json::from_str(text)
        .unwrap_or_else(|error| panic!("the derive wrote an invalid definition: {error}: {text}"))
}

/// Returns the description, unless it is empty.
pub(crate) fn description_of(metadata: &FeatureMetadata) -> Option<String> {
    metadata.description.map(schema::plain_lines).filter(|text| !text.is_empty())
}
