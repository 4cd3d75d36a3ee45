"""Haystack: its chat generators for OpenAI, Anthropic and Google."""

import os

from checks import Checks, weather
from haystack.components.agents import Agent
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.tools import create_tool_from_function
from haystack.utils import Secret
from haystack_integrations.components.generators.anthropic import AnthropicChatGenerator
from haystack_integrations.components.generators.google_genai import GoogleGenAIChatGenerator


def by_environment(variable, generator):
    """A generator without a parameter for the base URL: its library reads a variable."""

    def made(at, model, **more):
        os.environ[variable] = at.root
        return generator(model=model, api_key=Secret.from_token(at.key), **more)

    return made


ways = {
    'openai': lambda at, model, **more: OpenAIChatGenerator(
        model=model, api_base_url=at.v1, api_key=Secret.from_token(at.key), **more
    ),
    'anthropic': by_environment('ANTHROPIC_BASE_URL', AnthropicChatGenerator),
    'google': by_environment('GOOGLE_GEMINI_BASE_URL', GoogleGenAIChatGenerator),
}


def way(generatorOf):
    def text(at, model, prompt):
        return generatorOf(at, model).run(messages=[ChatMessage.from_user(prompt)])['replies'][0].text

    def stream(at, model, prompt):
        pieces = []
        generator = generatorOf(at, model, streaming_callback=lambda chunk: pieces.append(chunk.content or ''))
        generator.run(messages=[ChatMessage.from_user(prompt)])
        return ''.join(pieces)

    def tool(at, model, prompt):
        agent = Agent(chat_generator=generatorOf(at, model), tools=[create_tool_from_function(weather)])
        return agent.run(messages=[ChatMessage.from_user(prompt)])['messages'][-1].text

    return text, stream, tool


checks = Checks('haystack-ai', 'anthropic-haystack', 'google-genai-haystack')
for name, generatorOf in ways.items():
    text, stream, tool = way(generatorOf)
    checks.models(f'{name}: ', text=text, stream=stream, tool=tool)
    checks.rejections(f'{name}: ', text)
checks.end()
