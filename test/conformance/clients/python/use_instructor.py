"""instructor: an object by its tool mode, through the clients of OpenAI, Anthropic and Google."""

import instructor
from anthropic import Anthropic
from checks import Checks
from google import genai
from openai import OpenAI
from pydantic import BaseModel


class Weather(BaseModel):
    city: str


def of_openai(at):
    return instructor.from_openai(OpenAI(base_url=at.v1, api_key=at.key))


def of_anthropic(at):
    return instructor.from_anthropic(Anthropic(base_url=at.root, api_key=at.key))


def of_google(at):
    return instructor.from_genai(
        genai.Client(api_key=at.key, http_options={'base_url': at.root}), mode=instructor.Mode.GENAI_TOOLS
    )


def way(clientOf, **more):
    def text(at, model, prompt):
        found = clientOf(at).chat.completions.create(
            model=model,
            messages=[{'role': 'user', 'content': 'use Weather {"city":"quince"}'}],
            response_model=Weather,
            **more,
        )
        return found.city

    return text


checks = Checks('instructor')
for name, clientOf, more in [
    ('openai', of_openai, {}),
    ('anthropic', of_anthropic, {'max_tokens': 1000}),
    ('google', of_google, {}),
]:
    text = way(clientOf, **more)
    checks.models(f'{name}: ', text=text)
    checks.rejections(f'{name}: ', text)
checks.end()
