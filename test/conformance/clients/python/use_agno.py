"""agno: its models for OpenAI (both APIs), Anthropic and Google."""

import os

os.environ['AGNO_TELEMETRY'] = 'false'
from agno.agent import Agent
from agno.models.anthropic import Claude
from agno.models.google import Gemini
from agno.models.openai import OpenAIChat, OpenAIResponses
from checks import Checks, weather

ways = {
    'OpenAIChat': lambda at, model: OpenAIChat(id=model, base_url=at.v1, api_key=at.key),
    'OpenAIResponses': lambda at, model: OpenAIResponses(id=model, base_url=at.v1, api_key=at.key),
    'Claude': lambda at, model: Claude(
        id=model, api_key=at.key, client_params={'base_url': at.root}
    ),
    'Gemini': lambda at, model: Gemini(
        id=model, api_key=at.key, client_params={'http_options': {'base_url': at.root}}
    ),
}


def way(modelOf):
    def agent(at, model, **more):
        return Agent(model=modelOf(at, model), telemetry=False, **more)

    def good(run):
        if str(getattr(run, 'status', '')).lower().endswith('error'):
            raise RuntimeError(run.content)
        return run.content

    def text(at, model, prompt):
        return good(agent(at, model).run(prompt))

    def stream(at, model, prompt):
        return ''.join(str(event.content or '') for event in agent(at, model).run(prompt, stream=True))

    def tool(at, model, prompt):
        return good(agent(at, model, tools=[weather]).run(prompt))

    return text, stream, tool


checks = Checks('agno')
for name, modelOf in ways.items():
    text, stream, tool = way(modelOf)
    checks.models(f'{name}: ', text=text, stream=stream, tool=tool, silent=name == 'Gemini')
    checks.rejections(f'{name}: ', text)
checks.end()
