/**
 * The command line over a real data folder: alone, next to a running server, and after a killed
 * server. Some cases run it as a process, as users do; the others call it as that process does.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { type OperationName, operations } from '../../contract/operations.ts'
import { type CommandResult, callCommand } from '../../test/support/command-line.ts'
import { program } from '../../test/support/gateway-process.ts'
import { systemClock } from '../base/clock.ts'
import { systemRandom } from '../base/ids.ts'
import { createLog } from '../base/log.ts'
import { type Environment, limitDefaults, readConfig } from '../config/config.ts'
import { variableNames } from '../config/settings-table.ts'
import { dispatch } from '../control/dispatch.ts'
import { openAdminSocket } from '../server/admin-socket.ts'
import { offlineStatus } from '../server/server-status.ts'
import { openCommandServices, openServices } from '../server/services.ts'
import { commands } from './commands-table.ts'

const scratch = mkdtempSync(join(tmpdir(), 'tollgate-cli-'))
after(() => rmSync(scratch, { recursive: true }))

let folders = 0
/** A data folder that is not there yet. */
function newFolder(): string {
  folders += 1
  return join(scratch, String(folders))
}

function environmentOf(dataFolder: string): Environment {
  return { TOLLGATE_DATA: dataFolder, TOLLGATE_LOG_LEVEL: 'fatal' }
}

/** The environment of a spawned process: without the compile cache, compiling takes longer than the command. */
function processEnvironment(dataFolder: string): Environment {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  return { PATH, NODE_COMPILE_CACHE, ...environmentOf(dataFolder) }
}

/** Runs a command in a separate process. */
function spawned(dataFolder: string, ...words: string[]): CommandResult {
  const ran = spawnSync(process.execPath, [program, ...words], {
    encoding: 'utf8',
    cwd: scratch,
    env: processEnvironment(dataFolder),
  })
  return { code: ran.status, stdout: ran.stdout, stderr: ran.stderr }
}

/** Within this process. */
const called = (environment: Environment, ...words: string[]): Promise<CommandResult> =>
  callCommand(environment, scratch, words)

/** The output of a command that went well, read as the contract promises it. */
function output(name: OperationName, ran: CommandResult): Record<string, unknown> {
  assert.deepEqual([ran.code, ran.stderr], [0, ''], ran.stdout)
  assert.match(ran.stdout, /^[^\n]+\n$/)
  return operations[name].output.parse(JSON.parse(ran.stdout)) as Record<string, unknown>
}

/** The parts and the socket of a server, without its HTTP. */
async function runningServer(dataFolder: string, more: Environment = {}) {
  const config = readConfig({ ...environmentOf(dataFolder), ...more }, scratch)
  assert.ok(config.kind === 'config')
  const opened = await openServices(config.config, {
    clock: systemClock,
    random: systemRandom,
    log: createLog({ level: 'silent' }),
    sandboxOrigin: null,
    onLost: (error) => assert.fail(error),
  })
  assert.ok(opened.kind === 'open')
  const { services } = opened
  const control = services.control('http://127.0.0.1:9', offlineStatus(systemClock))
  const calls: string[] = []
  const socket = await openAdminSocket({
    dataFolder,
    address: 'http://127.0.0.1:9',
    limits: limitDefaults,
    handle: (operation, input) => {
      calls.push(operation)
      return dispatch(control, { kind: 'local' }, operation, input)
    },
  })
  return {
    calls,
    socket,
    async close() {
      await socket.close()
      await services.close()
    },
  }
}

for (const [what, words, code, message] of [
  ['a mistake in the arguments', ['account', 'show'], 2, /^tollgate: account show requires ACCOUNT: .+\n$/],
  ['an unknown command', ['acount'], 2, /^tollgate: unknown command "acount" .+\n$/],
] as const) {
  test(`as a process: ${what} is one line and exit code ${code}, and touches nothing`, () => {
    const folder = newFolder()
    const ran = spawned(folder, ...words)
    assert.deepEqual([ran.code, ran.stdout], [code, ''])
    assert.match(ran.stderr, message)
    assert.equal(existsSync(folder), false)
  })
}

test('as a process: an error is one line and exit code 1', () => {
  const ran = spawned(newFolder(), 'account', 'suspend', 'missing@example.org', '--json')
  assert.deepEqual(ran, {
    code: 1,
    stdout: '',
    stderr: 'tollgate: No account has the email address missing@example.org. [account_not_found]\n',
  })
})

test('every operation has a command, and every command an output that the contract promises', async (context) => {
  const folder = newFolder()
  const environment = { ...environmentOf(folder), A_PROVIDER_KEY: ['a', 'key', 'there'].join('-') }
  const run = (...words: string[]) => called(environment, ...words)
  const person = 'cy@example.org'
  const signedUp = 'eve@example.org'
  await makePeople(folder, [signedUp, 'fay@example.org'])
  const model = ['--context', '1000', '--max-output', '100', '--provider', 'sandbox']
  const price = [
    '--input',
    '1',
    '--output',
    '2',
    '--fee',
    'web_search=0.01',
    '--factor',
    'service_tier:flex=0.5',
  ]
  const limits = ['--context', '100', '--max-output', '10']
  // To open the database for each command takes longer than the command.
  const server = await runningServer(folder, { TOLLGATE_PROVIDER_KEYS: 'all' })
  context.after(() => server.close())
  const made = output('key.create', await withAccount(run, person))
  const code = output('code.create', await run('code', 'create', '1', '--json'))
  const asked: readonly [operation: OperationName, words: readonly string[]][] = [
    ['account.create', ['account', 'create', '--email', 'dee@example.org', '--credit', '0']],
    ['account.show', ['account', 'show', person]],
    ['account.list', ['account', 'list', '--limit', '1']],
    ['account.suspend', ['account', 'suspend', person]],
    ['account.resume', ['account', 'resume', person]],
    ['account.unrestrict', ['account', 'unrestrict', person]],
    [
      'key.create',
      ['key', 'create', person, '--name', 'n', '--budget', '1', '--window', 'day', '--models', 'a,b'],
    ],
    ['key.list', ['key', 'list', person]],
    [
      'key.update',
      ['key', 'update', String(made.id), '--budget', 'none', '--models', 'a', '--concurrent', 'none'],
    ],
    ['key.rotate', ['key', 'rotate', String(made.id), '--overlap-hours', '1']],
    ['key.revoke', ['key', 'revoke', String(made.id)]],
    ['credit', ['credit', person, '1', '--reference', 'x', '--note', 'y']],
    ['models.list', ['models']],
    ['models.add', ['models', 'add', 'house', ...model]],
    ['models.price', ['models', 'price', 'house', ...price]],
    ['models.routing', ['models', 'routing', 'house', '--strategy', 'price', '--fallbacks', 'none']],
    ['offers.set', ['models', 'offers', 'set', 'house', '--group', 'sandbox*3']],
    ['offers.check', ['models', 'offers', 'check', 'house', '--group', 'file']],
    ['offers.show', ['models', 'offers', 'house', '--period', 'hour']],
    ['models.disable', ['models', 'disable', 'house']],
    ['models.enable', ['models', 'enable', 'house']],
    ['models.prices', ['models', 'prices', 'house']],
    ['markup.show', ['markup']],
    ['markup.set', ['markup', 'set', '5%']],
    ['upstreams.put', ['upstreams', 'add', 'local', '--provider', 'vllm', '--url', 'http://127.0.0.1:9']],
    ['models.offer', ['models', 'offer', 'local/a', 'local', ...limits, '--input', '0', '--output', '0']],
    ['upstreams.list', ['upstreams']],
    ['upstreams.test', ['upstreams', 'test', 'local']],
    ['upstreams.models', ['upstreams', 'models', 'local']],
    ['upstreams.status', ['upstreams', 'status', '--upstream', 'local', '--period', 'day', '--limit', '5']],
    ['upstreams.disable', ['upstreams', 'disable', 'local', '--model', 'a', '--allow-unserved', 'yes']],
    ['upstreams.enable', ['upstreams', 'enable', 'local', '--model', 'a']],
    ['upstreams.remove', ['upstreams', 'remove', 'local']],
    [
      'provider-keys.put',
      ['provider-keys', 'set', person, 'openai', '--use', 'only', '--credential-env', 'A_PROVIDER_KEY'],
    ],
    ['provider-keys.list', ['provider-keys', person]],
    ['provider-keys.test', ['provider-keys', 'test', person, 'openai']],
    ['provider-keys.remove', ['provider-keys', 'remove', person, 'openai']],
    ['losses.list', ['losses', '--limit', '5']],
    ['members.list', ['members']],
    ['members.reject', ['members', 'reject', 'openai-chat', 'style_of_tomorrow']],
    ['members.allow', ['members', 'allow', 'openai-chat', 'style_of_tomorrow']],
    ['audit.list', ['audit', '--limit', '5', '--operation', 'credit']],
    ['system.show', ['system']],
    ['people.list', ['people', '--state', 'all', '--search', 'x', '--limit', '5']],
    ['code.create', ['code', 'create', '10', '--uses', '2', '--note', 'n']],
    ['code.list', ['code', 'list']],
    ['code.revoke', ['code', 'revoke', String(code.id)]],
    ['people.confirm', ['people', 'confirm', signedUp]],
    ['people.operator', ['people', 'operator', signedUp, '--operator', 'no']],
    ['people.reset-link', ['people', 'reset-link', signedUp]],
    ['people.invite', ['people', 'invite', 'gil@example.org']],
    ['people.invitations', ['people', 'invitations']],
    ['people.withdraw-invitation', ['people', 'withdraw-invitation', 'gil@example.org']],
    ['requests.list', ['requests', person, '--limit', '5']],
    ['ledger.verify', ['ledger', 'verify']],
    ['setup.link', ['setup-link']],
  ]
  // `catalog update` runs two of these, and a reload needs a server; both have tests of their own.
  const ofList = ['catalog.check', 'catalog.update', 'configuration.reload']
  const local = Object.entries(operations).flatMap(([name, { policy }]) =>
    policy.kind !== 'person' && policy.local && !ofList.includes(name) ? [name] : [],
  )
  assert.deepEqual(asked.map(([operation]) => operation).sort(), local.sort())
  const inTable = commands.flatMap((command) => (command.kind === 'operation' ? [command.operation] : []))
  assert.deepEqual(inTable.sort(), [...local, 'configuration.reload'].sort())
  for (const [operation, words] of asked) {
    output(operation, await run(...words, '--json'))
    if (operations[operation].effect === 'changes') continue
    const text = await run(...words)
    assert.deepEqual([text.code, text.stderr], [0, ''])
    assert.match(text.stdout, /\S\n$/)
    assert.throws(() => JSON.parse(text.stdout))
  }
})

/** People who have come in: what only a browser does otherwise. */
async function makePeople(folder: string, emails: readonly string[]): Promise<void> {
  const config = readConfig(environmentOf(folder), folder)
  assert.ok(config.kind === 'config')
  const opened = await openCommandServices(config.config, { clock: systemClock, random: systemRandom })
  assert.ok(opened.kind === 'open')
  for (const email of emails) {
    const made = await opened.control.identity.createOperator({
      name: 'n',
      email,
      password: 'a long password',
    })
    assert.notEqual(made, 'exists')
  }
  await opened.close()
}

async function withAccount(
  run: (...words: string[]) => Promise<CommandResult>,
  email: string,
): Promise<CommandResult> {
  output('account.create', await run('account', 'create', '--email', email, '--json'))
  return run('key', 'create', email, '--name', 'first', '--json')
}

test('a server that ended without saying so is not waited for', async () => {
  const folder = newFolder()
  const environment = environmentOf(folder)
  output('account.create', await called(environment, 'account', 'create', '--email', 'a@b.org', '--json'))
  mkdirSync(join(folder, 'admin'), { mode: 0o700 })
  const socket = join(folder, 'admin', 'socket')
  writeFileSync(join(folder, 'server.json'), JSON.stringify({ pid: 1, socket, address: 'http://x' }), {
    mode: 0o600,
  })
  for (const left of [
    () => {},
    () => writeFileSync(socket, ''),
    () => rmSync(join(folder, 'admin'), { recursive: true }),
  ]) {
    left()
    output('account.show', await called(environment, 'account', 'show', 'a@b.org', '--json'))
  }
})

test('while another process owns the data folder and does not answer, nothing is done', async () => {
  const folder = newFolder()
  const server = await runningServer(folder)
  await server.socket.close()
  const ran = await called(environmentOf(folder), 'account', 'list')
  assert.deepEqual([ran.code, ran.stdout], [1, ''])
  assert.match(ran.stderr, /^tollgate: Another process .+\n$/)
  await server.close()
})

for (const [what, reply, message] of [
  ['of another version', { status: 200, body: { surprise: 1 } }, /is a different version/],
  ['of another version that rejects', { status: 404, body: {} }, /is a different version/],
  [
    'with an inner error',
    { status: 500, body: { error: { code: 'internal', message: 'No.\nReally.', requestId: 'req_1' } } },
    /^tollgate: No\. Really\. \(req_1\) \[internal\]\n$/,
  ],
] as const) {
  test(`a server ${what} is reported on one line`, async () => {
    const folder = newFolder()
    mkdirSync(folder, { mode: 0o700 })
    const socket = await openAdminSocket({
      dataFolder: folder,
      address: 'http://x',
      limits: limitDefaults,
      handle: async () => reply,
    })
    const ran = await called(environmentOf(folder), 'account', 'list', '--json')
    assert.deepEqual([ran.code, ran.stdout], [1, ''])
    assert.match(ran.stderr, message)
    assert.equal(ran.stderr.split('\n').length, 2)
    await socket.close()
  })
}

test('a lost response is reported, and the command is not executed a second time', async () => {
  const folder = newFolder()
  mkdirSync(join(folder, 'admin'), { recursive: true, mode: 0o700 })
  const path = join(folder, 'admin', 'socket')
  const server = createServer((connection) => connection.once('data', () => connection.destroy()))
  await new Promise<void>((resolve) => server.listen(path, resolve))
  writeFileSync(join(folder, 'server.json'), JSON.stringify({ pid: 1, socket: path, address: 'http://x' }))
  const ran = await called(environmentOf(folder), 'account', 'create', '--email', 'a@b.org')
  assert.deepEqual([ran.code, ran.stdout], [1, ''])
  assert.match(ran.stderr, /The operation may or may not have completed/)
  assert.equal(existsSync(join(folder, 'tollgate.db')), false)
  await new Promise((resolve) => server.close(resolve))
})

test('a ledger that was tampered with is reported with exit code 1', async () => {
  const folder = newFolder()
  const environment = environmentOf(folder)
  output('account.create', await called(environment, 'account', 'create', '--email', 'a@b.org', '--json'))
  const database = new DatabaseSync(join(folder, 'tollgate.db'))
  database.exec('UPDATE account SET posted = posted + 1')
  database.close()
  const ran = await called(environment, 'ledger', 'verify', '--json')
  assert.deepEqual([ran.code, ran.stderr], [1, ''])
  const report = operations['ledger.verify'].output.parse(JSON.parse(ran.stdout))
  assert.equal(report.ok, false)
  assert.ok(report.drift.length > 0)
  const text = await called(environment, 'ledger', 'verify')
  assert.equal(text.code, 1)
  assert.match(text.stdout, /not ok: 1 account/)
})

test('mistakes in the configuration are all reported, each on a line', async () => {
  const environment = { ...environmentOf(newFolder()), TOLLGATE_PROT: '1', TOLLGATE_PORT: 'x' }
  const ran = await called(environment, 'account', 'list')
  assert.deepEqual([ran.code, ran.stdout], [1, ''])
  assert.deepEqual(
    ran.stderr.split('\n').map((line) => line.split(':').slice(0, 2).join(':')),
    ['tollgate: TOLLGATE_PROT', 'tollgate: TOLLGATE_PORT', ''],
  )
  const report = await called(environment, 'doctor', '--json')
  assert.equal(report.code, 1)
  const { ok, findings } = JSON.parse(report.stdout) as {
    ok: boolean
    findings: { name: string; state: string }[]
  }
  assert.equal(ok, false)
  assert.deepEqual(
    findings.filter(({ state }) => state === 'failed').map(({ name }) => name),
    ['configuration', 'configuration'],
  )
})

test('an invalid catalog is reported before anything is opened', async () => {
  const folder = newFolder()
  const file = `${folder}.yaml`
  writeFileSync(file, 'disabled: [no-such-model]\n')
  const changing = ['account', 'create', '--email', 'a@b.org']
  const ran = await called({ ...environmentOf(folder), TOLLGATE_CONFIG: file }, ...changing)
  assert.deepEqual([ran.code, ran.stdout], [1, ''])
  assert.match(ran.stderr, /^tollgate: disabled: unknown model no-such-model/)
  assert.equal(existsSync(folder), false)
})

test('doctor reports a new data folder and every environment variable, and creates nothing', async () => {
  const folder = newFolder()
  const ran = await called(environmentOf(folder), 'doctor')
  assert.deepEqual([ran.code, ran.stderr], [0, ''])
  assert.match(ran.stdout, /^data folder +ok +.+ does not exist yet/m)
  assert.match(ran.stdout, /^upstreams +warning/m)
  assert.match(ran.stdout, /^server +warning +not running with the data folder .+ set TOLLGATE_DATA$/m)
  assert.match(ran.stdout, /^Environment variables set: TOLLGATE_DATA, TOLLGATE_LOG_LEVEL\.$/m)
  assert.match(ran.stdout, /^\d+ variables not set; doctor --verbose names them\.$/m)
  const all = await called(environmentOf(folder), 'doctor', '--verbose')
  const [, unset = ''] = /^Not set: (.+)\.$/m.exec(all.stdout) ?? []
  const others = variableNames.filter((name) => name !== 'TOLLGATE_DATA' && name !== 'TOLLGATE_LOG_LEVEL')
  assert.deepEqual(unset.split(', '), others)
  assert.equal(existsSync(folder), false)
})

test('a command that only reads creates no data folder and says where it looked', async () => {
  const folder = newFolder()
  for (const words of [['models'], ['account', 'list'], ['upstreams'], ['system']]) {
    const ran = await called(environmentOf(folder), ...words)
    assert.deepEqual([ran.code, ran.stdout], [1, ''], words.join(' '))
    assert.ok(ran.stderr.includes(`There is no installation in ${folder}.`), ran.stderr)
  }
  assert.equal(existsSync(folder), false)
})

test('doctor reports the server, the database and the models', async () => {
  const folder = newFolder()
  const server = await runningServer(folder)
  const whileRunning = await called(environmentOf(folder), 'doctor')
  assert.equal(whileRunning.code, 0, whileRunning.stdout)
  assert.match(
    whileRunning.stdout,
    new RegExp(`^server +ok +process ${process.pid} at http://127\\.0\\.0\\.1:9$`, 'm'),
  )
  assert.match(whileRunning.stdout, /^database +ok +opened by the server$/m)
  await server.close()
  const alone = await called(environmentOf(folder), 'doctor')
  assert.match(alone.stdout, /^server +warning +not running with the data folder/m)
  assert.match(alone.stdout, /^database +ok +can be opened$/m)
  assert.match(alone.stdout, /^models +ok +\d+ enabled, \d+ not enabled/m)
})

test('doctor tests each key at its provider, in the words of the provider and without the key', async () => {
  const key = ['not', 'a', 'real', 'key'].join('-')
  const provider = createHttpServer(({ headers }, response) => {
    const isGood = headers.authorization === `Bearer ${key}`
    response.writeHead(isGood ? 200 : 401, { 'content-type': 'application/json' })
    const message = `Incorrect API key provided: ${String(headers.authorization).slice('Bearer '.length)}`
    response.end(JSON.stringify(isGood ? { data: [{ id: 'gpt-4.1' }] } : { error: { message } }))
  })
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  const { port } = provider.address() as AddressInfo
  const environment = {
    ...environmentOf(newFolder()),
    OPENAI_API_KEY: key,
    TOLLGATE_OPENAI_URL: `http://127.0.0.1:${port}`,
    TOLGATE_PORT: '1',
  }
  try {
    const good = await called(environment, 'doctor')
    assert.match(good.stdout, /^key of openai +ok +accepted by the provider, which lists 1 model$/m)
    assert.match(good.stdout, /^environment +warning +TOLGATE_PORT .*did you mean TOLLGATE_PORT\?$/m)
    const wrong = await called({ ...environment, OPENAI_API_KEY: `${key}-2` }, 'doctor')
    assert.equal(wrong.code, 1)
    assert.match(wrong.stdout, /^key of openai +failed .*It says: Incorrect API key provided: …$/m)
    assert.ok(!`${good.stdout}${wrong.stdout}`.includes(key))
  } finally {
    provider.close()
  }
})

test('migrate reports whether the server or the command migrated the database', async () => {
  const folder = newFolder()
  const alone = await called(environmentOf(folder), 'migrate', '--json')
  assert.deepEqual([alone.code, alone.stdout], [0, '{"migrated":true,"by":"command"}\n'])
  const server = await runningServer(folder)
  const whileRunning = await called(environmentOf(folder), 'migrate')
  assert.deepEqual(
    [whileRunning.code, whileRunning.stdout],
    [0, 'The running server keeps the database up to date.\n'],
  )
  await server.close()
})

test('help and version need neither configuration nor data', async () => {
  const broken = { TOLLGATE_PROT: '1' }
  assert.deepEqual(await called(broken, '--version'), { code: 0, stdout: '1.2.3\n', stderr: '' })
  assert.equal((await called(broken, '--help')).code, 0)
})

test('the CLI page documents every command and option', () => {
  const page = readFileSync(new URL('../../docs/operate/cli.md', import.meta.url), 'utf8')
  for (const command of commands) {
    assert.ok(page.includes(`tollgate ${command.words}`), command.words)
    for (const { name } of command.options)
      assert.ok(page.includes(`--${name}`), `${command.words} --${name}`)
  }
  const known = new Set([
    ...commands.flatMap(({ options }) => options.map(({ name }) => name)),
    'json',
    'help',
  ])
  for (const [, name = ''] of page.matchAll(/(?<=[\s`])--([a-z][a-z0-9-]*)/g))
    assert.ok(known.has(name), `--${name} is not an option`)
})
