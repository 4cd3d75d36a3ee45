"""smolagents: an agent that calls tools, by its models for OpenAI-like servers and litellm."""

import json

from checks import Checks, weather
from smolagents import ChatMessage, LiteLLMModel, MessageRole, OpenAIModel
from smolagents import tool as as_tool

ways = {
    'OpenAIModel': lambda at, model: OpenAIModel(model_id=model, api_base=at.v1, api_key=at.key),
    'LiteLLMModel': lambda at, model: LiteLLMModel(
        model_id=f'anthropic/{model}', api_base=at.root, api_key=at.key
    ),
}


def way(modelOf):
    def messages(prompt):
        return [ChatMessage(role=MessageRole.USER, content=[{'type': 'text', 'text': prompt}])]

    def text(at, model, prompt):
        return modelOf(at, model).generate(messages(prompt)).content

    def stream(at, model, prompt):
        return ''.join(delta.content or '' for delta in modelOf(at, model).generate_stream(messages(prompt)))

    def tool(at, model, prompt):
        found = modelOf(at, model).generate(messages(prompt), tools_to_call_from=[as_tool(weather)])
        arguments = found.tool_calls[0].function.arguments
        return weather(**(arguments if isinstance(arguments, dict) else json.loads(arguments)))

    return text, stream, tool


checks = Checks('smolagents')
for name, modelOf in ways.items():
    text, stream, tool = way(modelOf)
    checks.models(f'{name}: ', text=text, stream=stream, tool=tool)
    checks.rejections(f'{name}: ', text)
checks.end()
