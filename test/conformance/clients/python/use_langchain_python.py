"""langchain: its models for OpenAI (both APIs) and Anthropic, with tools that the model may and must call, and objects."""

from checks import GATEWAY, MODELS, SUNNY, USE, Checks, said, weather
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_openai import ChatOpenAI
from pydantic import BaseModel


class City(BaseModel):
    """The weather in a city."""

    city: str


ways = {
    'ChatOpenAI (chat)': lambda at, model: ChatOpenAI(
        model=model, base_url=at.v1, api_key=at.key, use_responses_api=False
    ),
    'ChatOpenAI (Responses)': lambda at, model: ChatOpenAI(
        model=model, base_url=at.v1, api_key=at.key, use_responses_api=True
    ),
    'ChatAnthropic': lambda at, model: ChatAnthropic(
        model=model, base_url=at.root, api_key=at.key, max_tokens=2000
    ),
}
METHODS = {'ChatAnthropic': ['function_calling']}


def way(modelOf):
    def text(at, model, prompt):
        return modelOf(at, model).invoke(prompt).text

    def stream(at, model, prompt):
        return ''.join(chunk.text for chunk in modelOf(at, model).stream(prompt))

    def tool(at, model, prompt, **forced):
        chat = modelOf(at, model)
        asked = [HumanMessage(prompt)]
        answer = chat.bind_tools([weather], **forced).invoke(asked)
        call = answer.tool_calls[0]
        result = ToolMessage(weather(**call['args']), tool_call_id=call['id'])
        return chat.bind_tools([weather]).invoke([*asked, answer, result]).text

    def structured(at, model, method):
        answer = modelOf(at, model).with_structured_output(City, method=method)
        return answer.invoke('use City {"city":"Paris"}').city

    return text, stream, tool, structured


checks = Checks('langchain-core', 'langchain-openai', 'langchain-anthropic')
for name, modelOf in ways.items():
    text, stream, tool, structured = way(modelOf)
    checks.models(f'{name}: ', text=text, stream=stream, tool=tool)
    for model in MODELS:
        for choice in ['weather', 'any']:
            checks.check(
                f'{name}: a tool forced by {choice!r} on {model}',
                lambda: said(tool(GATEWAY, model, USE, tool_choice=choice), SUNNY),
            )
        for method in METHODS.get(name, ['function_calling', 'json_schema']):
            checks.check(
                f'{name}: an object by {method} on {model}',
                lambda: said(structured(GATEWAY, model, method), 'Paris'),
            )
    checks.rejections(f'{name}: ', text)
checks.end()
