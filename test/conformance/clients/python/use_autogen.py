"""AutoGen: its clients for OpenAI-like servers and Anthropic."""

from autogen_agentchat.agents import AssistantAgent
from autogen_core.models import ModelInfo, UserMessage
from autogen_ext.models.anthropic import AnthropicChatCompletionClient
from autogen_ext.models.openai import OpenAIChatCompletionClient
from checks import Checks, weather

INFO = ModelInfo(vision=True, function_calling=True, json_output=True, structured_output=True, family='unknown')
ways = {
    'openai': lambda at, model: OpenAIChatCompletionClient(
        model=model, base_url=at.v1, api_key=at.key, model_info=INFO
    ),
    'anthropic': lambda at, model: AnthropicChatCompletionClient(
        model=model, base_url=at.root, api_key=at.key, model_info=INFO
    ),
}


def way(clientOf):
    async def text(at, model, prompt):
        return (await clientOf(at, model).create([UserMessage(content=prompt, source='user')])).content

    async def stream(at, model, prompt):
        said = ''
        async for piece in clientOf(at, model).create_stream([UserMessage(content=prompt, source='user')]):
            said += piece if isinstance(piece, str) else ''
        return said

    async def tool(at, model, prompt):
        agent = AssistantAgent('a', clientOf(at, model), tools=[weather], reflect_on_tool_use=True)
        return (await agent.run(task=prompt)).messages[-1].content

    return text, stream, tool


checks = Checks('autogen-agentchat')
for name, clientOf in ways.items():
    text, stream, tool = way(clientOf)
    checks.models(f'{name}: ', text=text, stream=stream, tool=tool)
    checks.rejections(f'{name}: ', text)
checks.end()
