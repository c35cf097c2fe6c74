//! Metadata shared by all listed definitions: titles, descriptions, icons, `_meta`. Each type declares the
//! fields; this module generates their setters.

/// Generates setters for a type with `title`, `description` and `icons`.
macro_rules! title_builders {
    ($type:ident) => {
        impl $type {
            /// Sets the human-readable name.
            pub fn title(mut self, title: impl Into<String>) -> Self {
                self.title = Some(title.into());
                self
            }

            /// Sets the description for the model.
            pub fn description(mut self, description: impl Into<String>) -> Self {
                self.description = Some(description.into());
                self
            }

            /// Adds an icon.
            pub fn icon(mut self, icon: $crate::protocol::Icon) -> Self {
                self.icons.push(icon);
                self
            }
        }
    };
}

/// Generates setters for a type with `title`, `description`, `icons` and `meta`.
macro_rules! metadata_builders {
    ($type:ident) => {
        $crate::protocol::metadata::title_builders!($type);

        impl $type {
            /// Adds a member to `_meta`.
            pub fn meta(mut self, key: impl Into<String>, value: impl Into<serde_json::Value>) -> Self {
                self.meta.get_or_insert_default().insert(key.into(), value.into());
                self
            }

            /// Adds scopes that a caller over HTTP needs, all of them, like `#[mcp(scopes(…))]` on a tool.
            /// Callers without them cannot see it. The scopes are stored in `_meta`.
            pub fn scopes(mut self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
                $crate::protocol::meta::add_scopes(&mut self.meta, scopes);
                self
            }

            /// Returns the value for a peer of `revision`, without members that the revision lacks.
            pub fn for_revision(&self, revision: $crate::protocol::Revision) -> std::borrow::Cow<'_, Self> {
                if revision.has_icons() {
                    return std::borrow::Cow::Borrowed(self);
                }
                let mut older = self.clone();
                older.icons.clear();
                if !revision.has_titles() {
                    older.title = None;
                    older.meta = None;
                    older.drop_titles_inside();
                }
                std::borrow::Cow::Owned(older)
            }
        }
    };
}

/// Generates setters for a type with `mime_type` and `annotations`.
macro_rules! contents_builders {
    ($type:ident) => {
        impl $type {
            /// Sets the MIME type, such as `text/markdown`, of contents that do not have their own.
            pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
                self.mime_type = Some(mime_type.into());
                self
            }

            /// Sets the annotations: audience and priority.
            pub fn annotations(mut self, annotations: $crate::protocol::Annotations) -> Self {
                self.annotations = Some(annotations);
                self
            }

            fn drop_titles_inside(&mut self) {}
        }
    };
}

pub(super) use {contents_builders, metadata_builders, title_builders};
