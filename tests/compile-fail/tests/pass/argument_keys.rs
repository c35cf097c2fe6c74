//! Every key of a field of a prompt or resource, and what clients see and the server does for it.
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use toolwright::arguments::StringReader;
use toolwright::completion::{Completes, Completions};
use toolwright::prompt::TypedPrompt;
use toolwright::resource::TypedResource;
use toolwright::tool::FieldMetadata;
use toolwright::{Prompt, Resource};

#[derive(Prompt, Deserialize, JsonSchema)]
struct Translate {
    /// Not taken.
    #[mcp(title = "Language", description = "The target.", complete = Self::languages, min_length = 2, max_length = 3)]
    language: String,
    #[mcp(pattern = "^[a-z]+$", format = "hostname")]
    host: Option<String>,
    #[mcp(minimum = 5, maximum = 10, multiple_of = 5)]
    words: Option<u32>,
    #[mcp(exclusive_minimum = 0, exclusive_maximum = 1.5)]
    share: Option<f64>,
}

impl Translate {
    async fn languages(so_far: String) -> Vec<String> {
        vec![so_far]
    }
}

/// A page.
#[derive(Resource, Deserialize, JsonSchema)]
#[mcp(uri = "book://{page}")]
struct Page {
    #[mcp(complete = numbers::pages, minimum = 1)]
    page: u16,
}

mod numbers {
    use toolwright::completion::{Completion, CompletionContext, IntoCompletion};
    use toolwright::request::RequestError;

    pub(super) async fn pages(so_far: String, _: CompletionContext) -> Pages {
        Pages(so_far)
    }

    pub(super) struct Pages(String);

    impl IntoCompletion for Pages {
        fn into_completion(self) -> Result<Completion, RequestError> {
            vec![self.0 + "1"].into_completion()
        }
    }
}

fn read<A: DeserializeOwned + JsonSchema>(fields: &'static [FieldMetadata], strings: &Value) -> Result<A, String> {
    let reader = StringReader::with_fields::<A>(fields).expect("strings stand for all fields");
    let strings = serde_json::value::to_raw_value(strings).unwrap();
    reader.read(Some(&strings)).map_err(|errors| errors.to_string())
}

fn main() {
    let arguments = Translate::definition().arguments;
    assert_eq!(arguments[0].title.as_deref(), Some("Language"));
    assert_eq!(arguments[0].description.as_deref(), Some("The target."));

    let fields = Translate::METADATA.fields;
    let fits = json!({"language": "de", "host": "a", "words": "10", "share": "0.5"});
    let Translate { language, host, words, share } = read(fields, &fits).unwrap();
    assert_eq!((language.as_str(), host.as_deref(), words, share), ("de", Some("a"), Some(10), Some(0.5)));
    let wrong = json!({"language": "d", "host": "A", "words": "7", "share": "0"});
    let error = read::<Translate>(fields, &wrong).err().expect("nothing fits");
    for argument in ["/language", "/host", "/words", "/share"] {
        assert!(error.contains(argument), "no {argument} in {error}");
    }
    let fields = Page::METADATA.fields;
    assert_eq!(read::<Page>(fields, &json!({"page": "1"})).unwrap().page, 1);
    assert!(read::<Page>(fields, &json!({"page": "0"})).is_err(), "there is no page 0");

    for (completions, names) in [(completions::<Translate>(), r#"["language"]"#), (completions::<Page>(), r#"["page"]"#)] {
        assert_eq!(format!("{completions:?}"), names);
    }
}

fn completions<T: Completes>() -> Completions {
    let mut completions = Completions::default();
    T::completions(&mut completions);
    completions
}
