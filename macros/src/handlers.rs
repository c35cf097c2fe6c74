//! `#[handlers]`: the methods of an `impl` block as the handlers of their tools, prompts and resources.

use std::collections::HashSet;

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{
    Attribute, FnArg, Ident, ImplItem, ImplItemFn, Item, ItemImpl, Meta, PatType, Path, Receiver,
    ReceiverKind, ReturnType, Safety, Signature, Type, parse_quote,
};

use crate::attr::ToolsetAttributes;
use crate::errors::Errors;
use crate::expand::{advice, as_our_own, private, respan};
use crate::model::{Kind, SET_OF_BLOCK};
use crate::plain::{is_plain, last_word};
use crate::text::pascal_case;

/// Implements `Handler`, `PromptHandler` or `ResourceHandler` for the input of each method, and `Handlers` for the type.
///
/// The block itself stays as it is, without `#[prompt]` and `#[resource]`, whatever is wrong with it.
pub(crate) fn handlers(keys: &TokenStream, item: &TokenStream) -> TokenStream {
    let errors = Errors::new();
    let (item, generated) = match syn::parse2(item.clone()) {
        Ok(Item::Impl(block)) => {
            let generated = of_block(keys, &block, &errors);
            (without_kinds(block).into_token_stream(), generated)
        }
        Ok(other) => {
            errors.on(other, "`#[handlers]` belongs to an `impl` block, as in `#[handlers] impl Shop { … }`");
            (item.clone(), TokenStream::new())
        }
        Err(error) => {
            errors.push(error);
            (item.clone(), TokenStream::new())
        }
    };
    let errors = errors.into_compile_errors();
    // What clippy may dislike in a method is what a handler has to look like.
    let lints = quote!(allow(clippy::needless_pass_by_value, clippy::unused_async, clippy::unused_self));
    quote!(#[#lints] #item #errors #generated)
}

/// What a method handles: that of its attribute `#[prompt]` or `#[resource]`, otherwise a tool.
fn kind_of(attribute: &Attribute) -> Option<Kind> {
    [Kind::Prompt, Kind::Resource].into_iter().find(|kind| attribute.path().is_ident(kind.word()))
}

/// The block as the compiler sees it.
fn without_kinds(mut block: ItemImpl) -> ItemImpl {
    for item in &mut block.items {
        if let ImplItem::Fn(function) = item {
            function.attrs.retain(|attribute| kind_of(attribute).is_none());
        }
    }
    block
}

/// A method that handles the calls of a tool, or the requests for a prompt or a resource.
struct Method<'a> {
    kind: Kind,
    name: &'a Ident,
    /// Its `#[cfg]` attributes, which also decide over the generated code.
    conditions: Vec<&'a Attribute>,
    is_async: bool,
    tool: &'a Type,
    context: Option<&'a Type>,
    output: TokenStream,
}

fn of_block(keys: &TokenStream, block: &ItemImpl, errors: &Errors) -> TokenStream {
    if let Some((of, _)) = &block.trait_ {
        errors.on(of, "`#[handlers]` belongs to an `impl` block of the type itself, without a trait");
        return TokenStream::new();
    }
    let functions = block.items.iter().filter_map(|item| match item {
        ImplItem::Fn(function) => Some(function),
        _ => None,
    });
    let mut tools = HashSet::new();
    let methods: Vec<_> = functions
        .filter_map(|function| Method::read(function, errors))
        .filter(|method| {
            let is_new =
                !method.conditions.is_empty() || tools.insert(method.tool.to_token_stream().to_string());
            if !is_new {
                let word = method.kind.word();
                errors.on(method.tool, format!("this {word} has a handler above; a {word} has one handler"));
            }
            is_new
        })
        .collect();
    if methods.is_empty() && errors.count() == 0 {
        let text = "there is no handler in this block; write a method that takes a tool, as in \
                    `async fn get_order(&self, input: GetOrder) -> Result<String, ToolError> { … }`";
        errors.on(&block.self_ty, text);
    }
    let private = private(crate_path(keys).as_ref());
    let implementations = methods.iter().map(|method| method.implementation(block, &private));
    let set = tool_set(keys, block, &methods, &private);
    quote! {
        const _: () = {
            use #private::{FutureOfOtherState as _, NoFeature as _, OtherFuture as _, OtherState as _};

            #(#implementations)*
            #set
        };
    }
}

impl<'a> Method<'a> {
    /// Reads a method, or reports why it cannot be a handler.
    fn read(function: &'a ImplItemFn, errors: &Errors) -> Option<Self> {
        let signature = &function.sig;
        let before = errors.count();
        let kind = read_kind(&function.attrs, errors);
        check_kind(signature, errors);
        let mut inputs = signature.inputs.iter();
        match inputs.next() {
            Some(FnArg::Receiver(receiver)) => check_receiver(receiver, errors),
            _ => errors.on(
                &signature.ident,
                "a handler takes `&self`; put functions that are not handlers into another `impl` block",
            ),
        }
        let mut types = inputs.filter_map(|input| match input {
            FnArg::Typed(input) => Some(&*input.ty),
            FnArg::Receiver(_) => None,
        });
        let (tool, context) = (types.next(), types.next());
        check_arguments(signature, kind, errors);
        if errors.count() == before && (tool.is_none() || types.next().is_some()) {
            errors.on(
                &signature.ident,
                format!(
                    "a handler takes `&self`, its {}, and perhaps `&Context`; put methods that are not handlers into \
                     another `impl` block",
                    kind.word()
                ),
            );
        }
        let output = output(&signature.output, errors);
        if let Some(reference @ Type::Reference(_)) = tool {
            errors.on(reference, format!("a handler takes its {} by value, without `&`", kind.word()));
        }
        if errors.count() > before {
            return None;
        }
        Some(Self {
            kind,
            name: &signature.ident,
            conditions: function.attrs.iter().filter(|attribute| attribute.path().is_ident("cfg")).collect(),
            is_async: signature.asyncness.is_some(),
            tool: tool?,
            context,
            output,
        })
    }

    fn implementation(&self, block: &ItemImpl, private: &TokenStream) -> TokenStream {
        let Self { kind, name, conditions, is_async, tool, context, output } = self;
        let (generics, _, bounds) = block.generics.split_for_impl();
        let this = &block.self_ty;
        // The compiler reports what is not a tool at its type, a future that is not `Send` at the method, and a state that
        // is not at the type of the block, where it is the same report for each method and appears once.
        let (handler, method) = match kind {
            Kind::Tool => (quote!(Handler), quote!(call)),
            Kind::Prompt => (quote!(PromptHandler), quote!(get)),
            Kind::Resource => (quote!(ResourceHandler), quote!(read)),
        };
        let handler = respan(quote!(#private::#handler<#tool>), tool.span());
        let context = context.map(|given| {
            let is_reference = matches!(given, Type::Reference(_));
            if is_reference { quote!(, cx) } else { quote!(, ::core::clone::Clone::clone(cx)) }
        });
        let result = quote!(Self::#name(self, input #context));
        // The future of an async method is that of the handler, not a part of it.
        let (keyword, output_type, result) = if *is_async {
            let future = quote!(impl ::core::future::Future<Output = Self::Output> + ::core::marker::Send);
            (None, future, advice::send_future(&result, private))
        } else {
            (Some(quote!(async)), quote!(Self::Output), result)
        };
        let [output_type, result] = [output_type, result].map(|tokens| respan(tokens, name.span()));
        let shared_state = advice::shared_state(this, private);
        let call = quote_spanned! {name.span()=>
            #keyword fn #method(&self, input: #tool, cx: &#private::Context) -> #output_type {
                #shared_state
                let _ = cx;
                #result
            }
        };
        quote_spanned! {tool.span()=>
            #(#conditions)*
            #[automatically_derived]
            impl #generics #handler for #this #bounds {
                type Output = #output;
                #call
            }
        }
    }
}

impl Method<'_> {
    /// The statement that adds its prompt or resource to a server.
    fn addition(&self, private: &TokenStream) -> Option<TokenStream> {
        let Self { conditions, tool, .. } = self;
        let add = match self.kind {
            Kind::Tool => return None,
            Kind::Prompt => quote!(add_prompt),
            Kind::Resource => quote!(add_resource),
        };
        let add = respan(quote!(#private::Feature::<Self, #tool>::#add), tool.span());
        Some(quote!(#(#conditions)* let server = #add(server);))
    }
}

/// The set of the tools, whose name users do not write.
fn tool_set(
    keys: &TokenStream,
    block: &ItemImpl,
    methods: &[Method<'_>],
    private: &TokenStream,
) -> TokenStream {
    let set = format_ident!("{SET_OF_BLOCK}");
    let this = &block.self_ty;
    let (generics, _, bounds) = block.generics.split_for_impl();
    // The set has no generic parameters, so that it cannot name a generic handler.
    let handler = block.generics.params.is_empty().then(|| quote!(handler = #this));
    let separator = (!keys.is_empty() && handler.is_some()).then(|| quote!(,));
    let tools = methods.iter().filter(|method| method.kind == Kind::Tool);
    let variants = tools.enumerate().map(|(index, method)| {
        let Method { conditions, tool, .. } = method;
        let variant = format_ident!("Tool{index}", span = tool.span());
        quote!(#(#conditions)* #variant(#tool))
    });
    let features = features(methods, private);
    let is_generic = !block.generics.params.is_empty();
    let registrations = (!is_generic).then(|| registrations(methods, private));
    let names = [Kind::Prompt, Kind::Resource].map(|kind| check_names(kind, methods, private));
    // A public service may have private tools, since users cannot name the set.
    let lints = quote!(allow(private_interfaces));
    quote! {
        #[derive(#private::DeriveToolset)]
        #[mcp(#keys #separator #handler)]
        #[#lints]
        pub enum #set { #(#variants),* }

        #[automatically_derived]
        impl #generics #private::Handlers for #this #bounds {
            type Tools = #set;

            #features
        }

        #registrations
        #(#names)*
    }
}

/// The method of `Handlers` that adds prompts and resources, if there are any.
fn features(methods: &[Method<'_>], private: &TokenStream) -> Option<TokenStream> {
    let additions: Vec<_> = methods.iter().filter_map(|method| method.addition(private)).collect();
    let add = |server: &TokenStream| quote!(fn features(server: #private::Server<Self>) -> #private::Server<Self> { #server });
    (!additions.is_empty()).then(|| add(&quote!(#(#additions)* server)))
}

/// The entries of the manifest for the prompts and resources, which this server offers.
fn registrations(methods: &[Method<'_>], private: &TokenStream) -> TokenStream {
    let set = format_ident!("{SET_OF_BLOCK}");
    methods
        .iter()
        .filter_map(|method| {
            let linked = match method.kind {
                Kind::Tool => return None,
                Kind::Prompt => quote!(linked_prompt),
                Kind::Resource => quote!(linked_resource),
            };
            let Method { conditions, tool, .. } = method;
            let server = quote!(#private::ServerOf::new::<#set>());
            let offered =
                respan(quote!(#private::offered(#private::#linked::<#tool>(), #server)), tool.span());
            let slice = as_our_own(quote! {
                #[#private::linkme::distributed_slice(#private::FEATURES)]
                #[linkme(crate = #private::linkme)]
            });
            Some(quote! {
                #(#conditions)*
                const _: () = {
                    #slice
                    static FEATURE: #private::LinkedFeatures = #offered;
                };
            })
        })
        .collect()
}

/// Requires the prompts, or the resources, to have different names. Those under `#[cfg]` are compared when the server is built.
fn check_names(kind: Kind, methods: &[Method<'_>], private: &TokenStream) -> TokenStream {
    let key = match kind {
        Kind::Tool | Kind::Prompt => quote!(#private::TypedPrompt>::NAME),
        Kind::Resource => quote!(#private::TypedResource>::URI),
    };
    let methods: Vec<_> =
        methods.iter().filter(|method| method.kind == kind && method.conditions.is_empty()).collect();
    let keys: Vec<_> = methods
        .iter()
        .map(|method| {
            let tool = method.tool;
            quote!(<#tool as #key)
        })
        .collect();
    let word = kind.word();
    let checks = methods.iter().enumerate().skip(1).map(|(index, method)| {
        let (earlier, own) = (&keys[..index], &keys[index]);
        let check = quote!(const _: () = #private::expect_other_name(#word, &[#(#earlier),*], #own););
        respan(check, method.tool.span())
    });
    quote!(#(#checks)*)
}

/// The key `crate`. The derive of the set reports what is wrong with the keys.
fn crate_path(keys: &TokenStream) -> Option<Path> {
    let errors = Errors::new();
    let attributes = ToolsetAttributes::read(&[parse_quote!(#[mcp(#keys)])], &errors);
    drop(errors.into_compile_errors());
    attributes.crate_path.map(|given| given.value)
}

/// What the attributes of a method say that it handles.
fn read_kind(attributes: &[Attribute], errors: &Errors) -> Kind {
    let mut kinds = attributes.iter().filter_map(|attribute| Some((attribute, kind_of(attribute)?)));
    let Some((first, kind)) = kinds.next() else { return Kind::Tool };
    for attribute in std::iter::once(first).chain(kinds.clone().map(|(attribute, _)| attribute)) {
        if !matches!(attribute.meta, Meta::Path(_)) {
            let word = kind.word();
            errors.on(
                attribute,
                format!("write `#[{word}]`; the keys of a {word} are on its struct, in `#[mcp(…)]`"),
            );
        }
    }
    if let Some((second, _)) = kinds.next() {
        errors.on(second, "a method handles a tool, a prompt or a resource; keep one of the attributes");
    }
    kind
}

fn check_kind(signature: &Signature, errors: &Errors) {
    if let Some(parameter) = signature.generics.params.first() {
        errors.on(parameter, "a handler has no generic parameters; write the type of the tool");
    }
    if let Safety::Unsafe(keyword) = &signature.safety {
        errors.on(keyword, "a handler is called by clients, so it cannot be `unsafe`");
    }
}

/// Reports parameters that are arguments, as in other libraries, and the struct to write for them.
fn check_arguments(signature: &Signature, kind: Kind, errors: &Errors) {
    let parameters = signature.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(input) => Some(input),
        FnArg::Receiver(_) => None,
    });
    let arguments: Vec<_> =
        parameters.filter(|parameter| last_word(&parameter.ty) != Some("Context".to_owned())).collect();
    let Some(first) = arguments.iter().find(|argument| is_plain(&argument.ty)) else { return };
    let name = pascal_case(&signature.ident.to_string());
    let fields = arguments.iter().map(|PatType { pat, ty, .. }| {
        let ty = ty.to_token_stream().to_string().replace(' ', "").replace("&str", "String");
        format!("{}: {ty}", pat.to_token_stream())
    });
    let fields = fields.collect::<Vec<_>>().join(", ");
    let derive = kind.derive();
    errors.on(
        &first.ty,
        format!(
            "a handler takes its {} as one struct, whose fields are the arguments: write \
             `#[derive({derive}, Deserialize, JsonSchema)] struct {name} {{ {fields} }}`, and `input: {name}` here",
            kind.word(),
        ),
    );
}

fn check_receiver(receiver: &Receiver, errors: &Errors) {
    if !matches!(receiver.kind, ReceiverKind::Reference(_, _, None)) {
        errors.on(
            receiver,
            "a handler takes `&self`, since calls run at the same time; put what changes behind a `Mutex`",
        );
    }
}

/// The type that a method returns.
fn output(output: &ReturnType, errors: &Errors) -> TokenStream {
    let ReturnType::Type(_, output) = output else { return quote!(()) };
    if let Type::ImplTrait(_) = &**output {
        errors.on(output, "name the type of the result; a handler that awaits is an `async fn`");
    } else if borrows(output.to_token_stream()) {
        errors.on(output, "a result owns its data: return `String` instead of `&str`");
    }
    output.to_token_stream()
}

/// Whether a type has a reference that is not `&'static`.
fn borrows(tokens: TokenStream) -> bool {
    let tokens: Vec<_> = tokens.into_iter().collect();
    tokens.iter().enumerate().any(|(index, token)| match token {
        TokenTree::Group(group) => borrows(group.stream()),
        TokenTree::Punct(punct) if punct.as_char() == '&' => {
            !matches!(tokens.get(index + 2), Some(TokenTree::Ident(lifetime)) if *lifetime == "static")
        }
        _ => false,
    })
}
