"""OpenAI's Agents SDK, by Responses and by Chat Completions."""

from agents import Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, function_tool, set_tracing_disabled
from checks import Checks, weather
from openai import AsyncOpenAI
from openai.types.responses import ResponseTextDeltaEvent

set_tracing_disabled(True)


def way(kind):
    def agent(at, model, tools=()):
        client = AsyncOpenAI(base_url=at.v1, api_key=at.key)
        return Agent(name='a', model=kind(model=model, openai_client=client), tools=list(tools))

    async def text(at, model, prompt):
        return (await Runner.run(agent(at, model), prompt)).final_output

    async def stream(at, model, prompt):
        said = ''
        async for event in Runner.run_streamed(agent(at, model), prompt).stream_events():
            if event.type == 'raw_response_event' and isinstance(event.data, ResponseTextDeltaEvent):
                said += event.data.delta
        return said

    async def tool(at, model, prompt):
        return (await Runner.run(agent(at, model, [function_tool(weather)]), prompt)).final_output

    return text, stream, tool


checks = Checks('openai-agents')
for name, kind in {'responses': OpenAIResponsesModel, 'chat': OpenAIChatCompletionsModel}.items():
    text, stream, tool = way(kind)
    checks.models(f'{name}: ', text=text, stream=stream, tool=tool)
    checks.rejections(f'{name}: ', text)
checks.end()
