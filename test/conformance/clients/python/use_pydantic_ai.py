"""pydantic-ai: its models for OpenAI (both APIs), Anthropic and Google."""

from checks import Checks, weather
from pydantic_ai import Agent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.openai import OpenAIProvider

ways = {
    'chat': lambda at, model: OpenAIChatModel(model, provider=OpenAIProvider(base_url=at.v1, api_key=at.key)),
    'responses': lambda at, model: OpenAIResponsesModel(
        model, provider=OpenAIProvider(base_url=at.v1, api_key=at.key)
    ),
    'anthropic': lambda at, model: AnthropicModel(
        model, provider=AnthropicProvider(base_url=at.root, api_key=at.key)
    ),
    'google': lambda at, model: GoogleModel(model, provider=GoogleProvider(base_url=at.root, api_key=at.key)),
}


def way(modelOf):
    async def text(at, model, prompt):
        return (await Agent(modelOf(at, model)).run(prompt)).output

    async def stream(at, model, prompt):
        async with Agent(modelOf(at, model)).run_stream(prompt) as run:
            return ''.join([piece async for piece in run.stream_text(delta=True)])

    async def tool(at, model, prompt):
        return (await Agent(modelOf(at, model), tools=[weather]).run(prompt)).output

    return text, stream, tool


checks = Checks('pydantic-ai-slim')
for name, modelOf in ways.items():
    text, stream, tool = way(modelOf)
    checks.models(f'{name}: ', text=text, stream=stream, tool=tool, silent=name == 'google')
    checks.rejections(f'{name}: ', text)
checks.end()
