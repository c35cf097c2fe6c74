//! The checks of the rules. A rule is one line here, one function in a module below, and one file in `rules/`.

mod descriptions;
mod headers;
mod hints;
mod meta;
mod names;
mod parameters;
mod prompts;
mod references;
mod resources;
mod schemas;
mod secrets;
mod sizes;
mod values;

use super::rule::Check;

macro_rules! checks {
    ($($id:literal => $check:path,)+) => {
        /// Each rule: its id, its data file and its function.
        pub(super) const CHECKS: &[(&str, &str, Check)] =
            &[$(($id, include_str!(concat!("../rules/", $id, ".toml")), $check)),+];
    };
}

checks! {
    "array-without-items" => schemas::array_without_items,
    "boilerplate-description" => descriptions::boilerplate_description,
    "boolean-schema" => schemas::boolean_schema,
    "bounds-without-value" => values::bounds_without_value,
    "confusable-names" => names::confusable_names,
    "contradictory-hints" => hints::contradictory_hints,
    "cursor-name-too-long" => names::cursor_name_too_long,
    "cursor-too-many-tools" => sizes::too_many_tools,
    "deep-schema" => sizes::deep_schema,
    "description-too-long" => descriptions::description_too_long,
    "description-will-be-cut" => descriptions::description_too_long,
    "destructive-name" => hints::destructive_name,
    "direction-characters" => descriptions::direction_characters,
    "duplicate-description" => descriptions::duplicate_description,
    "empty-enum-value" => values::empty_enum_value,
    "enum-not-text" => values::enum_not_text,
    "enum-without-type" => values::enum_without_type,
    "former-name-taken" => names::former_name_taken,
    "gemini-format" => schemas::gemini_format,
    "gemini-keyword" => schemas::listed_keywords,
    "gemini-name" => names::gemini_name,
    "gemini-parameter-name" => names::gemini_parameter_name,
    "gemini-too-many-tools" => sizes::too_many_tools,
    "header-name" => headers::header_name,
    "header-on-secret" => headers::header_on_secret,
    "header-place" => headers::header_place,
    "header-twice" => headers::header_twice,
    "header-type" => headers::header_type,
    "hidden-instructions" => descriptions::hidden_instructions,
    "icon-source" => meta::icon_source,
    "icon-type" => meta::icon_type,
    "instructions-will-be-cut" => descriptions::instructions_too_long,
    "invalid-list-member" => resources::invalid_list_member,
    "invisible-characters" => descriptions::invisible_characters,
    "keyword-of-another-type" => schemas::keyword_of_another_type,
    "large-enum" => sizes::large_enum,
    "large-output-schema" => sizes::large_output_schema,
    "large-tool" => sizes::large_tool,
    "large-toolset" => sizes::large_toolset,
    "local-reference" => references::local_reference,
    "lookaround-pattern" => schemas::lookaround_pattern,
    "media-type" => resources::media_type,
    "missing-description" => descriptions::missing_description,
    "missing-hints" => hints::missing_hints,
    "missing-output-schema" => meta::missing_output_schema,
    "missing-title" => descriptions::missing_title,
    "mixed-enum" => values::mixed_enum,
    "name-characters" => names::name_characters,
    "name-not-allowed" => names::name_not_allowed,
    "name-too-long" => names::name_too_long,
    "null-default" => values::null_default,
    "nullable-keyword" => schemas::listed_keywords,
    "old-dialect" => schemas::old_dialect,
    "open-arguments" => parameters::open_arguments,
    "open-object" => parameters::open_object,
    "openai-strict-keyword" => schemas::listed_keywords,
    "output-not-an-object" => meta::output_not_an_object,
    "parameter-name" => names::parameter_name,
    "prefixed-name-too-long" => names::prefixed_name_too_long,
    "prompt-name-space" => prompts::prompt_name_space,
    "prompt-several-arguments" => prompts::prompt_several_arguments,
    "reading-name" => hints::reading_name,
    "reading-name-writes" => hints::reading_name_writes,
    "recursive-schema" => references::recursive_schema,
    "refused-default" => values::refused_default,
    "refused-example" => values::refused_example,
    "remote-reference" => references::remote_reference,
    "repeated-argument" => prompts::repeated_argument,
    "repeated-enum-value" => values::repeated_enum_value,
    "reserved-meta-key" => meta::reserved_meta_key,
    "resource-annotations" => resources::resource_annotations,
    "resource-uri" => resources::resource_uri,
    "root-combinator" => parameters::root_combinator,
    "root-title" => parameters::root_title,
    "root-without-properties" => parameters::root_without_properties,
    "rust-format" => schemas::rust_format,
    "secret-in-definition" => secrets::secret_in_definition,
    "secret-parameter" => secrets::secret_parameter,
    "server-name" => names::server_name,
    "short-description" => descriptions::short_description,
    "similar-names" => names::similar_names,
    "too-many-properties" => sizes::too_many_properties,
    "too-many-tools" => sizes::too_many_tools,
    "tuple" => schemas::tuple,
    "two-titles" => descriptions::two_titles,
    "type-list" => schemas::type_list,
    "undescribed-argument" => prompts::undescribed_argument,
    "undescribed-parameter" => parameters::undescribed_parameter,
    "undescribed-prompt" => prompts::undescribed_prompt,
    "undescribed-resource" => resources::undescribed_resource,
    "unknown-required" => parameters::unknown_required,
    "unresolved-reference" => references::unresolved_reference,
    "untyped-parameter" => schemas::untyped_parameter,
    "uri-template" => resources::uri_template,
    "writing-name" => hints::writing_name,
}
