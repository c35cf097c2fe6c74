//! `#[handlers]`: the methods of an `impl` block as the handlers of their tools.

use std::collections::HashSet;

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{
    Attribute, FnArg, Ident, ImplItem, ImplItemFn, Item, ItemImpl, Path, Receiver, ReceiverKind, ReturnType,
    Safety, Signature, Type, parse_quote,
};

use crate::attr::ToolsetAttributes;
use crate::errors::Errors;
use crate::expand::{private, respan};

/// Implements `Handler` for the tool of each method, and `Handlers` for the type.
///
/// The block itself stays as it is, whatever is wrong with it.
pub(crate) fn handlers(keys: &TokenStream, item: &TokenStream) -> TokenStream {
    let errors = Errors::new();
    let generated = match syn::parse2(item.clone()) {
        Ok(Item::Impl(block)) => of_block(keys, &block, &errors),
        Ok(other) => {
            errors.on(other, "`#[handlers]` belongs to an `impl` block, as in `#[handlers] impl Shop { … }`");
            TokenStream::new()
        }
        Err(error) => {
            errors.push(error);
            TokenStream::new()
        }
    };
    let errors = errors.into_compile_errors();
    // What clippy may dislike in a method is what a handler has to look like.
    let lints = quote!(allow(clippy::needless_pass_by_value, clippy::unused_async, clippy::unused_self));
    quote!(#[#lints] #item #errors #generated)
}

/// A method that handles the calls of a tool.
struct Method<'a> {
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
                errors.on(method.tool, "this tool has a handler above; a tool has one handler");
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
    quote!(#(#implementations)* #set)
}

impl<'a> Method<'a> {
    /// Reads a method, or reports why it cannot be a handler.
    fn read(function: &'a ImplItemFn, errors: &Errors) -> Option<Self> {
        let signature = &function.sig;
        let before = errors.count();
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
        if errors.count() == before && (tool.is_none() || types.next().is_some()) {
            errors.on(
                &signature.ident,
                "a handler takes `&self`, its tool, and perhaps `&Context`; put methods that are not handlers into \
                 another `impl` block",
            );
        }
        let output = output(&signature.output, errors);
        if let Some(reference @ Type::Reference(_)) = tool {
            errors.on(reference, "a handler takes its tool by value, without `&`");
        }
        if errors.count() > before {
            return None;
        }
        Some(Self {
            name: &signature.ident,
            conditions: function.attrs.iter().filter(|attribute| attribute.path().is_ident("cfg")).collect(),
            is_async: signature.asyncness.is_some(),
            tool: tool?,
            context,
            output,
        })
    }

    fn implementation(&self, block: &ItemImpl, private: &TokenStream) -> TokenStream {
        let Self { name, conditions, is_async, tool, context, output } = self;
        let (generics, _, bounds) = block.generics.split_for_impl();
        let this = &block.self_ty;
        let context = context.map(|given| {
            let is_reference = matches!(given, Type::Reference(_));
            let context = if is_reference { quote!(, cx) } else { quote!(, ::core::clone::Clone::clone(cx)) };
            respan(context, name.span())
        });
        let await_it = is_async.then(|| quote_spanned!(name.span()=> .await));
        // The compiler reports what is not a tool at its type, and a future that is not `Send` at the method.
        let handler = respan(quote!(#private::Handler<#tool> for #this), tool.span());
        let call = quote_spanned! {name.span()=>
            async fn call(
                &self,
                input: #tool,
                cx: &#private::Context,
            ) -> ::core::result::Result<Self::Output, #private::ToolError> {
                let _ = cx;
                ::core::result::Result::Ok(Self::#name(self, input #context)#await_it)
            }
        };
        quote_spanned! {tool.span()=>
            #(#conditions)*
            #[automatically_derived]
            impl #generics #handler #bounds {
                type Output = #output;
                #call
            }
        }
    }
}

/// The set of the tools, under a name that users cannot write.
fn tool_set(
    keys: &TokenStream,
    block: &ItemImpl,
    methods: &[Method<'_>],
    private: &TokenStream,
) -> TokenStream {
    let this = &block.self_ty;
    let (generics, _, bounds) = block.generics.split_for_impl();
    // The set has no generic parameters, so that it cannot name a generic handler.
    let handler = block.generics.params.is_empty().then(|| quote!(handler = #this));
    let separator = (!keys.is_empty() && handler.is_some()).then(|| quote!(,));
    let variants = methods.iter().enumerate().map(|(index, method)| {
        let Method { conditions, tool, .. } = method;
        let variant = format_ident!("Tool{index}", span = tool.span());
        quote!(#(#conditions)* #variant(#tool))
    });
    // A public service may have private tools, since users cannot name the set.
    let lints = quote!(allow(private_interfaces));
    quote! {
        const _: () = {
            #[derive(#private::DeriveToolset)]
            #[mcp(#keys #separator #handler)]
            #[#lints]
            pub enum __Tools { #(#variants),* }

            #[automatically_derived]
            impl #generics #private::Handlers for #this #bounds {
                type Tools = __Tools;
            }
        };
    }
}

/// The key `crate`. The derive of the set reports what is wrong with the keys.
fn crate_path(keys: &TokenStream) -> Option<Path> {
    let errors = Errors::new();
    let attributes = ToolsetAttributes::read(&[parse_quote!(#[mcp(#keys)])], &errors);
    drop(errors.into_compile_errors());
    attributes.crate_path.map(|given| given.value)
}

fn check_kind(signature: &Signature, errors: &Errors) {
    if let Some(parameter) = signature.generics.params.first() {
        errors.on(parameter, "a handler has no generic parameters; write the type of the tool");
    }
    if let Safety::Unsafe(keyword) = &signature.safety {
        errors.on(keyword, "a handler is called by clients, so it cannot be `unsafe`");
    }
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
