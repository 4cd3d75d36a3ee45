"""Google's library for Python: text and a tool, streamed, with and without silences."""

from checks import Checks, weather
from google import genai
from google.genai import types


# A client that nothing refers to closes its connections.
CLIENTS = []


def client(at):
    CLIENTS.append(genai.Client(api_key=at.key, http_options={'base_url': at.root}))
    return CLIENTS[-1]


def text(at, model, prompt):
    return client(at).models.generate_content(model=model, contents=prompt).text


def stream(at, model, prompt):
    pieces = client(at).models.generate_content_stream(model=model, contents=prompt)
    return ''.join(piece.text or '' for piece in pieces)


def tool(at, model, prompt):
    config = types.GenerateContentConfig(tools=[weather])
    pieces = client(at).models.generate_content_stream(model=model, contents=prompt, config=config)
    return ''.join(piece.text or '' for piece in pieces)


checks = Checks('google-genai')
checks.models('', text=text, stream=stream, tool=tool, silent=True)
checks.rejections('', text)
checks.end()
