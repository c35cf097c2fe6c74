//! What all listed definitions have in common: names for people and models, icons, `_meta`. Each type has the fields; the
//! methods that set them are here.

/// Methods of a type with `title`, `description` and `icons`.
macro_rules! title_builders {
    ($type:ident) => {
        impl $type {
            /// The same with a name for people.
            pub fn title(mut self, title: impl Into<String>) -> Self {
                self.title = Some(title.into());
                self
            }

            /// The same with a text for the model that says what it is.
            pub fn description(mut self, description: impl Into<String>) -> Self {
                self.description = Some(description.into());
                self
            }

            /// The same with one more picture.
            pub fn icon(mut self, icon: $crate::protocol::Icon) -> Self {
                self.icons.push(icon);
                self
            }
        }
    };
}

/// Methods of a type with `title`, `description`, `icons` and `meta`.
macro_rules! metadata_builders {
    ($type:ident) => {
        $crate::protocol::metadata::title_builders!($type);

        impl $type {
            /// The same with one more member of `_meta`.
            pub fn meta(mut self, key: impl Into<String>, value: impl Into<serde_json::Value>) -> Self {
                self.meta.get_or_insert_default().insert(key.into(), value.into());
                self
            }

            /// The same with scopes that a caller needs over HTTP, all of them, as `#[mcp(scopes(…))]` says it of a tool:
            /// to callers without them it does not exist. They are members of `_meta`.
            pub fn scopes(mut self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
                $crate::protocol::meta::add_scopes(&mut self.meta, scopes);
                self
            }

            /// The same with the members that the revision has.
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

/// Methods of a type with `mime_type` and `annotations`.
macro_rules! contents_builders {
    ($type:ident) => {
        impl $type {
            /// The same with a media type, such as `text/markdown`, for contents that have none of their own.
            pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
                self.mime_type = Some(mime_type.into());
                self
            }

            /// The same with annotations: for whom it is and how much it matters.
            pub fn annotations(mut self, annotations: $crate::protocol::Annotations) -> Self {
                self.annotations = Some(annotations);
                self
            }

            fn drop_titles_inside(&mut self) {}
        }
    };
}

pub(super) use {contents_builders, metadata_builders, title_builders};
