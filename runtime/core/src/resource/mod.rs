//! Resources as types, the return types of their handlers, URIs and URI templates (2026-07-28, server/resources).

mod segment;
mod template;
mod typed;

use crate::request::RequestError;

pub use crate::metadata::FeatureMetadata;
pub use crate::protocol::{
    Annotations, CacheScope, Resource, ResourceContents, ResourceData, ResourceResult, ResourceTemplate,
};
pub use segment::{PathSegment, PathSegmentError};
pub use template::{TemplateError, UriTemplate, check_uri};
pub use typed::{ResourceDefinition, TypedResource, is_template, reader_of};

/// Types that a resource handler may return.
///
/// ```
/// use toolwright_core::request::RequestError;
/// use toolwright_core::resource::{IntoResourceResult, ResourceResult};
///
/// /// Rows that are sent as comma-separated values.
/// struct Rows(Vec<[u32; 2]>);
///
/// impl IntoResourceResult for Rows {
///     fn into_resource_result(self, uri: &str, _mime_type: Option<&str>) -> Result<ResourceResult, RequestError> {
///         let lines: String = self.0.iter().map(|[a, b]| format!("{a},{b}\n")).collect();
///         lines.into_resource_result(uri, Some("text/csv"))
///     }
/// }
///
/// let result = Rows(vec![[1, 2]]).into_resource_result("shop://sales", None)?;
/// assert_eq!(result.contents[0].mime_type.as_deref(), Some("text/csv"));
/// # Ok::<(), RequestError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the contents of a resource",
    label = "return a string, bytes, one or more `ResourceContents`, a `ResourceResult`, or an `Option` or `Result` of these"
)]
pub trait IntoResourceResult {
    /// Converts the value to the contents of the resource at `uri`, or returns why there are none. `mime_type`
    /// is the default for contents without a MIME type.
    fn into_resource_result(self, uri: &str, mime_type: Option<&str>)
    -> Result<ResourceResult, RequestError>;
}

impl IntoResourceResult for ResourceResult {
    fn into_resource_result(
        mut self,
        _uri: &str,
        mime_type: Option<&str>,
    ) -> Result<ResourceResult, RequestError> {
        for contents in self.contents.iter_mut().filter(|contents| contents.mime_type.is_none()) {
            contents.mime_type = mime_type.map(str::to_owned);
        }
        Ok(self)
    }
}

impl IntoResourceResult for Vec<ResourceContents> {
    fn into_resource_result(
        self,
        uri: &str,
        mime_type: Option<&str>,
    ) -> Result<ResourceResult, RequestError> {
        ResourceResult::new(self).into_resource_result(uri, mime_type)
    }
}

impl IntoResourceResult for ResourceContents {
    fn into_resource_result(
        self,
        uri: &str,
        mime_type: Option<&str>,
    ) -> Result<ResourceResult, RequestError> {
        ResourceResult::new([self]).into_resource_result(uri, mime_type)
    }
}

impl IntoResourceResult for String {
    fn into_resource_result(
        self,
        uri: &str,
        mime_type: Option<&str>,
    ) -> Result<ResourceResult, RequestError> {
        ResourceContents::text(uri, self).into_resource_result(uri, mime_type)
    }
}

impl IntoResourceResult for &str {
    fn into_resource_result(
        self,
        uri: &str,
        mime_type: Option<&str>,
    ) -> Result<ResourceResult, RequestError> {
        self.to_owned().into_resource_result(uri, mime_type)
    }
}

impl IntoResourceResult for Vec<u8> {
    fn into_resource_result(
        self,
        uri: &str,
        mime_type: Option<&str>,
    ) -> Result<ResourceResult, RequestError> {
        ResourceContents::blob(uri, self).into_resource_result(uri, mime_type)
    }
}

/// `None` means that the resource does not exist.
impl<T: IntoResourceResult> IntoResourceResult for Option<T> {
    fn into_resource_result(
        self,
        uri: &str,
        mime_type: Option<&str>,
    ) -> Result<ResourceResult, RequestError> {
        match self {
            Some(contents) => contents.into_resource_result(uri, mime_type),
            None => Err(RequestError::not_found("the resource does not exist")),
        }
    }
}

impl<T: IntoResourceResult, E: Into<RequestError>> IntoResourceResult for Result<T, E> {
    fn into_resource_result(
        self,
        uri: &str,
        mime_type: Option<&str>,
    ) -> Result<ResourceResult, RequestError> {
        self.map_err(Into::into)?.into_resource_result(uri, mime_type)
    }
}

#[cfg(test)]
mod tests;
