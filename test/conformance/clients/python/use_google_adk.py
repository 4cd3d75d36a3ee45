"""Google's Agent Development Kit: its Gemini model, and LiteLlm for the other formats."""

import os

from checks import Checks, weather
from google.adk.agents import Agent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.models import Gemini
from google.adk.models.lite_llm import LiteLlm
from google.adk.runners import InMemoryRunner
from google.genai import types


def gemini(at, model):
    os.environ['GOOGLE_API_KEY'] = at.key
    return Gemini(model=model, base_url=at.root)


ways = {
    'gemini': gemini,
    'litellm': lambda at, model: LiteLlm(model=f'openai/{model}', api_base=at.v1, api_key=at.key),
}


def way(modelOf):
    async def ask(at, model, prompt, tools, streaming):
        agent = Agent(name='a', model=modelOf(at, model), tools=tools)
        runner = InMemoryRunner(agent=agent, app_name='a')
        session = await runner.session_service.create_session(app_name='a', user_id='u')
        message = types.Content(role='user', parts=[types.Part(text=prompt)])
        said = ''
        config = RunConfig(streaming_mode=StreamingMode.SSE if streaming else StreamingMode.NONE)
        async for event in runner.run_async(
            user_id='u', session_id=session.id, new_message=message, run_config=config
        ):
            if event.error_code:
                raise RuntimeError(f'{event.error_code} {event.error_message}')
            if event.partial or event.is_final_response():
                said += ''.join(part.text or '' for part in (event.content.parts if event.content else []) or [])
        return said

    def text(at, model, prompt):
        return ask(at, model, prompt, [], False)

    def stream(at, model, prompt):
        return ask(at, model, prompt, [], True)

    def tool(at, model, prompt):
        return ask(at, model, prompt, [weather], True)

    return text, stream, tool


checks = Checks('google-adk')
for name, modelOf in ways.items():
    text, stream, tool = way(modelOf)
    checks.models(f'{name}: ', text=text, stream=stream, tool=tool, silent=name == 'gemini')
    checks.rejections(f'{name}: ', text)
checks.end()
