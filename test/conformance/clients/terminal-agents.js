/** More terminal agents, set up as *Connect* says: a text, a file read by their own tool, and permanently rejected requests. */
import { join } from 'node:path'
import { hello } from '../../../console/src/features/connect/recipe.ts'
import {
  checks,
  families,
  includes,
  installed,
  inWorkshop,
  printedBy,
  pythonVersionOf,
  secretWord,
  versionOf,
  write,
} from './client.js'
import { followed, installedAsShown } from './connect.js'
import { rejectionChecks } from './rejections.js'

const qwen = await installed('qwen-code', ['@qwen-code/qwen-code'])
const copilot = await installed('copilot-cli', ['@github/copilot'])
// The newest version lacks the program for Linux.
const kilo = await installed('kilo', ['@kilocode/cli@7.7.7'])
const mini = await installedAsShown('mini-swe-agent')
const llm = await installedAsShown('llm')

/** By the ids of their recipes. */
const agents = {
  'qwen-code': {
    name: `qwen-code ${versionOf(qwen, '@qwen-code/qwen-code')}`,
    folder: qwen,
    reads: 'use read_file {"file_path":"FILE"}',
    words: (prompt) => ['--yolo', '-p', prompt],
  },
  'copilot-cli': {
    name: `Copilot CLI ${versionOf(copilot, '@github/copilot')}`,
    folder: copilot,
    reads: 'use view {"path":"FILE"}',
    words: (prompt) => ['--allow-all-tools', '-p', prompt],
    rejections: {
      401: { says: 'Check your COPILOT_PROVIDER_API_KEY' },
      404: { says: "Model 'gpt-nobody' not found" },
    },
  },
  kilo: {
    name: `Kilo Code CLI ${versionOf(kilo, '@kilocode/cli')}`,
    folder: kilo,
    reads: 'use read {"filePath":"FILE"}',
    env: () => ({ KILO_DISABLE_MODELS_FETCH: '1', KILO_DISABLE_AUTOUPDATE: '1' }),
    // Word by word: it quotes an argument that contains spaces.
    words: (prompt) => ['run', '--auto', ...prompt.split(' ')],
  },
  'mini-swe-agent': {
    name: `mini-swe-agent ${await pythonVersionOf(mini, 'mini-swe-agent')}`,
    folder: mini,
    rejections: { 402: { sentMax: 2 } },
    // It works until a command ends its task: it has no turn of only text.
    hasNoText: true,
    reads: 'use bash {"command":"echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && cat FILE"}',
    env: () => ({
      MSWEA_CONFIGURED: 'true',
      // It repeats 402 as often as this says, ten times by default.
      MSWEA_MODEL_RETRY_STOP_AFTER_ATTEMPT: '2',
      LITELLM_LOCAL_MODEL_COST_MAP: 'True',
    }),
    words: (prompt) => ['-y', '--exit-immediately', '-t', prompt],
  },
  llm: {
    name: `llm ${await pythonVersionOf(llm, 'llm')}`,
    folder: llm,
    reads: 'use reader {"path":"FILE"}',
    prepare: ({ home }) =>
      write(join(home, 'tools.py'), 'def reader(path: str) -> str:\n    return open(path).read()\n'),
    env: ({ folder }) => ({ LLM_USER_PATH: folder }),
    words: (_prompt, { home }) => ['--functions', join(home, 'tools.py')],
    // The command that is shown has a prompt already.
    edited: (script, prompt) => script.replace(hello, prompt),
  },
}

const list = {}
for (const [id, agent] of Object.entries(agents)) {
  const { name, folder } = agent
  const start = (at, model, prompt) =>
    inWorkshop((place) => {
      agent.prepare?.(place)
      const asked = prompt.replace('FILE', place.file)
      const env = agent.env?.(place)
      const edited = (script) => agent.edited?.(script, asked) ?? script
      return followed(id, { at, model, place, folder, words: agent.words(asked, place), env, edited })
    })
  const ask = async (model, prompt) => (await start(undefined, model, prompt)).stdout
  for (const model of Object.values(families)) {
    if (agent.hasNoText !== true)
      list[`${name}: text on ${model}`] = async () =>
        includes(await ask(model, 'say pomegranate'), 'pomegranate', 'the answer')
    list[`${name}: a file read by its own tool on ${model}`] = async () =>
      includes(await ask(model, agent.reads), secretWord, 'the answer')
  }
  Object.assign(
    list,
    rejectionChecks(
      name,
      async (at, model) => printedBy(await start(at, model, 'say pomegranate')),
      agent.rejections,
    ),
  )
}

await checks('terminal agents', list)
