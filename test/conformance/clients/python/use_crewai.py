"""CrewAI: its model by OpenAI's, Anthropic's and Google's formats."""

import os

os.environ.update(CREWAI_DISABLE_TELEMETRY='true', OTEL_SDK_DISABLED='true', CREWAI_TRACING_ENABLED='false')
from checks import Checks, weather
from crewai import LLM

TOOLS = [
    {
        'type': 'function',
        'function': {
            'name': 'weather',
            'description': 'Tells the weather of a city.',
            'parameters': {'type': 'object', 'properties': {'city': {'type': 'string'}}, 'required': ['city']},
        },
    }
]
ways = {
    'openai': lambda at, model, **more: LLM(
        model=model, provider='openai', base_url=at.v1, api_key=at.key, **more
    ),
    'anthropic': lambda at, model, **more: LLM(
        model=model, provider='anthropic', base_url=at.root, api_key=at.key, max_tokens=1000, **more
    ),
}


def way(modelOf):
    def text(at, model, prompt):
        return modelOf(at, model).call(prompt)

    def stream(at, model, prompt):
        return modelOf(at, model, stream=True).call(prompt)

    def tool(at, model, prompt):
        return modelOf(at, model).call(prompt, tools=TOOLS, available_functions={'weather': weather})

    return text, stream, tool


checks = Checks('crewai')
for name, modelOf in ways.items():
    text, stream, tool = way(modelOf)
    checks.models(f'{name}: ', text=text, stream=stream, tool=tool)
    checks.rejections(f'{name}: ', text)
checks.end()
