// async-openai: text, streamed text and a tool by Chat, text by Responses, and requests that are rejected for good.
use async_openai::Client;
use async_openai::config::OpenAIConfig;
use async_openai::types::chat::{
    ChatCompletionMessageToolCalls, ChatCompletionRequestAssistantMessage, ChatCompletionRequestMessage,
    ChatCompletionRequestToolMessage, ChatCompletionRequestUserMessage, ChatCompletionTool, ChatCompletionTools,
    CreateChatCompletionRequestArgs, FunctionObject,
};
use async_openai::types::responses::CreateResponseArgs;
use futures::StreamExt;
use std::env;
use std::error::Error;
use std::process::exit;

type Answer = Result<String, Box<dyn Error>>;

const MODELS: [&str; 3] = ["gpt-conformance", "claude-conformance", "gemini-conformance"];
const SAY: &str = "say quince and pear";

fn client(origin: &str, key: &str) -> Client<OpenAIConfig> {
    Client::with_config(OpenAIConfig::new().with_api_base(format!("{origin}/v1")).with_api_key(key))
}

fn user(prompt: &str) -> ChatCompletionRequestMessage {
    ChatCompletionRequestUserMessage::from(prompt).into()
}

async fn text(client: &Client<OpenAIConfig>, model: &str) -> Answer {
    let request = CreateChatCompletionRequestArgs::default().model(model).messages([user(SAY)]).build()?;
    let answer = client.chat().create(request).await?;
    Ok(answer.choices[0].message.content.clone().unwrap_or_default())
}

async fn streamed(client: &Client<OpenAIConfig>, model: &str) -> Answer {
    let request = CreateChatCompletionRequestArgs::default().model(model).messages([user(SAY)]).build()?;
    let mut stream = client.chat().create_stream(request).await?;
    let mut text = String::new();
    while let Some(chunk) = stream.next().await {
        for choice in chunk?.choices {
            text += choice.delta.content.as_deref().unwrap_or_default();
        }
    }
    Ok(text)
}

async fn tool(client: &Client<OpenAIConfig>, model: &str) -> Answer {
    let parameters = serde_json::json!({
        "type": "object", "properties": { "city": { "type": "string" } }, "required": ["city"],
    });
    let function = FunctionObject { name: "weather".into(), parameters: Some(parameters), ..Default::default() };
    let tools = vec![ChatCompletionTools::Function(ChatCompletionTool { function })];
    let mut messages = vec![user(r#"use weather {"city":"Paris"}"#)];
    let mut request = CreateChatCompletionRequestArgs::default();
    let request = request.model(model).tools(tools);
    let answer = client.chat().create(request.messages(messages.clone()).build()?).await?;
    let tool_calls = answer.choices[0].message.tool_calls.clone().ok_or("no call")?;
    let ChatCompletionMessageToolCalls::Function(call) = tool_calls[0].clone() else {
        return Err("a call of another type".into());
    };
    let arguments: serde_json::Value = serde_json::from_str(&call.function.arguments)?;
    let result = format!("sunny in {}", arguments["city"].as_str().ok_or("no city")?);
    messages.push(
        ChatCompletionRequestAssistantMessage { tool_calls: Some(tool_calls), ..Default::default() }.into(),
    );
    messages.push(ChatCompletionRequestToolMessage { content: result.into(), tool_call_id: call.id }.into());
    let answer = client.chat().create(request.messages(messages).build()?).await?;
    Ok(answer.choices[0].message.content.clone().unwrap_or_default())
}

async fn responses(client: &Client<OpenAIConfig>, model: &str) -> Answer {
    let request = CreateResponseArgs::default().model(model).input(SAY).build()?;
    Ok(client.responses().create(request).await?.output_text().unwrap_or_default())
}

/// Prints the outcome of a check; returns whether it failed.
fn failed(name: &str, outcome: Result<String, String>) -> bool {
    match &outcome {
        Ok(seen) => println!("ok    async-openai: {name}{seen}"),
        Err(error) => println!("FAIL  async-openai: {name}\n      {error}"),
    }
    outcome.is_err()
}

fn includes(answer: Answer, wanted: &str) -> Result<String, String> {
    match answer {
        Ok(text) if text.contains(wanted) => Ok(String::new()),
        Ok(text) => Err(format!("expected {wanted:?} in {text:?}")),
        Err(error) => Err(error.to_string()),
    }
}

/// The request must fail, with no more than one request sent and with this status.
async fn rejected(answer: Answer, status: &str) -> Result<String, String> {
    let statuses = statuses_seen().await.map_err(|error| error.to_string())?;
    match answer {
        Ok(text) => Err(format!("no error, but {text:?}")),
        Err(_) if statuses == status => Ok(" (1 sent)".into()),
        Err(error) => Err(format!("answered {statuses:?}; {error}")),
    }
}

/// The statuses of the answers to POST requests since the last call.
async fn statuses_seen() -> Answer {
    let address = format!("{}/-/statuses", env::var("TOLLGATE_COUNTED_ORIGIN")?);
    Ok(reqwest::get(address).await?.text().await?)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (origin, key) = (env::var("TOLLGATE_ORIGIN")?, env::var("TOLLGATE_KEY")?);
    let (counted, empty) = (env::var("TOLLGATE_COUNTED_ORIGIN")?, env::var("TOLLGATE_EMPTY_KEY")?);
    let paying = client(&origin, &key);
    let mut failures = 0;
    for model in MODELS {
        let outcomes = [
            ("text", includes(text(&paying, model).await, "quince")),
            ("streamed", includes(streamed(&paying, model).await, "quince")),
            ("a tool round trip", includes(tool(&paying, model).await, "sunny in Paris")),
            ("Responses", includes(responses(&paying, model).await, "quince")),
        ];
        for (name, outcome) in outcomes {
            failures += i32::from(failed(&format!("{name} on {model}"), outcome));
        }
    }
    for (status, why, key, model) in [
        ("401", "a wrong key", "sk-tg-nobody", MODELS[0]),
        ("402", "no money", empty.as_str(), MODELS[0]),
        ("404", "an unknown model", key.as_str(), "gpt-nobody"),
    ] {
        let rejecting = client(&counted, key);
        for way in ["chat", "streamed", "Responses"] {
            statuses_seen().await?;
            let answer = match way {
                "chat" => text(&rejecting, model).await,
                "streamed" => streamed(&rejecting, model).await,
                _ => responses(&rejecting, model).await,
            };
            let name = format!("{way}: {status} ({why}) is reported and not repeated");
            failures += i32::from(failed(&name, rejected(answer, status).await));
        }
    }
    exit(if failures == 0 { 0 } else { 1 })
}
