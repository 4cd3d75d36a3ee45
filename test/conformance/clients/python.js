/** The Python libraries: their programs on *Connect*, run unchanged, on all three families. */
import { join } from 'node:path'
import { recipes } from '../../../console/src/features/connect/recipes.ts'
import {
  checks,
  families,
  includes,
  installedPython,
  inWorkshop,
  origin,
  pythonVersionOf,
  run,
  write,
} from './client.js'

const packages = ['openai', 'anthropic', 'google-genai', 'langchain-openai', 'langchain-anthropic']
const folder = await installedPython('python', packages)

/** What is run, by name: the programs of the recipes, and what docs/clients.md adds to them. */
const programs = recipes
  .filter(({ group }) => group === 'Libraries')
  .flatMap((recipe) => [
    [
      recipe.id,
      (model) => {
        const steps = recipe.steps({ address: origin, model: { name: model, dialects: [] }, key: null })
        return steps.find(({ snippet }) => snippet?.language === 'python')?.snippet.text
      },
    ],
  ])
programs.push([
  'ChatAnthropic of langchain',
  (model) => `import os
from langchain_anthropic import ChatAnthropic

chat = ChatAnthropic(
    model='${model}',
    api_key=os.environ['TOLLGATE_KEY'],
    base_url='${origin}/v1/alt',
)
for part in chat.stream('Say hello in one sentence.'):
    print(part.text, end='')`,
])

const list = {
  'what is installed': async () =>
    (await Promise.all(packages.map(async (name) => `${name} ${await pythonVersionOf(folder, name)}`))).join(
      ', ',
    ),
}
for (const [name, programOf] of programs) {
  for (const model of Object.values(families)) {
    const text = programOf(model)
    if (text === undefined) continue
    list[`${name} on ${model}`] = () =>
      inWorkshop(async ({ home, folder: cwd }) => {
        write(join(cwd, 'ask.py'), text)
        const { stdout } = await run(join(folder, 'bin/python'), ['ask.py'], { cwd, env: { HOME: home } })
        includes(stdout, 'hello in one sentence', 'the answer')
      })
  }
}

await checks('Python', list)
