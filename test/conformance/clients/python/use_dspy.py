"""dspy by litellm's prefixes."""

import os

os.environ['LITELLM_LOCAL_MODEL_COST_MAP'] = 'True'
import dspy
from checks import Checks

ways = {
    'openai/': lambda at: at.v1,
    'anthropic/': lambda at: at.root,
    'gemini/': lambda at: at.v1beta,
}


def way(prefix, base):
    def text(at, model, prompt):
        lm = dspy.LM(f'{prefix}{model}', api_base=base(at), api_key=at.key, cache=False)
        return str(lm(prompt))

    return text


checks = Checks('dspy')
for prefix, base in ways.items():
    text = way(prefix, base)
    checks.models(f'{prefix}: ', text=text)
    checks.rejections(f'{prefix}: ', text)
checks.end()
