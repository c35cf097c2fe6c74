//! `PORT=8001 conformance-server`: what the official conformance suite calls, over HTTP on 127.0.0.1 at `/mcp` (and, for
//! clients of 2024-11-05, at `/sse`). With port 0 the system chooses one. The address is printed to standard output as
//! soon as the server listens.
//!
//! Names and strings of the tools are those that the suite expects.

mod calls;
mod content;
mod features;
mod input_requests;
mod listed;
mod media;
mod rounds;
mod skills;
mod streams;
mod tasks;

use std::error::Error;

use toolwright::{Http, Server, Toolset};

use calls::{
    TestCustomHeader, TestErrorHandling, TestLoggingTool, TestToolWithLogging, TestToolWithProgress,
};
use content::{
    About, TestAudioContent, TestEmbeddedResource, TestImageContent, TestMultipleContentTypes, TestSimpleText,
};
use input_requests::{
    TestElicitation, TestElicitationDefaults, TestElicitationEnums, TestMissingCapability, TestSampling,
    TestStreamingElicitation,
};
use listed::{Listed, TestTriggerPromptChange, TestTriggerToolChange};
use rounds::{
    TestInputRequiredResultCapabilities, TestInputRequiredResultElicitation,
    TestInputRequiredResultListRoots, TestInputRequiredResultMultiRound,
    TestInputRequiredResultMultipleInputs, TestInputRequiredResultRequestState,
    TestInputRequiredResultSampling, TestInputRequiredResultTamperedState,
};
use streams::TestReconnection;

/// The state that the handlers share.
#[derive(Debug, Default)]
struct Fixture {
    listed: Listed,
}

#[derive(Debug, Toolset)]
#[mcp(handler = Fixture)]
enum FixtureTools {
    About(About),
    TestSimpleText(TestSimpleText),
    TestImageContent(TestImageContent),
    TestAudioContent(TestAudioContent),
    TestEmbeddedResource(TestEmbeddedResource),
    TestMultipleContentTypes(TestMultipleContentTypes),
    TestToolWithLogging(TestToolWithLogging),
    TestLoggingTool(TestLoggingTool),
    TestToolWithProgress(TestToolWithProgress),
    TestErrorHandling(TestErrorHandling),
    TestCustomHeader(TestCustomHeader),
    TestReconnection(TestReconnection),
    TestTriggerToolChange(TestTriggerToolChange),
    TestTriggerPromptChange(TestTriggerPromptChange),
    TestSampling(TestSampling),
    TestElicitation(TestElicitation),
    TestElicitationDefaults(TestElicitationDefaults),
    TestElicitationEnums(TestElicitationEnums),
    TestMissingCapability(TestMissingCapability),
    TestStreamingElicitation(TestStreamingElicitation),
    TestInputRequiredResultElicitation(TestInputRequiredResultElicitation),
    TestInputRequiredResultSampling(TestInputRequiredResultSampling),
    TestInputRequiredResultListRoots(TestInputRequiredResultListRoots),
    TestInputRequiredResultRequestState(TestInputRequiredResultRequestState),
    TestInputRequiredResultMultipleInputs(TestInputRequiredResultMultipleInputs),
    TestInputRequiredResultMultiRound(TestInputRequiredResultMultiRound),
    TestInputRequiredResultTamperedState(TestInputRequiredResultTamperedState),
    TestInputRequiredResultCapabilities(TestInputRequiredResultCapabilities),
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let port: u16 = std::env::var("PORT").map_err(|_| "set PORT to the port to listen at")?.parse()?;
    let listed = Listed::default();
    let fixture = Fixture { listed: listed.clone() };
    let server = Server::new(fixture).tools::<FixtureTools>().tools::<tasks::TaskTools>();
    let server = server.provider(listed.clone());
    let server = rounds::with_prompt(features::with_resources(features::with_prompts(server)));
    let server = server.skills(skills::skills());
    let service = server.build()?;
    listed.belongs_to(&service);

    let http = Http::bind(("127.0.0.1", port))?.with_sse();
    println!("http://{}/mcp", http.local_addr()?);
    service.serve(http).await?;
    Ok(())
}
