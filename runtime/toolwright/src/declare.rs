//! [`declare!`](crate::declare!): prompts, resources and templates that the manifest shows.

/// Puts prompts, resources and resource templates into the manifest: `cargo mcp manifest` finds them as it finds tools,
/// without running the program's `main`.
///
/// A declaration names functions without parameters that return a [`Prompt`](crate::prompt::Prompt), a
/// [`Resource`](crate::resource::Resource), a [`ResourceTemplate`](crate::ResourceTemplate), or a `Vec` of one of them. The server
/// takes what the same functions return, so that nothing is said twice:
///
/// ```standalone_crate
/// use schemars::JsonSchema;
/// use serde::Deserialize;
/// use toolwright::{Prompt, Resource, Server};
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Review {
///     /// The language of the code.
///     language: String,
/// }
///
/// fn review() -> Prompt {
///     Prompt::new("review").description("Asks for a review.").arguments::<Review>()
/// }
///
/// fn terms() -> Resource {
///     Resource::new("shop://terms", "terms").mime_type("text/markdown")
/// }
///
/// toolwright::declare!(review, terms);
///
/// # #[cfg(feature = "server")]
/// let service = Server::new(())
///     .prompt(review(), async |review: Review| format!("Review this {} code.", review.language))
///     .resource(terms(), async || "# Terms")
///     .build()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// They are those of the package's server, or, in a package with several toolsets, of each; with a toolset in front they are
/// those of its server alone: `declare!(for ShopTools: review, terms)`.
///
/// A manifest holds prompts if one is declared, and resources and templates likewise. A function that returns an empty
/// `Vec` declares that there are none. Where prompts are declared, a server that offers prompts is built only with all the
/// declared ones and no other; so for resources and for templates. What is added to a running
/// [`Service`](crate::Service), and the files of skills, are in no manifest.
#[macro_export]
macro_rules! declare {
    (for $set:ty : $($function:path),+ $(,)?) => {
        $($crate::__declare!(::core::option::Option::Some($crate::__private::ServerOf::new::<$set>()), $function);)+
    };
    ($($function:path),+ $(,)?) => {
        $($crate::__declare!(::core::option::Option::None, $function);)+
    };
}

/// One element of the slice.
#[doc(hidden)]
#[macro_export]
macro_rules! __declare {
    ($server:expr, $function:path) => {
        const _: () = {
            #[$crate::__private::linkme::distributed_slice($crate::__private::FEATURES)]
            #[linkme(crate = $crate::__private::linkme)]
            static DECLARED: $crate::__private::LinkedFeatures = $crate::__private::LinkedFeatures {
                name: ::core::stringify!($function),
                package: $crate::__private::Package {
                    name: ::core::env!("CARGO_PKG_NAME"),
                    version: ::core::env!("CARGO_PKG_VERSION"),
                },
                source: $crate::__private::SourceLocation {
                    file: ::core::file!(),
                    line: ::core::line!(),
                    column: ::core::column!(),
                },
                server: $server,
                kind: $crate::__private::kind_of(&$function),
                entries: || $crate::__private::entries_of($function()),
                is_derived: false,
            };
        };
    };
}
