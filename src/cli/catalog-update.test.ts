/** `catalog update` as people run it: the comparison, what is applied, and nothing else. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { litellmList, litellmModel, modelsDevList, modelsDevModel } from '../../test/support/price-lists.ts'
import { systemClock } from '../base/clock.ts'
import { systemRandom } from '../base/ids.ts'
import { readConfig } from '../config/config.ts'
import { readTextFile } from '../server/read-text-file.ts'
import { openCommandServices } from '../server/services.ts'
import { runCli } from './cli.ts'

const scratch = mkdtempSync(join(tmpdir(), 'tollgate-price-list-'))
after(() => rmSync(scratch, { recursive: true }))

const environment = {
  TOLLGATE_DATA: join(scratch, 'data'),
  TOLLGATE_LOG_LEVEL: 'fatal',
  GROQ_API_KEY: 'any-key',
  AZURE_OPENAI_API_KEY: 'any-key',
  AZURE_OPENAI_ENDPOINT: 'https://my-resource.openai.azure.com/',
  AWS_BEARER_TOKEN_BEDROCK: 'any-key',
  AWS_REGION: 'eu-central-1',
  GOOGLE_VERTEX_PROJECT: 'my-project',
  GOOGLE_VERTEX_LOCATION: 'global',
  GOOGLE_APPLICATION_CREDENTIALS: '/etc/vertex.json',
}

async function run(...words: string[]) {
  const [stdout, stderr]: [string[], string[]] = [[], []]
  const unused = () => assert.fail('must not be called')
  const code = await runCli(words, {
    print: (text) => stdout.push(text),
    printError: (text) => stderr.push(text),
    program: { version: '1.2.3', nodeRange: '>=24.15' },
    readConfig: async () => readConfig(environment, scratch),
    variable: async () => undefined,
    readCredential: async () => '',
    nowMs: () => systemClock.wallMs(),
    openServices: (config) => openCommandServices(config, { clock: systemClock, random: systemRandom }),
    readFile: readTextFile,
    ...{
      variableNames: unused,
      setVariables: unused,
      testCredentials: unused,
      verifyFolder: unused,
      backUp: unused,
      move: unused,
      cancelMove: unused,
      serve: unused,
    },
  })
  return { code, stdout: stdout.join(''), stderr: stderr.join('') }
}

const path = join(scratch, 'api.json')
writeFileSync(
  path,
  JSON.stringify({
    groq: {
      models: {
        'llama-3.1-8b-instant': { cost: { input: 0.06, output: 0.08 } },
        'llama-3.3-70b-versatile': { cost: { input: 59, output: 0.79 } },
        'qwen/qwen3-32b': { cost: { input: -1, output: 1 } },
      },
    },
  }),
)
const update = (...words: string[]) => run('catalog', 'update', '--from', path, ...words)
const inputOf = async (model: string) => {
  const { stdout } = await run('models', 'prices', model, '--json')
  return (JSON.parse(stdout) as readonly { readonly input: string }[]).map(({ input }) => input)
}

test('without a choice it shows what differs and applies nothing', async () => {
  const { code, stdout, stderr } = await update()
  assert.deepEqual([code, stderr], [0, ''])
  assert.match(stdout, /^Changed prices \(2\):\nMODEL +PRICE +FROM +TO +CHANGE +NOTE\n/)
  assert.match(stdout, /groq\/llama-3\.1-8b-instant +input +0\.05 +0\.06 +\+20\.0%\n/)
  assert.match(
    stdout,
    /groq\/llama-3\.3-70b-versatile +input +0\.59 +59\.00 +\+9900\.0% +! a price changes by more/,
  )
  assert.match(stdout, /Not usable \(1\):\nMODEL +REASON\ngroq\/qwen\/qwen3-32b +input is negative\n/)
  assert.match(stdout, /Nothing was applied\. Use --apply for all, or --only MODEL,…/)
  assert.deepEqual(await inputOf('groq/llama-3.1-8b-instant'), ['0.05'])
})

test('--apply leaves marked rows, and --only takes those that are named', async () => {
  assert.match((await update('--apply')).stdout, /Applied: 1\.\n$/)
  assert.deepEqual(await inputOf('groq/llama-3.1-8b-instant'), ['0.05', '0.06'])
  assert.deepEqual(await inputOf('groq/llama-3.3-70b-versatile'), ['0.59'])
  assert.match((await update('--only', 'groq/llama-3.3-70b-versatile')).stdout, /Applied: 1\.\n$/)
  assert.deepEqual(await inputOf('groq/llama-3.3-70b-versatile'), ['0.59', '59.00'])
  assert.match((await update('--apply')).stdout, /Nothing to apply\.\n$/)
})

test('a whole list of either format updates the models of the clouds', async () => {
  const models = { azure: 'gpt-5.4', bedrock: 'amazon.nova-pro-v1:0', vertex: 'gemini-3.5-flash' }
  const lists = {
    litellm: litellmList({
      [`azure/${models.azure}`]: litellmModel('azure'),
      [models.bedrock]: litellmModel('bedrock_converse'),
      [models.vertex]: litellmModel('vertex_ai-language-models'),
    }),
    modelsDev: modelsDevList({
      azure: { [models.azure]: modelsDevModel(models.azure, 1.1) },
      'amazon-bedrock': { [models.bedrock]: modelsDevModel(models.bedrock, 1.1) },
      'google-vertex': { [models.vertex]: modelsDevModel(models.vertex, 1.1) },
    }),
  }
  const names = Object.entries(models).map(([provider, name]) => `${provider}/${name}`)
  for (const [name, text] of Object.entries(lists)) {
    const file = join(scratch, `${name}.json`)
    writeFileSync(file, text)
    const { code, stdout, stderr } = await run('catalog', 'update', '--from', file, '--only', names.join())
    assert.deepEqual([code, stderr], [0, ''])
    assert.match(stdout, /Applied: 3\.\n$/)
  }
  for (const name of names) assert.deepEqual((await inputOf(name)).slice(-2), ['1.00', '1.10'], name)
})

test('a name without another price rejects the whole', async () => {
  const { code, stdout, stderr } = await update('--only', 'groq/llama-3.1-8b-instant,groq/no-such')
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /^tollgate: nothing to apply for groq\/llama-3\.1-8b-instant, groq\/no-such: /)
})

test('the result as JSON has the rows and what was applied', async () => {
  const { stdout } = await update('--json')
  const output = JSON.parse(stdout) as { readonly rows: readonly object[]; readonly applied: null }
  assert.equal(output.applied, null)
  assert.ok(output.rows.length > 0)
})

test('files that cannot be read, are too large or are not lists are one line', async () => {
  const large = join(scratch, 'large.json')
  writeFileSync(large, Buffer.alloc(50 * 1024 * 1024, ' '))
  const wrong = join(scratch, 'wrong.json')
  writeFileSync(wrong, '{"models":[]}')
  for (const [from, message] of [
    [join(scratch, 'absent.json'), /absent\.json cannot be read\n$/],
    [scratch, / cannot be read\n$/],
    [large, /large\.json is larger than a price list may be\n$/],
    [wrong, /^tollgate: The list is neither api\.json of models\.dev nor .+ \[invalid_value\]\n$/],
    [
      'http://models.example/api.json',
      /^tollgate: The URL must begin with https:\/\/\. \[invalid_value\]\n$/,
    ],
  ] as const) {
    const { code, stdout, stderr } = await run('catalog', 'update', '--from', from)
    assert.deepEqual([code, stdout], [1, ''], from)
    assert.match(stderr, message)
  }
  assert.equal((await run('catalog', 'update', '--from', pathToFileURL(path).href)).code, 0)
})

test('the list is required, and a flag has no value', async () => {
  const absent = await run('catalog', 'update')
  assert.equal(absent.code, 2)
  assert.match(absent.stderr, /^tollgate: catalog update requires --from FILE\|URL: /)
  assert.match((await update('--apply=yes')).stderr, /^tollgate: --apply has no value/)
})
