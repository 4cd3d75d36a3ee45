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
import { followed } from './connect.js'
import { rejectionChecks } from './rejections.js'

const folder = await installed('codex', ['@openai/codex'])
const program = join(folder, 'node_modules/.bin/codex')

const words = (prompt) => [
  ...['exec', '--skip-git-repo-check', '--ephemeral', '--json'],
  ...['--sandbox', 'danger-full-access', prompt],
]

/** Its own provider, set up as *Connect* says. */
const shown = (model, prompt, place, at) =>
  followed('codex', { at, model, place, folder, words: words(prompt) })

/** Its built-in provider. */
function builtIn(model, prompt, { home, folder: cwd }) {
  write(join(home, '.codex/config.toml'), `model = "${model}"\nopenai_base_url = "${origin}/v1"\n`)
  return run(program, words(prompt), { cwd, env: { HOME: home, CODEX_API_KEY: key } })
}

async function ask(model, prompt, place, start = shown) {
  const { stdout } = await start(model, prompt, place)
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
      const events = await ask(model, 'say pomegranate', place, builtIn)
      return includes(said(events), 'pomegranate', 'the answer')
    })
}

Object.assign(
  list,
  rejectionChecks(
    'a text',
    (at, model) =>
      inWorkshop(async (place) => {
        return printedBy(await shown(model, 'say pomegranate', place, at))
      }),
    // It treats every unexpected status as a lost connection.
    { 401: { sentMax: 6 }, 402: { sentMax: 6 } },
  ),
)

await checks(`Codex ${versionOf(folder, '@openai/codex')}`, list)
