"""litellm by its three prefixes: openai/, anthropic/ and gemini/, the last also with the root as its base."""

import json
import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
import litellm

from checks import Checks, weather

litellm.suppress_debug_info = True
TOOLS = [
    {
        'type': 'function',
        'function': {
            'name': 'weather',
            'parameters': {'type': 'object', 'properties': {'city': {'type': 'string'}}, 'required': ['city']},
        },
    }
]


def way(prefix, base):
    def given(at, model):
        return {'model': f'{prefix}/{model}', 'api_base': base(at), 'api_key': at.key}

    def text(at, model, prompt):
        answer = litellm.completion(**given(at, model), messages=[{'role': 'user', 'content': prompt}])
        return answer.choices[0].message.content

    def stream(at, model, prompt):
        messages = [{'role': 'user', 'content': prompt}]
        chunks = litellm.completion(**given(at, model), messages=messages, stream=True)
        return ''.join(chunk.choices[0].delta.content or '' for chunk in chunks)

    def tool(at, model, prompt):
        messages = [{'role': 'user', 'content': prompt}]
        chunks = list(litellm.completion(**given(at, model), messages=messages, tools=TOOLS, stream=True))
        message = litellm.stream_chunk_builder(chunks, messages=messages).choices[0].message
        call = message.tool_calls[0]
        messages += [
            message.model_dump(),
            {'role': 'tool', 'tool_call_id': call.id, 'content': weather(**json.loads(call.function.arguments))},
        ]
        return litellm.completion(**given(at, model), messages=messages, tools=TOOLS).choices[0].message.content

    return text, stream, tool


checks = Checks('litellm')
for prefix, base in {
    'openai': lambda at: at.v1,
    'anthropic': lambda at: at.root,
    'gemini': lambda at: at.v1beta,
}.items():
    text, stream, tool = way(prefix, base)
    checks.models(f'{prefix}/: ', text=text, stream=stream, tool=tool, silent=True)
    checks.rejections(f'{prefix}/: ', text)
# It appends models/NAME:generateContent, so this one has no version.
text, stream, tool = way('gemini', lambda at: at.root)
checks.models('gemini/ without a version: ', text=text, stream=stream, tool=tool)
checks.end()
