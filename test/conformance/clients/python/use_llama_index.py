"""LlamaIndex: its models for OpenAI-like servers and Google. Its Anthropic model takes only names that it knows."""

from checks import Checks, weather
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.llms.google_genai import GoogleGenAI
from llama_index.llms.openai_like import OpenAILike

ways = {
    'openai-like': lambda at, model: OpenAILike(
        model=model,
        api_base=at.v1,
        api_key=at.key,
        is_chat_model=True,
        is_function_calling_model=True,
        context_window=100_000,
    ),
    'google': lambda at, model: GoogleGenAI(
        model=model,
        api_key=at.key,
        http_options={'base_url': at.root},
        context_window=100_000,
        max_tokens=1000,
    ),
}


def way(modelOf):
    def text(at, model, prompt):
        return modelOf(at, model).complete(prompt).text

    def stream(at, model, prompt):
        return ''.join(piece.delta or '' for piece in modelOf(at, model).stream_complete(prompt))

    async def tool(at, model, prompt):
        return str(await FunctionAgent(tools=[weather], llm=modelOf(at, model)).run(prompt))

    return text, stream, tool


checks = Checks('llama-index-core')
for name, modelOf in ways.items():
    text, stream, tool = way(modelOf)
    checks.models(f'{name}: ', text=text, stream=stream, tool=tool, silent=name == 'google')
    checks.rejections(f'{name}: ', text)
checks.end()
