/** More terminal agents: a text, a file read by their own tool, and permanently rejected requests. */
import { join } from 'node:path'
import {
  checks,
  families,
  includes,
  installed,
  installedPython,
  inWorkshop,
  key,
  origin,
  printedBy,
  pythonVersionOf,
  run,
  secretWord,
  versionOf,
  write,
} from './client.js'
import { refusalChecks } from './refusals.js'

const qwen = await installed('qwen-code', ['@qwen-code/qwen-code@0.15.10'])
const copilot = await installed('copilot-cli', ['@github/copilot@1.0.102'])
// Its later versions are not published for Linux.
const kilo = await installed('kilo', ['@kilocode/cli@7.7.7'])
const mini = await installedPython('mini-swe-agent', [
  'mini-swe-agent==2.4.6',
  'litellm==1.106.2',
  'mcp==2.3.0',
])
const llm = await installedPython('llm', ['llm==0.36'])

const inBin = (folder, name) => join(folder, 'node_modules/.bin', name)
const onPython = (folder, name) => [join(folder, 'bin/python'), join(folder, 'bin', name)]

const agents = {
  [`qwen-code ${versionOf(qwen, '@qwen-code/qwen-code')}`]: {
    reads: 'use read_file {"file_path":"FILE"}',
    env: (model, _home, at) => ({
      OPENAI_BASE_URL: `${at.origin}/v1`,
      OPENAI_API_KEY: at.key,
      OPENAI_MODEL: model,
    }),
    command: () => [inBin(qwen, 'qwen'), '--auth-type', 'openai', '--yolo', '-p'],
  },
  [`Copilot CLI ${versionOf(copilot, '@github/copilot')}`]: {
    reads: 'use view {"path":"FILE"}',
    env: (model, _home, at) => ({
      COPILOT_PROVIDER_TYPE: 'openai',
      COPILOT_PROVIDER_BASE_URL: `${at.origin}/v1`,
      COPILOT_PROVIDER_API_KEY: at.key,
      COPILOT_MODEL: model,
    }),
    command: () => [inBin(copilot, 'copilot'), '--allow-all-tools', '-p'],
    refusals: {
      401: { says: 'Check your COPILOT_PROVIDER_API_KEY' },
      404: { says: "Model 'gpt-nobody' not found" },
    },
  },
  [`Kilo Code CLI ${versionOf(kilo, '@kilocode/cli')}`]: {
    reads: 'use read {"filePath":"FILE"}',
    prepare: (home, model, at) =>
      write(join(home, '.config/kilo/kilo.json'), {
        model: `tollgate/${model}`,
        provider: {
          tollgate: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${at.origin}/v1`, apiKey: '{env:TOLLGATE_KEY}' },
            models: { [model]: { name: model } },
          },
        },
      }),
    env: () => ({ KILO_DISABLE_MODELS_FETCH: '1', KILO_DISABLE_AUTOUPDATE: '1' }),
    // Word by word: it quotes an argument that contains spaces.
    command: () => [inBin(kilo, 'kilo'), 'run', '--auto'],
    splits: true,
  },
  [`mini-swe-agent ${await pythonVersionOf(mini, 'mini-swe-agent')}`]: {
    refusals: { 402: { sentMax: 2 } },
    reads: 'use bash {"command":"echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && cat FILE"}',
    env: (_model, _home, at) => ({
      OPENAI_API_BASE: `${at.origin}/v1`,
      OPENAI_API_KEY: at.key,
      MSWEA_CONFIGURED: 'true',
      MSWEA_COST_TRACKING: 'ignore_errors',
      // It repeats 402 as often as this says, ten times by default.
      MSWEA_MODEL_RETRY_STOP_AFTER_ATTEMPT: '2',
      LITELLM_LOCAL_MODEL_COST_MAP: 'True',
    }),
    command: (model) => [
      ...onPython(mini, 'mini'),
      '-m',
      `openai/${model}`,
      '-y',
      '--exit-immediately',
      '-t',
    ],
  },
  [`llm ${await pythonVersionOf(llm, 'llm')}`]: {
    reads: 'use reader {"path":"FILE"}',
    prepare(home, model, at) {
      const lines = [
        `model_name: ${model}`,
        `api_base: ${at.origin}/v1`,
        'api_key_name: tollgate',
        'supports_tools: true',
      ]
      write(join(home, 'llm/extra-openai-models.yaml'), `- model_id: tollgate\n  ${lines.join('\n  ')}\n`)
      write(join(home, 'llm/keys.json'), { tollgate: at.key })
      write(join(home, 'tools.py'), 'def reader(path: str) -> str:\n    return open(path).read()\n')
    },
    env: (_model, home) => ({ LLM_USER_PATH: join(home, 'llm') }),
    command: (_model, home) => [
      ...onPython(llm, 'llm'),
      '-m',
      'tollgate',
      '--functions',
      join(home, 'tools.py'),
    ],
  },
}

const list = {}
for (const [name, agent] of Object.entries(agents)) {
  const start = (at, model, prompt) =>
    inWorkshop(({ home, folder, file }) => {
      agent.prepare?.(home, model, at)
      const [program, ...words] = agent.command(model, home)
      const env = { HOME: home, TOLLGATE_KEY: at.key, ...agent.env?.(model, home, at) }
      const asked = prompt.replace('FILE', file)
      return run(program, [...words, ...(agent.splits ? asked.split(' ') : [asked])], { cwd: folder, env })
    })
  const ask = async (model, prompt) => (await start({ origin, key }, model, prompt)).stdout
  for (const model of Object.values(families)) {
    // An agent that works until a command ends its task has no turn of only text.
    if (!name.startsWith('mini'))
      list[`${name}: text on ${model}`] = async () =>
        includes(await ask(model, 'say pomegranate'), 'pomegranate', 'the answer')
    list[`${name}: a file read by its own tool on ${model}`] = async () =>
      includes(await ask(model, agent.reads), secretWord, 'the answer')
  }
  Object.assign(
    list,
    refusalChecks(
      name,
      async (at, model) => printedBy(await start(at, model, 'say pomegranate')),
      agent.refusals,
    ),
  )
}

await checks('terminal agents', list)
