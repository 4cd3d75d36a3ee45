"""Strands Agents: its models for OpenAI, Anthropic and Gemini; all of them stream."""

from checks import Checks, weather
from strands import Agent
from strands import tool as as_tool
from strands.models.anthropic import AnthropicModel
from strands.models.gemini import GeminiModel
from strands.models.openai import OpenAIModel

ways = {
    'openai': lambda at, model: OpenAIModel(
        client_args={'base_url': at.v1, 'api_key': at.key}, model_id=model
    ),
    'anthropic': lambda at, model: AnthropicModel(
        client_args={'base_url': at.root, 'api_key': at.key}, model_id=model, max_tokens=1000
    ),
    'gemini': lambda at, model: GeminiModel(
        client_args={'api_key': at.key, 'http_options': {'base_url': at.root}}, model_id=model
    ),
}


def way(modelOf):
    def stream(at, model, prompt):
        return str(Agent(model=modelOf(at, model), callback_handler=None)(prompt))

    def tool(at, model, prompt):
        return str(Agent(model=modelOf(at, model), tools=[as_tool(weather)], callback_handler=None)(prompt))

    return stream, tool


checks = Checks('strands-agents')
for name, modelOf in ways.items():
    stream, tool = way(modelOf)
    checks.models(f'{name}: ', stream=stream, tool=tool, silent=name == 'gemini')
    checks.rejections(f'{name}: ', stream)
checks.end()
