/**
 * Price lists of a server that is not honest: each is read or rejected with a sentence, without holding up the server, and what
 * they contain does not control the terminal of the operator that reads it.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { systemRandom } from '../../src/base/ids.ts'
import { runCli } from '../../src/cli/cli.ts'
import { readConfig } from '../../src/config/config.ts'
import { readTextFile } from '../../src/server/read-text-file.ts'
import { openCommandServices } from '../../src/server/services.ts'

const scratch = mkdtempSync(join(tmpdir(), 'tollgate-hostile-list-'))
after(() => rmSync(scratch, { recursive: true }))

const environment = {
  TOLLGATE_DATA: join(scratch, 'data'),
  TOLLGATE_LOG_LEVEL: 'fatal',
  GROQ_API_KEY: 'any-key',
  OPENAI_API_KEY: 'any-key',
}
const path = join(scratch, 'list.json')

/** Runs `catalog update --from` on the list. */
async function update(list: string, ...words: string[]) {
  writeFileSync(path, list)
  const [stdout, stderr]: [string[], string[]] = [[], []]
  const unused = () => assert.fail('must not be called')
  const code = await runCli(['catalog', 'update', '--from', path, ...words], {
    print: (text) => stdout.push(text),
    printError: (text) => stderr.push(text),
    program: { version: '1.2.3', nodeRange: '>=24.15' },
    readConfig: async () => readConfig(environment, scratch),
    variable: async () => undefined,
    readCredential: async () => '',
    nowMs: () => systemClock.wallMs(),
    openServices: (config) => openCommandServices(config, { clock: systemClock, random: systemRandom }),
    readFile: readTextFile,
    ...{ variableNames: unused, setVariables: unused, testCredentials: unused },
    ...{ verifyFolder: unused, backUp: unused, move: unused, cancelMove: unused, serve: unused },
  })
  return { code, stdout: stdout.join(''), stderr: stderr.join('') }
}

const groq = (models: string): string => `{"groq":{"models":{${models}}}}`
const llama = (cost: string): string => groq(`"llama-3.3-70b-versatile":{"cost":${cost}}`)
const listOf = (count: number, entry: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => entry(index)).join()

const rejected: readonly (readonly [what: string, list: () => string, message: RegExp])[] = [
  ['a text of escapes', () => `{"a":"${'\\n'.repeat(4_000_000)}`, /not valid JSON: unexpected/],
  ['a text of quotes', () => `{"a":"${'\\"'.repeat(4_000_000)}`, /a value has more than 65536 characters/],
  ['a text of backslashes', () => `{"a":"${'\\'.repeat(8_000_000)}`, /not valid JSON: unexpected/],
  ['a value of escapes', () => `"${'\\n'.repeat(4_000_000)}"`, /a value has more than 65536 characters/],
  ['too many models', () => groq(listOf(60_000, (index) => `"${index}":0`)), /more than 50000 models/],
  ['too many values', () => groq(listOf(600_000, (index) => `"${index}":0`)), /more than 500000 values/],
  ['too many providers', () => `{${listOf(60_000, (index) => `"${index}":0`)}}`, /more than 50000 models/],
  ['nesting', () => '['.repeat(8_000_000), /nested deeper than/],
]

for (const [what, list, message] of rejected) {
  test(`rejected with a sentence: ${what}`, async () => {
    const { code, stdout, stderr } = await update(list())
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, message)
  })
}

const tier = (index: number): string => `{"input":0.59,"output":0.79,"tier":{"size":${index + 1}}}`
const litellm = (fields: string): string =>
  `{"gpt-4.1":{"litellm_provider":"openai","mode":"chat","input_cost_per_token":1e-6,"output_cost_per_token":1e-6,${fields}}}`

const unusable: readonly (readonly [what: string, list: () => string])[] = [
  ['models.dev', () => llama(`{"input":0.59,"output":0.79,"tiers":[${listOf(60_000, tier)}]}`)],
  [
    'LiteLLM, as fields',
    () => litellm(listOf(150_000, (index) => `"input_cost_per_token_above_${index}k_tokens":1e-6`)),
  ],
  [
    'LiteLLM, as ranges',
    () =>
      litellm(
        `"tiered_pricing":[${listOf(60_000, (index) => `{"range":[${index},${index + 1}],"input_cost_per_token":1e-6}`)}]`,
      ),
  ],
]

for (const [what, list] of unusable) {
  test(`a price with very many tiers cannot be used: ${what}`, async () => {
    const { code, stdout } = await update(list(), '--apply')
    assert.equal(code, 0)
    assert.match(stdout, /it has more than 8 tiers/)
  })
}

test('names in a list do not control the terminal', async () => {
  const names = ['\u001b]0;owned\u0007', '\u001b[2J', 'a\u009b31mb', 'one\nApplied: 99.', 'x\u202egnp']
  const models = names.map(
    (name) => `${JSON.stringify(name)}:{"cost":{"input":1,"output":1},"limit":{"output":1}}`,
  )
  const { code, stdout } = await update(groq(models.join()))
  assert.equal(code, 0)
  assert.match(stdout, /oneApplied: 99\. +the name has characters/)
  assert.doesNotMatch(stdout, /[^\P{Cc}\n]|\u202e/u)
  const failed = await update(`{"a":\u001b[2J\u009b}`)
  assert.equal(failed.code, 1)
  assert.doesNotMatch(failed.stderr, /[^\P{Cc}\n]/u)
})

test('facts that no model can have are left out', async () => {
  const facts = [
    `"name":"${'x'.repeat(5_000)}"`,
    `"modalities":{"input":[${listOf(40, (index) => `"kind-${index}"`)},"${'y'.repeat(90)}"],"output":["text"]}`,
    '"limit":{"context":1000,"input":9007199254740991,"output":100}',
    '"cost":{"input":1,"output":1}',
  ]
  const { code, stdout, stderr } = await update(groq(`"llama-hostile":{${facts.join()}}`))
  assert.deepEqual([code, stderr], [0, ''])
  assert.match(stdout, /groq\/llama-hostile/)
})

test('names of the language’s own objects are names of models and fields like others', async () => {
  const own = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
  const models = own.map(
    (name) => `"${name}":{"cost":{"input":1,"output":1,"${name}":{}},"${name}":1,"limit":{"output":1}}`,
  )
  const list = `{${own.map((name) => `"${name}":{"models":{}}`).join()},"groq":{"models":{${models.join()}}}}`
  const { code, stdout } = await update(list)
  assert.equal(code, 0)
  for (const name of own) assert.match(stdout, new RegExp(`groq/${name} +the list has no context`))
})
