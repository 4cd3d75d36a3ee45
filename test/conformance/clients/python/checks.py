"""What the script of every Python library needs: where to ask, the checks, and lines that say what was seen."""

import asyncio
import gc
import inspect
import os
import sys
import urllib.request
from dataclasses import dataclass
from importlib.metadata import version

# httpcore waits forever for its own lock when the collector closes a stream that a library left open.
gc.disable()

MODELS = ['gpt-conformance', 'claude-conformance', 'gemini-conformance']
SAY = 'say quince and pear'
USE = 'use weather {"city":"Paris"}'
SUNNY = 'sunny in Paris'


@dataclass
class At:
    """A gateway's root and a key. `v1` and `v1beta` are base addresses below it."""

    root: str
    key: str

    @property
    def v1(self):
        return f'{self.root}/v1'

    @property
    def v1beta(self):
        return f'{self.root}/v1beta'


GATEWAY = At(os.environ['TOLLGATE_ORIGIN'], os.environ['TOLLGATE_KEY'])
SILENT = At(os.environ['TOLLGATE_SILENT_ORIGIN'], os.environ['TOLLGATE_SILENT_KEY'])
COUNTED = os.environ['TOLLGATE_COUNTED_ORIGIN']
# One for all checks: clients keep connections that belong to it.
LOOP = asyncio.new_event_loop()


def weather(city: str) -> str:
    """Tells the weather of a city.

    Args:
        city: The name of the city.
    """
    return f'sunny in {city}'


def statuses_seen():
    """The statuses of the answers to POST requests since the last call."""
    with urllib.request.urlopen(f'{COUNTED}/-/statuses') as answer:
        return answer.read().decode().split()


def includes(text, wanted):
    if wanted not in str(text):
        raise AssertionError(f'expected {wanted!r} in {str(text)[:2000]!r}')


class Checks:
    def __init__(self, *packages):
        self.title = ', '.join(f'{name} {version(name)}' for name in packages)
        self.failed = 0

    def check(self, name, work):
        try:
            seen = work()
            if inspect.iscoroutine(seen):
                seen = LOOP.run_until_complete(seen)
            print(f'ok    {self.title}: {name}' + (f' ({seen})' if seen else ''), flush=True)
        except BaseException as error:
            self.failed += 1
            told = f'{type(error).__name__}: {error}'[:1500]
            print(f'FAIL  {self.title}: {name}\n      {told}', flush=True)

    def models(self, way, *, text=None, stream=None, tool=None, silent=False):
        """The same on a model of each family; each is called with (at, model, prompt) and returns the text."""
        for model in MODELS:
            if text:
                self.check(f'{way}text on {model}', lambda: said(text(GATEWAY, model, SAY), 'quince'))
            if stream:
                self.check(f'{way}streamed on {model}', lambda: said(stream(GATEWAY, model, SAY), 'quince'))
                if silent:
                    self.check(f'{way}streamed with silences on {model}', lambda: said(stream(SILENT, model, SAY), 'quince'))
            if tool:
                self.check(f'{way}a tool round trip on {model}', lambda: said(tool(GATEWAY, model, USE), SUNNY))
                if silent:
                    self.check(f'{way}a tool after silences on {model}', lambda: said(tool(SILENT, model, USE), SUNNY))

    def rejections(self, way, text):
        """A request that is rejected with 401, 402 or 404 must raise an error and must not be repeated."""
        cases = {
            401: (At(COUNTED, 'sk-tg-nobody'), MODELS[0]),
            402: (At(COUNTED, os.environ['TOLLGATE_EMPTY_KEY']), MODELS[0]),
            404: (At(COUNTED, GATEWAY.key), 'gpt-nobody'),
        }
        for status, (at, model) in cases.items():
            self.check(f'{way}{status} is an error', lambda: self.rejected(text, at, model, [str(status)]))

    def rejected(self, text, at, model, sent):
        statuses_seen()
        try:
            answer = text(at, model, SAY)
            if inspect.iscoroutine(answer):
                answer = LOOP.run_until_complete(answer)
        except Exception as error:
            statuses = statuses_seen()
            if statuses != sent:
                raise AssertionError(f'answered {statuses} instead of {sent}; {error}')
            return f'{type(error).__name__}, {len(statuses)} sent'
        raise AssertionError(f'no error: {answer!r}')

    def end(self):
        sys.stdout.flush()
        # Some libraries leave threads behind.
        os._exit(1 if self.failed else 0)


def said(answer, wanted):
    if inspect.iscoroutine(answer):
        answer = LOOP.run_until_complete(answer)
    includes(answer, wanted)
