/** Configuration for operators: the source of each setting, and the message for each mistake. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { configurationPage, configurationPath } from '../../scripts/configuration-page.ts'
import { type Config, type Environment, limitDefaults, processMemoryBytes, readConfig } from './config.ts'
import { fileSchema, knownNames } from './file.ts'
import { type Limit, limitsTable } from './limits-table.ts'
import { secretNames, variableNames } from './settings-table.ts'

const folder = mkdtempSync(join(tmpdir(), 'tollgate-config-'))
after(() => rmSync(folder, { recursive: true }))
let files = 0

/** Reads with the given text as the configuration file; '' is no file at all. */
function read(text: string, environment: Environment = {}) {
  if (text === '') return readConfig(environment, folder)
  files += 1
  const name = `case-${files}.yaml`
  writeFileSync(join(folder, name), text)
  return readConfig({ ...environment, TOLLGATE_CONFIG: name }, folder)
}

function config(text: string, environment: Environment = {}): Config {
  const result = read(text, environment)
  assert.equal(result.kind, 'config', result.kind === 'mistakes' ? result.mistakes.join('\n') : '')
  return (result as { config: Config }).config
}

function mistakes(text: string, environment: Environment = {}): readonly string[] {
  const result = read(text, environment)
  return result.kind === 'mistakes'
    ? result.mistakes.map((mistake) => mistake.replace(/^case-\d+/, 'file'))
    : []
}

const randomText = ['0123456789', 'abcdefghij', 'klmnopqrst', 'uv'].join('')

const mebibyte = 1024 * 1024

test('budgets of memory follow what the process may use, and what is set stays', () => {
  const within = (memoryBytes: number, text = 'aliases: {}', environment: Environment = {}) => {
    files += 1
    const name = `case-${files}.yaml`
    writeFileSync(join(folder, name), text)
    const result = readConfig({ ...environment, TOLLGATE_CONFIG: name }, folder, memoryBytes)
    assert.ok(result.kind === 'config')
    return result.config.limits
  }
  const budgets = (limits: Config['limits']) =>
    [limits.bodyBudgetBytes, limits.bodyWorkMemoryBytes, limits.eventBudgetBytes].map((bytes) =>
      Math.floor(bytes / mebibyte),
    )
  assert.deepEqual(budgets(within(512 * mebibyte)), [85, 128, 32])
  assert.deepEqual(budgets(within(1024 * mebibyte)), [170, 256, 64])
  assert.deepEqual(within(64 * 1024 * mebibyte), limitDefaults)
  // Each thread that serves requests has them.
  assert.deepEqual(budgets(within(1024 * mebibyte, undefined, { TOLLGATE_THREADS: '2' })), [85, 128, 32])
  const set = within(512 * mebibyte, 'limits: { bodyBudgetBytes: 300000000 }')
  assert.equal(set.bodyBudgetBytes, 300_000_000)
  assert.equal(set.bodyBytesMax, limitDefaults.bodyBytesMax)
})

test('the memory of a process is the limit of its container, where there is one', () => {
  const machine = 8 * 1024 * mebibyte
  for (const none of [0, 18_446_744_073_709_552_000]) assert.equal(processMemoryBytes(none, machine), machine)
  assert.equal(processMemoryBytes(512 * mebibyte, machine), 512 * mebibyte)
})

test('nothing is needed: every default holds', () => {
  const found = config('')
  assert.equal(found.host, '127.0.0.1')
  assert.deepEqual(found.port, { number: 8080, chosen: false })
  assert.ok(found.dataFolder.endsWith('/data'))
  assert.equal(found.sandbox, 'on')
  assert.deepEqual(found.upstreams, [])
  assert.deepEqual(found.limits, limitDefaults)
})

test('the value is frozen to its leaves', () => {
  const found = config('models: [{id: a, prices: [{input: 1, output: 2}]}]')
  assert.ok(
    Object.isFrozen(found) && Object.isFrozen(found.limits) && Object.isFrozen(found.models[0]?.prices?.[0]),
  )
})

test('the file says everything that the environment can say, and the environment wins', () => {
  const text = `
server:
  host: 0.0.0.0
  port: 9000
  dataFolder: state
  publicUrl: https://gate.example
  trustedProxies: [10.0.0.0/8, "::1"]
  browserOrigins: [https://app.example]
  logLevel: debug
  metricsToken: \${SCRAPE}
`
  const fromFile = config(text, { SCRAPE: randomText })
  assert.equal(fromFile.host, '0.0.0.0')
  assert.deepEqual(fromFile.port, { number: 9000, chosen: true })
  assert.equal(fromFile.dataFolder, join(folder, 'state'))
  assert.equal(fromFile.publicUrl, 'https://gate.example')
  assert.deepEqual(fromFile.trustedProxies, ['10.0.0.0/8', '::1'])
  assert.deepEqual(fromFile.browserOrigins, ['https://app.example'])
  assert.equal(fromFile.logLevel, 'debug')
  assert.equal(fromFile.metricsToken, randomText)
  const both = config(text, {
    SCRAPE: randomText,
    TOLLGATE_HOST: '127.0.0.1',
    TOLLGATE_PORT: '0',
    TOLLGATE_DATA: '/var/lib/gate',
    TOLLGATE_PUBLIC_URL: 'http://other.example:81/',
    TOLLGATE_TRUSTED_PROXIES: '192.168.1.1, 172.16.0.0/12',
    TOLLGATE_BROWSER_ORIGINS: 'http://localhost:5173, https://app.example',
    TOLLGATE_LOG_LEVEL: 'silent',
    TOLLGATE_METRICS_TOKEN: `${randomText}2`,
  })
  assert.equal(both.host, '127.0.0.1')
  assert.deepEqual(both.port, { number: 0, chosen: true })
  assert.equal(both.dataFolder, '/var/lib/gate')
  assert.equal(both.publicUrl, 'http://other.example:81')
  assert.deepEqual(both.trustedProxies, ['192.168.1.1', '172.16.0.0/12'])
  assert.deepEqual(both.browserOrigins, ['http://localhost:5173', 'https://app.example'])
  assert.equal(both.logLevel, 'silent')
  assert.equal(both.metricsToken, `${randomText}2`)
})

test('the variable of a host is an upstream of it that serves what is known of it, unless the file has one', () => {
  const environment = { GROQ_API_KEY: 'one', TOGETHER_API_KEY: '' }
  assert.deepEqual(config('', environment).upstreams, [
    { name: 'groq', provider: 'groq', url: null, credential: 'one', weight: 1, models: 'all' },
  ])
  const file = 'upstreams: [{name: fast, provider: groq, credential: two, models: [groq/a]}]'
  assert.deepEqual(
    config(file, environment).upstreams.map(({ name }) => name),
    ['fast'],
  )
  const named =
    'upstreams: [{name: groq, provider: openai, url: "https://api.groq.com/openai/v1", credential: x, models: [a]}]'
  assert.equal(config(named, environment).upstreams.length, 1)
})

test('credentials in the environment are upstreams, after those of the file; an empty one is none', () => {
  const text = `
upstreams:
  - { name: first, provider: openai, url: "http://127.0.0.1:9/", credential: "\${FIRST}", weight: 3 }
`
  const found = config(text, {
    FIRST: 'one',
    OPENAI_API_KEY: 'two',
    TOLLGATE_OPENAI_URL: 'http://localhost:1234/openai/v1/',
    ANTHROPIC_API_KEY: '',
    GEMINI_API_KEY: 'three',
  })
  assert.deepEqual(found.upstreams, [
    { name: 'first', provider: 'openai', url: 'http://127.0.0.1:9', credential: 'one', weight: 3 },
    {
      ...{ name: 'openai', provider: 'openai', url: 'http://localhost:1234/openai/v1' },
      ...{ credential: 'two', weight: 1, models: 'all' },
    },
    { name: 'google', provider: 'google', url: null, credential: 'three', weight: 1, models: 'all' },
  ])
})

test('an upstream lists its models by name, with the name there where that differs, or all', () => {
  const text = `
upstreams:
  - { name: a, provider: openai, credential: b, models: [gpt-x, { id: gpt-y, upstreamId: vendor/gpt-y }] }
  - { name: c, provider: openai, credential: d, models: all }
`
  assert.deepEqual(
    config(text, {}).upstreams.map(({ models }) => models),
    [[{ id: 'gpt-x' }, { id: 'gpt-y', upstreamId: 'vendor/gpt-y' }], 'all'],
  )
})

test('models keep their decimals as written, quoted or not', () => {
  const text = `
models:
  - id: house-model
    provider: openai
    upstreamId: gpt-x
    formats: [openai-chat]
    context: 128000
    maxOutput: 4096
    inputs: [text, image]
    reasoning: true
    markup: 2.5%
    prices:
      - { effectiveFrom: 2026-07-01, input: 0.10, output: "0.30", cacheRead: 0.000000001 }
      - effectiveFrom: 2026-08-01T06:00Z
        input: 1
        output: 2
        tiers: [{ aboveInputTokens: 200000, input: 2 }]
        options: { "service_tier:flex": 0.5, "service_tier:priority": 5/3 }
        fees: { web_search: 0.01 }
aliases: { quick: house-model }
disabled: [gpt-4]
markup: 5%
`
  const found = config(text)
  const [model] = found.models
  assert.equal(model?.prices?.[0]?.input, '0.10')
  assert.equal(model?.prices?.[0]?.cacheRead, '0.000000001')
  assert.deepEqual(model?.prices?.[1]?.options, {
    'service_tier:flex': '0.5',
    'service_tier:priority': '5/3',
  })
  assert.equal(model?.context, 128_000)
  assert.deepEqual(model?.formats, ['openai-chat'])
  assert.equal(model?.reasoning, true)
  assert.deepEqual(found.aliases, { quick: 'house-model' })
  assert.deepEqual(found.disabled, ['gpt-4'])
  assert.equal(found.markup, '5%')
})

test('limits are replaced one by one, each in its own kind of number', () => {
  const found = config(`
limits:
  attemptsMax: 5
  signupNano: 1
  reserveShare: 0.25
  shareOfKeyMax: 0.1
  requestsPerMinute: none
  holdWaitMs: 0
`).limits
  assert.equal(found.attemptsMax, 5)
  assert.equal(found.signupNano, 1n)
  assert.deepEqual(found.reserveShare, { numerator: 25n, denominator: 100n })
  assert.equal(found.shareOfKeyMax, 0.1)
  assert.equal(found.requestsPerMinute, null)
  assert.equal(found.holdWaitMs, 0)
  assert.equal(found.bodyBytesMax, limitDefaults.bodyBytesMax)
})

test('the sandbox is on for this machine alone, unless the file decides', () => {
  assert.equal(config('', { TOLLGATE_HOST: '::1' }).sandbox, 'on')
  assert.equal(config('', { TOLLGATE_HOST: '0.0.0.0' }).sandbox, 'off')
  assert.equal(config('', { TOLLGATE_PUBLIC_URL: 'https://gate.example' }).sandbox, 'off')
  assert.equal(config('sandbox: on', { TOLLGATE_HOST: '0.0.0.0' }).sandbox, 'on')
  assert.equal(config('sandbox: off').sandbox, 'off')
})

/** Every variable with a secret, and a text that it takes. */
const secretTexts: Readonly<Record<string, string>> = {
  ...Object.fromEntries(secretNames.map((name) => [name, 'a-key-of-24-characters-x'])),
  TOLLGATE_SECRET: randomText,
  ...Object.fromEntries(
    ['', 'DIRECT_'].map((which) => [`DATABASE_${which}URL`, 'postgres://gate:a@db.example/gate']),
  ),
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=a',
  STRIPE_SECRET_KEY: `sk_${'test'}_a`,
  STRIPE_WEBHOOK_SECRET: `whsec_${'a'}`,
  SMTP_URL: 'smtps://gate:a@mail.example',
}

/** Variables that some secrets also need. */
const besideSecrets: Environment = {
  ...{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', MAIL_FROM: 'a@b.example' },
  ...{ AZURE_OPENAI_ENDPOINT: 'https://my-resource.openai.azure.com', AWS_REGION: 'us-east-1' },
}

function secretsInFiles(): Environment {
  return Object.fromEntries(
    Object.entries(secretTexts).map(([name, text]) => {
      writeFileSync(join(folder, name), `${text}\n`)
      return [`${name}_FILE`, name]
    }),
  )
}

test('every secret of the environment may be in a file that a variable names', () => {
  const found = config('', { ...secretsInFiles(), ...besideSecrets })
  assert.deepEqual(found, config('', { ...secretTexts, ...besideSecrets }))
  assert.ok(found.upstreams.length > 25, 'each provider has its upstream')
  // A reference of the file to such a variable works too.
  const text = `upstreams: [{ name: a, provider: openai, credential: "\${OPENAI_API_KEY}" }]`
  assert.equal(
    config(text, { OPENAI_API_KEY_FILE: 'OPENAI_API_KEY' }).upstreams[0]?.credential,
    secretTexts.OPENAI_API_KEY,
  )
})

for (const variable of secretNames) {
  test(`${variable}_FILE: mistakes name the file and never its text`, () => {
    writeFileSync(join(folder, 'empty'), ' \n')
    const told = (environment: Environment) =>
      mistakes('', { ...besideSecrets, ...secretTexts, ...environment })
    assert.deepEqual(told({ [variable]: '', [`${variable}_FILE`]: 'nowhere/key' }).slice(0, 1), [
      `${variable}_FILE: nowhere/key cannot be read (ENOENT)`,
    ])
    assert.deepEqual(told({ [variable]: '', [`${variable}_FILE`]: 'empty' }).slice(0, 1), [
      `${variable}_FILE: empty is empty`,
    ])
    assert.deepEqual(told({ [`${variable}_FILE`]: 'empty' }), [
      `${variable}: ${variable}_FILE is also set; unset one of them`,
    ])
    writeFileSync(join(folder, 'wrong'), 'two words\n')
    const wrong = told({ [variable]: '', [`${variable}_FILE`]: 'wrong' }).join()
    assert.match(wrong, new RegExp(`^${variable}_FILE: `))
    assert.ok(!wrong.includes('two words'))
  })
}

test('a secret of the file may be in another file; a cloud reads its own', () => {
  secretsInFiles()
  const text = `
server: { metricsToken: { file: TOLLGATE_METRICS_TOKEN } }
telemetry: { endpoint: "http://127.0.0.1:4318", headers: { authorization: { file: OPENAI_API_KEY } } }
upstreams:
  - { name: a, provider: openai, credential: { file: "\${PLACE}/OPENAI_API_KEY" } }
  - name: b
    provider: custom
    url: https://b.example/v1
    formats: [openai-chat]
    headers: { x-token: { file: OPENAI_API_KEY } }
  - name: c
    provider: vertex
    url: https://aiplatform.googleapis.com/v1/projects/p/locations/global
    credential: { file: account.json }
signIn: [{ kind: github, clientId: a, clientSecret: { file: OPENAI_API_KEY } }]
`
  const found = config(text, { PLACE: folder })
  const key = secretTexts.OPENAI_API_KEY ?? ''
  assert.equal(found.metricsToken, key)
  assert.deepEqual(found.telemetry?.headers, ['authorization', key])
  assert.equal(found.upstreams[0]?.credential, key)
  assert.match(JSON.stringify(found.upstreams[1]), new RegExp(key))
  assert.equal(found.upstreams[2]?.credential, '{"file":"account.json"}')
  assert.equal(found.signIn[0]?.clientSecret, key)
  assert.deepEqual(mistakes('upstreams: [{ name: a, provider: openai, credential: { file: nowhere } }]'), [
    'file.yaml: upstreams[0].credential: nowhere cannot be read (ENOENT)',
  ])
  assert.deepEqual(mistakes('server: { host: { file: OPENAI_API_KEY } }'), [
    'file.yaml: server.host: must be a single value',
  ])
})

test('`tollgate.yaml` of the working folder is read without being named', () => {
  const own = mkdtempSync(join(tmpdir(), 'tollgate-config-'))
  writeFileSync(join(own, 'tollgate.yaml'), 'server: { port: 4711 }\nmodels:\n  # none yet\n')
  const result = readConfig({}, own)
  rmSync(own, { recursive: true })
  assert.equal(result.kind === 'config' && result.config.port.number, 4711)
})

const wrong: readonly [what: string, text: string, mistake: string][] = [
  ['an unknown section', 'modles: []', 'file.yaml: modles: unknown name; did you mean models?'],
  [
    'an unknown limit',
    'limits: { requestPerMinute: 5 }',
    'file.yaml: limits.requestPerMinute: unknown name; did you mean requestsPerMinute?',
  ],
  [
    'the upstreams of a model, in place of offers',
    'models: [{ id: a, upstreams: [one, two] }]',
    'file.yaml: models[0].upstreams: unknown name; write offers: [one, two]',
  ],
  [
    'a name of another section',
    'models: [{ id: a, credential: none }]',
    'file.yaml: models[0].credential: unknown name here',
  ],
  [
    'the formats of an offer by their earlier name',
    'models: [{ id: a, offers: [{ upstream: one, dialects: [openai-chat] }] }]',
    'file.yaml: models[0].offers[0].dialects: unknown name; write formats: [openai-chat]',
  ],
  [
    'a price that is not a number',
    'models: [{ id: a, prices: [{ input: cheap, output: 1 }] }]',
    'file.yaml: models[0].prices[0].input: must be an amount in USD with at most 9 decimal places, such as 0.15',
  ],
  [
    'a price of ten million',
    'models: [{ id: a, prices: [{ input: 10000000, output: 1 }] }]',
    'file.yaml: models[0].prices[0].input: must be less than 10000000.00 USD',
  ],
  [
    'a tenth decimal',
    'models: [{ id: a, prices: [{ input: 0.0000000001, output: 1 }] }]',
    'file.yaml: models[0].prices[0].input: can have at most 9 decimal places, a nano-dollar',
  ],
  [
    'a missing price',
    'models: [{ id: a, prices: [{ input: 1 }] }]',
    'file.yaml: models[0].prices[0].output: is missing',
  ],
  ['a list where a mapping belongs', 'server: [1]', 'file.yaml: server: must be a mapping'],
  [
    'an unknown format',
    'models: [{ id: a, formats: [chat] }]',
    'file.yaml: models[0].formats[0]: must be openai-chat, openai-responses, openai-embeddings, anthropic, gemini, gemini-embeddings, or bedrock-converse',
  ],
  [
    'an output of no kind',
    'models: [{ id: a, outputs: [pdf] }]',
    'file.yaml: models[0].outputs[0]: must be text, image, audio, video or embeddings',
  ],
  ['a text where a list belongs', 'models: none', 'file.yaml: models: must be a list'],
  [
    'a day that does not exist',
    'models: [{ id: a, released: 2026-02-30 }]',
    'file.yaml: models[0].released: is not a valid date',
  ],
  [
    'an address with the path of an endpoint',
    'upstreams: [{ name: a, provider: openai, credential: b, url: "https://a.example/v1/responses" }]',
    'file.yaml: upstreams[0].url: must be the base URL, without the path of an endpoint: https://a.example/v1',
  ],
  [
    'models that are not a list',
    'upstreams: [{ name: a, provider: openai, credential: b, models: some }]',
    'file.yaml: upstreams[0].models: must be a list of model names, or all',
  ],
  [
    'a factor of nothing',
    'models: [{ id: a, prices: [{ input: 1, output: 1, options: { "speed:fast": 0.0 } }] }]',
    'file.yaml: models[0].prices[0].options["speed:fast"]: must be above zero',
  ],
  [
    'a name with a space',
    'aliases: { "my model": gpt-5 }',
    'file.yaml: aliases["my model"]: must be a name of at most 200 visible ASCII characters',
  ],
  [
    'a variable that is not set',
    `upstreams: [{ name: a, provider: openai, credential: "\${NOWHERE}" }]`,
    'file.yaml: upstreams[0].credential: the environment variable NOWHERE is not set',
  ],
  ['a key twice', 'sandbox: on\nsandbox: off', 'file.yaml: Map keys must be unique at line 2, column 1'],
  [
    'an upstream name twice',
    'upstreams: [{ name: a, provider: openai, credential: b }, { name: a, provider: openai, credential: c }]',
    'upstreams: duplicate name a',
  ],
  [
    'a timer beyond 31 bits',
    'limits: { drainMs: 3000000000 }',
    'file.yaml: limits.drainMs: must be a whole number from 0 to 2147483647',
  ],
  [
    'zero attempts',
    'limits: { attemptsMax: 0 }',
    'file.yaml: limits.attemptsMax: must be a whole number from 1 to 1000000000000',
  ],
  [
    'a share above one',
    'limits: { reserveShare: 1.5 }',
    'file.yaml: limits.reserveShare: must be a share from 0 to 1, such as 0.5',
  ],
]

for (const [what, text, mistake] of wrong) {
  test(`${what} is named by its path`, () => assert.deepEqual(mistakes(text), [mistake]))
}

const wrongVariables: readonly [what: string, environment: Environment, mistake: string][] = [
  ['unknown', { TOLLGATE_PROT: '1' }, 'TOLLGATE_PROT: unknown variable; did you mean TOLLGATE_PORT?'],
  [
    'read by a library behind our back',
    { BETTER_AUTH_TRUSTED_ORIGINS: 'https://elsewhere.example' },
    'BETTER_AUTH_TRUSTED_ORIGINS: would change which origins are trusted; unset it',
  ],
  ['out of range', { TOLLGATE_PORT: '65536' }, 'TOLLGATE_PORT: must be a whole number from 0 to 65535'],
  [
    'an address without its credential',
    { TOLLGATE_OPENAI_URL: 'http://a.example' },
    'TOLLGATE_OPENAI_URL: is set, but OPENAI_API_KEY is not',
  ],
  [
    'a proxy that is not an IP address or a network',
    { TOLLGATE_TRUSTED_PROXIES: '10.0.0.0/33' },
    'TOLLGATE_TRUSTED_PROXIES: 10.0.0.0/33 is not an IP address or a network such as 10.0.0.0/8',
  ],
  [
    'a file that is not there',
    { TOLLGATE_CONFIG: '/nowhere/tollgate.yaml' },
    'TOLLGATE_CONFIG: no such file: /nowhere/tollgate.yaml',
  ],
  [
    'a short secret',
    { TOLLGATE_SECRET: 'changeme' },
    'TOLLGATE_SECRET: must be at least 32 random characters; generate one with openssl rand -hex 32',
  ],
  [
    'a secret of one letter',
    { TOLLGATE_SECRET: 'a'.repeat(64) },
    'TOLLGATE_SECRET: must be at least 32 random characters; generate one with openssl rand -hex 32',
  ],
  [
    'two secrets',
    { TOLLGATE_SECRET: randomText, TOLLGATE_SECRET_FILE: 'x' },
    'TOLLGATE_SECRET: TOLLGATE_SECRET_FILE is also set; unset one of them',
  ],
]

for (const [what, environment, mistake] of wrongVariables) {
  test(`variable: ${what}`, () => assert.deepEqual(mistakes('', environment), [mistake]))
}

test('all mistakes are reported together, and none repeats a credential', () => {
  const secret = ['not', 'for', 'the', 'log'].join(' ')
  const found = mistakes('modles: []\nsandbox: perhaps', { TOLLGATE_PORT: 'x', OPENAI_API_KEY: secret })
  assert.equal(found.length, 4)
  assert.ok(!found.join().includes(secret))
})

test('variables of the launcher or of a client in the same shell are not reported', () => {
  const launcher = { TOLLGATE_TETHERED: '1', TOLLGATE_SKIPPED_CASES_FILE: '/tmp/x' }
  const client = { TOLLGATE_KEY: 'sk-tg-x', TOLLGATE_API_KEY: 'sk-tg-x' }
  assert.deepEqual(mistakes('', { ...launcher, ...client }), [])
})

test('the page on configuration names every setting, limit and variable, and nothing else', () => {
  const page = readFileSync(configurationPath, 'utf8')
  const named = new Set([...page.matchAll(/^\| `([A-Za-z0-9_]+)` \|/gm)].map((match) => match[1]))
  const known = new Set([...knownNames(fileSchema()), ...variableNames])
  assert.deepEqual(
    [...named].filter((name) => !known.has(name ?? '')),
    [],
    'on the page only',
  )
  assert.deepEqual(
    [...known].filter((name) => !named.has(name)),
    [],
    'in the schema only',
  )
})

test('the tables of the page are those that the configuration is read with', () => {
  const page = readFileSync(configurationPath, 'utf8')
  assert.equal(
    page,
    configurationPage(page),
    'regenerate them: node scripts/run.js scripts/configuration-page.ts',
  )
  // An object is no text that anybody can read.
  assert.doesNotMatch(page, /\[object|undefined \|/)
})

test('what was set is known by the name it was set with, and nothing else', () => {
  const text = 'server: { host: 0.0.0.0, port: 9000 }\nlimits: { attemptsMax: 5 }\nmodels: []'
  const result = read(text, { TOLLGATE_PORT: '0', OPENAI_API_KEY: 'one', GEMINI_API_KEY: '' })
  assert.ok(result.kind === 'config')
  assert.deepEqual(result.set, [
    'TOLLGATE_CONFIG',
    'server.host',
    'TOLLGATE_PORT',
    'OPENAI_API_KEY',
    'models',
    'limits.attemptsMax',
  ])
})

test('the page tells the defaults of the limits as they are', () => {
  const page = readFileSync(configurationPath, 'utf8')
  for (const [name, { default: value }] of Object.entries<Limit>(limitsTable)) {
    const documented = page
      .match(new RegExp(`^\\| \`${name}\` \\| ([^|]+) \\|`, 'm'))?.[1]
      ?.replaceAll(/[,\s]/g, '')
    const shown =
      typeof value === 'object' && value !== null
        ? Number(value.numerator) / Number(value.denominator)
        : value
    assert.equal(documented, String(shown), name)
  }
})

const stripe = { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' }

test('a payment provider is configured whole or not at all', () => {
  assert.equal(config('').stripe, null)
  assert.deepEqual(config('', stripe).stripe, {
    secretKey: 'sk_test_1',
    webhookSecret: 'whsec_1',
    mode: 'test',
    apiOrigin: null,
  })
  const live = { ...stripe, STRIPE_SECRET_KEY: 'rk_live_1', STRIPE_API_URL: 'http://127.0.0.1:12111' }
  assert.deepEqual(config('', live).stripe, {
    secretKey: 'rk_live_1',
    webhookSecret: 'whsec_1',
    mode: 'live',
    apiOrigin: 'http://127.0.0.1:12111',
  })
})

for (const [environment, found] of [
  [{ STRIPE_SECRET_KEY: 'sk_test_1' }, /^STRIPE_WEBHOOK_SECRET: is not set, but STRIPE_SECRET_KEY is/],
  [{ ...stripe, STRIPE_WEBHOOK_SECRET: '' }, /^STRIPE_WEBHOOK_SECRET: is not set/],
  [{ STRIPE_WEBHOOK_SECRET: 'whsec_1' }, /^STRIPE_SECRET_KEY: is not set, but STRIPE_WEBHOOK_SECRET is/],
  [{ STRIPE_API_URL: 'https://127.0.0.1' }, /^STRIPE_API_URL: is set, but STRIPE_SECRET_KEY is not/],
  [{ ...stripe, STRIPE_SECRET_KEY: 'pk_test_1' }, /^STRIPE_SECRET_KEY: must begin with sk_test_/],
  [{ ...stripe, STRIPE_WEBHOOK_SECRET: 'secret' }, /^STRIPE_WEBHOOK_SECRET: must begin with whsec_/],
  [
    { ...stripe, STRIPE_API_URL: 'http://stripe.example' },
    /^STRIPE_API_URL: must be https, or http on loopback/,
  ],
  [{ ...stripe, STRIPE_API_URL: 'https://stripe.example/v1' }, /^STRIPE_API_URL: must be a scheme/],
  [{ ...stripe, STRIPE_API_URL: 'ftp://127.0.0.1' }, /^STRIPE_API_URL: must be a scheme/],
] as const) {
  test(`${JSON.stringify(environment)} is a mistake`, () => {
    const [first = '', ...more] = mistakes('', environment)
    assert.match(first, found)
    assert.deepEqual(more, [])
  })
}
