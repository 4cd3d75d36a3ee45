/**
 * Codex on all three families: a text turn, and a file read by its shell tool; and with the provider that is built
 * in, which tries a WebSocket first.
 */
import { join } from 'node:path'
import {
  checks,
  families,
  includes,
  installed,
  inWorkshop,
  key,
  origin,
  printedBy,
  run,
  secretWord,
  versionOf,
  write,
} from './client.js'
import { refusalChecks } from './refusals.js'

const folder = await installed('codex', ['@openai/codex'])
const program = join(folder, 'node_modules/.bin/codex')

/** A custom provider, as its documentation configures it. */
const ownProvider = (at) => [
  'model_provider = "gateway"',
  '[model_providers.gateway]',
  'name = "Gateway"',
  `base_url = "${at.origin}/v1"`,
  'env_key = "GATEWAY_API_KEY"',
  'wire_api = "responses"',
]
const builtInProvider = (at) => [`openai_base_url = "${at.origin}/v1"`]

/** Starts it with its settings; resolves with its output. */
function start(model, prompt, { home, folder: cwd }, { at = { origin, key }, provider = ownProvider } = {}) {
  write(join(home, '.codex/config.toml'), [`model = "${model}"`, ...provider(at), ''].join('\n'))
  const parameters = [
    'exec',
    '--skip-git-repo-check',
    '--ephemeral',
    '--json',
    '--sandbox',
    'danger-full-access',
    prompt,
  ]
  return run(program, parameters, {
    cwd,
    env: { HOME: home, GATEWAY_API_KEY: at.key, CODEX_API_KEY: at.key },
  })
}

async function ask(model, prompt, place, how) {
  const { stdout } = await start(model, prompt, place, how)
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
}

const said = (events) => events.map(({ item }) => (item?.type === 'agent_message' ? item.text : '')).join('')

const list = {}
for (const model of Object.values(families)) {
  list[`text on ${model}`] = () =>
    inWorkshop(async (place) =>
      includes(said(await ask(model, 'say pomegranate', place)), 'pomegranate', 'the answer'),
    )
  list[`a tool round trip on ${model}`] = () =>
    inWorkshop(async (place) => {
      const command = JSON.stringify({ cmd: `cat ${place.file}` })
      const events = await ask(model, `use exec_command ${command}`, place)
      includes(said(events), secretWord, 'the answer')
      return `${events.filter(({ item }) => item?.type === 'command_execution').length > 0 ? 'ran a command' : 'no command'}`
    })
}

for (const model of Object.values(families)) {
  list[`the built-in provider goes on without its WebSocket, on ${model}`] = () =>
    inWorkshop(async (place) => {
      const events = await ask(model, 'say pomegranate', place, { provider: builtInProvider })
      return includes(said(events), 'pomegranate', 'the answer')
    })
}

Object.assign(
  list,
  refusalChecks(
    'a text',
    (at, model) =>
      inWorkshop(async (place) => {
        return printedBy(await start(model, 'say pomegranate', place, { at }))
      }),
    // It treats every unexpected status as a lost connection.
    { 401: { sentMax: 6 }, 402: { sentMax: 6 } },
  ),
)

await checks(`Codex ${versionOf(folder, '@openai/codex')}`, list)
