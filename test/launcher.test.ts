/**
 * The launcher from a user's point of view, in small temporary checkouts: what it installs, which Node it runs, and that
 * neither process outlives the other. Uses no network but loopback.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const home = mkdtempSync(join(tmpdir(), 'tollgate launcher '))
after(() => rmSync(home, { recursive: true, force: true }))

const main = `
import { createServer } from 'node:net'
const [verb] = process.argv.slice(2)
if (verb === 'wait') {
  process.on('SIGTERM', () => process.exit(7))
  createServer().listen(0, '127.0.0.1')
}
console.log(JSON.stringify({ arguments: process.argv.slice(2), options: process.execArgv, node: process.versions.node, pid: process.pid, memory: [process.env.MALLOC_ARENA_MAX, process.env.MALLOC_TRIM_THRESHOLD_, process.env.NODE_OPTIONS] }))
`

/** A checkout with this launcher, no dependencies, and a main that prints which Node runs it. */
function makeCheckout(name: string, floor = '24.15'): string {
  const folder = join(home, name)
  for (const part of ['bin', 'scripts']) cpSync(join(root, part), join(folder, part), { recursive: true })
  const manifest = { name, type: 'module', engines: { node: `>=${floor}` } }
  write(join(folder, 'package.json'), JSON.stringify(manifest))
  write(join(folder, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages: { '': manifest } }))
  write(join(folder, 'node_modules', '.package-lock.json'), '{}')
  write(join(folder, 'src', 'main.ts'), main)
  return folder
}

/** Gives the checkout a downloaded Node that reports version 99.0.0. */
function addRuntime(folder: string): void {
  const name = `node-${process.platform}-${process.arch}`
  const packages = { [`node_modules/${name}`]: { version: '99.0.0' } }
  const place = join(folder, 'runtime', 'node_modules', name)
  const disguise = join(place, 'disguise.cjs')
  write(join(folder, 'runtime', 'package-lock.json'), JSON.stringify({ packages }))
  write(join(folder, 'runtime', 'node_modules', '.package-lock.json'), '{}')
  write(join(place, 'package.json'), JSON.stringify({ version: '99.0.0' }))
  write(
    disguise,
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '99.0.0' } })`,
  )
  write(join(place, 'bin', 'node'), `#!/bin/sh\nexec '${process.execPath}' --require '${disguise}' "$@"\n`)
  chmodSync(join(place, 'bin', 'node'), 0o755)
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const start = (folder: string, script: string, ...rest: string[]): ChildProcess =>
  startWith({}, folder, script, ...rest)

/** `options`: of Node. */
function startWith(
  { env: more = {}, options = [] }: { readonly env?: object; readonly options?: readonly string[] },
  folder: string,
  script: string,
  ...rest: string[]
): ChildProcess {
  // A shell knows neither; with the second one nothing is stored in the checkout.
  const { NODE_TEST_CONTEXT: _, NODE_COMPILE_CACHE: __, ...env } = process.env
  const words = [...options, join(folder, script), ...rest]
  return spawn(process.execPath, words, { cwd: '/', env: { ...env, ...more } })
}

async function finish(child: ChildProcess) {
  const output = { stdout: '', stderr: '' }
  child.stdout?.on('data', (chunk: Buffer) => {
    output.stdout += chunk
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    output.stderr += chunk
  })
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  return { ...output, code, signal }
}

test('a command has stdout for itself, and nothing is installed where nothing is missing', async () => {
  const folder = makeCheckout('plain')
  const { stdout, stderr, code } = await finish(start(folder, 'bin/tollgate.js', 'account', '--json'))
  assert.deepEqual(JSON.parse(stdout).arguments, ['account', '--json'])
  assert.equal(stderr, '')
  assert.equal(code, 0)
})

test('a server begins once more with settings of memory, in the same process, and a command does not', {
  skip: process.platform !== 'linux',
}, async () => {
  const folder = makeCheckout('memory')
  const run = async (verb: string, env: object = {}) => {
    const options = ['--no-deprecation']
    const launcher = startWith(
      { env: { NODE_OPTIONS: '', ...env }, options },
      folder,
      'bin/tollgate.js',
      verb,
    )
    const { stdout, code } = await finish(launcher)
    const said = JSON.parse(stdout)
    assert.deepEqual([code, said.arguments, said.pid], [0, [verb], launcher.pid])
    assert.deepEqual(said.options, options)
    return said.memory
  }
  const youngMax = '--max-semi-space-size=16'
  assert.deepEqual(await run('serve'), ['1', '131072', youngMax])
  assert.deepEqual(await run('serve', { NODE_OPTIONS: '--no-warnings' }), [
    '1',
    '131072',
    `--no-warnings ${youngMax}`,
  ])
  const own = { MALLOC_ARENA_MAX: '4', NODE_OPTIONS: '--max-semi-space-size=32' }
  assert.deepEqual(await run('serve', own), ['4', null, own.NODE_OPTIONS])
  assert.deepEqual(await run('models'), [null, null, ''])
})

test('where the installed Node is too old, the command runs under the downloaded one', async () => {
  const folder = makeCheckout('old node', '99.0')
  addRuntime(folder)
  const options = ['--no-deprecation']
  const { stdout, stderr } = await finish(startWith({ options }, folder, 'bin/tollgate.js', 'models'))
  const said = JSON.parse(stdout)
  assert.deepEqual([said.node, said.arguments], ['99.0.0', ['models']])
  assert.deepEqual(said.options.slice(-1), options, 'those of the Node that was started are passed on')
  assert.equal(stderr, '')
})

/** A package registry on loopback that has one package; `asked` lists the paths of the requests. */
async function registryOf(name: string, tarball: Buffer) {
  const asked: string[] = []
  const origin = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    if (request.url?.endsWith('.tgz') === true) return response.end(tarball)
    if (request.url !== `/${name}`) return response.writeHead(404).end('{}')
    const dist = { tarball: `${origin()}/${name}/-/${name}-99.0.0.tgz`, integrity: integrityOf(tarball) }
    return response.end(JSON.stringify({ name, versions: { '99.0.0': { name, version: '99.0.0', dist } } }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { origin: origin(), asked, close: () => server.close() }
}

const integrityOf = (bytes: Buffer): string => `sha512-${createHash('sha512').update(bytes).digest('base64')}`

/** Writes what `runtime/` asks for: one package in version 99.0.0. */
function lockRuntime(runtime: string, name: string, integrity: string): void {
  const manifest = { name: 'runtime', optionalDependencies: { [name]: '99.0.0' } }
  const packages = {
    '': manifest,
    [`node_modules/${name}`]: { version: '99.0.0', integrity, optional: true },
  }
  write(join(runtime, 'package.json'), JSON.stringify(manifest))
  write(join(runtime, 'package-lock.json'), JSON.stringify({ ...manifest, lockfileVersion: 3, packages }))
}

test('a missing Node is fetched once, and only with the checksum of the lockfile', async (context) => {
  const folder = makeCheckout('fetches node', '99.0')
  const runtime = join(folder, 'runtime')
  const name = `node-${process.platform}-${process.arch}`
  addRuntime(folder)
  const fetchable = join(runtime, 'node_modules', name)
  write(join(fetchable, 'package.json'), JSON.stringify({ name, version: '99.0.0' }))
  await npmPack(fetchable)
  const tarball = readFileSync(join(fetchable, `${name}-99.0.0.tgz`))
  rmSync(join(runtime, 'node_modules'), { recursive: true })
  const registry = await registryOf(name, tarball)
  context.after(registry.close)
  const env = { npm_config_registry: registry.origin, npm_config_cache: join(folder, 'npm-cache') }
  const run = () => finish(startWith({ env }, folder, 'bin/tollgate.js', 'models'))

  lockRuntime(runtime, name, integrityOf(Buffer.from('another package')))
  const rejected = await run()
  assert.match(rejected.stderr, /Node 99\.0\.0 could not be fetched for /)
  assert.deepEqual([rejected.stdout, rejected.code], ['', 1])

  lockRuntime(runtime, name, integrityOf(tarball))
  const fetched = await run()
  assert.equal(fetched.code, 0, fetched.stderr)
  assert.match(fetched.stderr, /fetching Node 99\.0\.0 into runtime/)
  assert.equal(JSON.parse(fetched.stdout).node, '99.0.0')

  const requests = registry.asked.length
  const again = await run()
  assert.deepEqual([JSON.parse(again.stdout).node, again.stderr], ['99.0.0', ''])
  assert.equal(registry.asked.length, requests)
})

test('where no Node could be downloaded for the platform, one line says so', async () => {
  const folder = makeCheckout('no node', '99.0')
  write(join(folder, 'runtime', 'package-lock.json'), JSON.stringify({ packages: {} }))
  const { stdout, stderr, code } = await finish(start(folder, 'bin/tollgate.js', 'models'))
  assert.match(stderr, /^tollgate: needs Node 99\.0 or newer, this is .*\n$/)
  assert.deepEqual([stdout, code], ['', 1])
})

const ends = [
  { who: 'launcher', signal: 'SIGTERM', launcherEnds: { code: 7, signal: null } },
  { who: 'launcher', signal: 'SIGKILL', launcherEnds: { code: null, signal: 'SIGKILL' } },
  { who: 'server', signal: 'SIGTERM', launcherEnds: { code: 7, signal: null } },
  { who: 'server', signal: 'SIGKILL', launcherEnds: { code: null, signal: 'SIGKILL' } },
] as const

for (const { who, signal, launcherEnds } of ends) {
  test(`${signal} to the ${who} ends both`, async () => {
    const folder = makeCheckout(`ends ${who} ${signal}`, '99.0')
    addRuntime(folder)
    const launcher = start(folder, 'bin/tollgate.js', 'wait')
    const [line] = (await once(launcher.stdout!, 'data')) as [Buffer]
    const server = JSON.parse(line.toString()).pid as number
    assert.notEqual(server, launcher.pid)
    process.kill(who === 'server' ? server : launcher.pid!, signal)
    // 'close' waits for the last holder of stdout, which is the server.
    const { code, signal: endedBy } = await finish(launcher)
    assert.deepEqual({ code, signal: endedBy }, launcherEnds)
  })
}

test('a server whose launcher was killed before it could watch it does not start', async () => {
  const folder = makeCheckout('launcher gone')
  const { stdout, code } = await finish(
    spawn(process.execPath, [join(folder, 'bin/tollgate.js'), 'wait'], {
      env: { ...process.env, TOLLGATE_TETHERED: '1' },
    }),
  )
  assert.deepEqual([stdout, code], ['', 1])
})

/** Packs a package of one file into the checkout, as a registry would serve it. */
async function pack(folder: string, name: string): Promise<void> {
  write(join(folder, name, 'package.json'), JSON.stringify({ name, version: '1.2.3' }))
  await npmPack(folder, `./${name}`)
}

/** Writes the tarball of a package into `folder`: of the one in it, unless another is named. */
async function npmPack(folder: string, ...names: string[]): Promise<void> {
  const npm = process.env.npm_execpath?.endsWith('npm-cli.js')
    ? [process.execPath, process.env.npm_execpath]
    : ['npm']
  const command = [...npm.slice(1), 'pack', ...names, '--silent']
  assert.equal((await finish(spawn(npm[0]!, command, { cwd: folder }))).code, 0)
}

/** Gives a folder a lockfile with packed packages: `dependencies` and `devDependencies`. */
function lock(folder: string, dependencies: readonly string[], tools: readonly string[] = []): void {
  const manifest = {
    name: 'whole',
    type: 'module',
    engines: { node: '>=24.15' },
    dependencies: Object.fromEntries(dependencies.map((name) => [name, `file:${name}-1.2.3.tgz`])),
    devDependencies: Object.fromEntries(tools.map((name) => [name, `file:${name}-1.2.3.tgz`])),
  }
  const entry = (name: string) => ({ version: '1.2.3', resolved: `file:${name}-1.2.3.tgz` })
  const packages = {
    '': manifest,
    ...Object.fromEntries(dependencies.map((name) => [`node_modules/${name}`, entry(name)])),
    ...Object.fromEntries(tools.map((name) => [`node_modules/${name}`, { ...entry(name), dev: true }])),
  }
  write(join(folder, 'package.json'), JSON.stringify(manifest))
  write(
    join(folder, 'package-lock.json'),
    JSON.stringify({ name: 'whole', lockfileVersion: 3, requires: true, packages }),
  )
}

const isInstalled = (folder: string, name: string) =>
  existsSync(join(folder, 'node_modules', name, 'package.json'))

test('start installs the server packages, a tool the tools too, and a later start removes none of them', async () => {
  const folder = makeCheckout('installs')
  rmSync(join(folder, 'node_modules'), { recursive: true })
  for (const name of ['part', 'tool']) await pack(folder, name)
  lock(folder, ['part'], ['tool'])
  write(join(folder, 'hello.js'), `console.log('hello')`)
  const steps: readonly (readonly [command: string[], says: RegExp, tool: boolean])[] = [
    [['bin/tollgate.js', 'models'], /installing 1 packages …/, false],
    [['bin/tollgate.js', 'models'], /^$/, false],
    [['scripts/run.js', 'hello.js'], /completing the installed packages \(tool\)/, true],
    [['bin/tollgate.js', 'models'], /completing the installed packages \(part\)/, true],
    [['scripts/run.js', 'hello.js'], /^$/, true],
  ]
  for (const [[script = '', ...rest], says, tool] of steps) {
    if (says.source.includes('part')) rmSync(join(folder, 'node_modules/part'), { recursive: true })
    const { stdout, stderr, code } = await finish(start(folder, script, ...rest))
    assert.equal(code, 0, stderr)
    assert.match(stderr, says)
    assert.notEqual(stdout, '')
    assert.deepEqual([isInstalled(folder, 'part'), isInstalled(folder, 'tool')], [true, tool], stderr)
    assert.equal(existsSync(join(folder, '.tollgate-preparing')), false)
  }
})

test('the packages that build the console are installed for a server whose pages must be built', async () => {
  const folder = makeCheckout('console packages')
  write(join(folder, 'console', 'build.js'), builder)
  write(join(folder, 'console', 'vite.config.ts'), 'export default {}')
  await pack(join(folder, 'console'), 'bundler')
  lock(join(folder, 'console'), ['bundler'])
  const steps = [
    ['account', false],
    ['serve', true],
  ] as const
  for (const [verb, isThere] of steps) {
    const { stderr, code } = await finish(start(folder, 'bin/tollgate.js', verb))
    assert.equal(code, 0, stderr)
    assert.equal(isInstalled(join(folder, 'console'), 'bundler'), isThere, stderr)
  }
  rmSync(join(folder, 'console', 'node_modules'), { recursive: true })
  assert.equal((await finish(start(folder, 'bin/tollgate.js', 'serve'))).stderr, '')
  assert.equal(isInstalled(join(folder, 'console'), 'bundler'), false)
})

test('one process at a time prepares, also after another one died while preparing', async () => {
  const folder = makeCheckout('turns')
  const dead = spawn(process.execPath, ['-e', ''])
  await once(dead, 'exit')
  write(join(folder, '.turn'), String(dead.pid))
  write(
    join(folder, 'worker.js'),
    `import { appendFileSync } from 'node:fs'
import { exclusively } from './scripts/exclusively.js'
await exclusively(${JSON.stringify(join(folder, '.turn'))}, () => {}, async () => {
  appendFileSync(${JSON.stringify(join(folder, 'diary'))}, 'in ' + process.pid + '\\n')
  await new Promise(setImmediate)
  appendFileSync(${JSON.stringify(join(folder, 'diary'))}, 'out ' + process.pid + '\\n')
})`,
  )
  const workers = Array.from({ length: 5 }, () => start(folder, 'worker.js'))
  for (const { code, stderr } of await Promise.all(workers.map(finish))) assert.equal(code, 0, stderr)
  const diary = readFileSync(join(folder, 'diary'), 'utf8').trim().split('\n')
  assert.equal(diary.length, 10)
  for (let index = 0; index < diary.length; index += 2) {
    assert.equal(diary[index + 1], diary[index]?.replace('in', 'out'))
  }
  assert.equal(existsSync(join(folder, '.turn')), false)
})

/** Replaces the builder: records that it ran, and what it was built from. */
const builder = `
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtFolder, hashOfSources, root, stampName } from '../scripts/console-sources.js'
appendFileSync(join(root, 'builds'), 'built\\n')
mkdirSync(builtFolder, { recursive: true })
writeFileSync(join(builtFolder, stampName), hashOfSources())
`

test('the console is built for a server after its sources changed, and only then', async () => {
  const folder = makeCheckout('console')
  write(join(folder, 'console', 'build.js'), builder)
  write(join(folder, 'console', 'vite.config.ts'), 'export default {}')
  write(join(folder, 'console', 'src', 'main.tsx'), 'first')
  const builds = () =>
    existsSync(join(folder, 'builds')) ? readFileSync(join(folder, 'builds'), 'utf8').length : 0
  const built = 'built\n'.length
  const steps: readonly (readonly [verb: string, change: (() => void) | undefined, times: number])[] = [
    ['account', undefined, 0],
    ['serve', undefined, 1],
    ['serve', undefined, 1],
    ['serve', () => write(join(folder, 'console', 'src', 'main.test.ts'), 'a test changes no page'), 1],
    ['serve', () => write(join(folder, 'console', 'src', 'main.tsx'), 'second'), 2],
    ['serve', () => write(join(folder, 'contract', 'operations.ts'), '// the API'), 3],
  ]
  for (const [verb, change, times] of steps) {
    change?.()
    const { stdout, stderr, code } = await finish(start(folder, 'bin/tollgate.js', verb))
    assert.deepEqual([JSON.parse(stdout).arguments, code], [[verb], 0])
    assert.equal(builds(), times * built, `after ${verb}: ${stderr}`)
  }
})

test('a failed console build does not prevent the server from starting', async () => {
  const folder = makeCheckout('broken console')
  write(join(folder, 'console', 'build.js'), 'process.exit(1)')
  write(join(folder, 'console', 'vite.config.ts'), 'export default {}')
  const { stdout, stderr, code } = await finish(start(folder, 'bin/tollgate.js', 'serve'))
  assert.deepEqual([JSON.parse(stdout).arguments, code], [['serve'], 0])
  assert.match(stderr, /the console could not be built/)
})

/** Replaces the bundler of the server: records that it ran, and writes a program that says where it is from. */
const serverBundler = `
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../scripts/source-hash.js'
appendFileSync(join(root, 'bundles'), 'made\\n')
const place = join(process.argv[2], 'server')
mkdirSync(place, { recursive: true })
writeFileSync(join(place, 'main.js'), 'console.log("bundle of " + ' + JSON.stringify(readFileSync(join(root, 'src', 'part.ts'), 'utf8')) + ')')
`

test('a server runs from a bundle of its sources as they are, which is made for it and used by commands', async () => {
  const folder = makeCheckout('bundle')
  write(join(folder, 'src', 'part.ts'), '// first')
  const serve = async () => (await finish(start(folder, 'bin/tollgate.js', 'serve'))).stdout.trim()
  write(join(folder, 'console', 'bundle-server.js'), serverBundler)
  assert.match(await serve(), /"arguments":\["serve"\]/, 'without a bundler')
  write(join(folder, 'console', 'node_modules', 'rolldown', 'package.json'), '{}')
  assert.equal(await serve(), 'bundle of // first')
  assert.equal(await serve(), 'bundle of // first')
  const command = async () => (await finish(start(folder, 'bin/tollgate.js', 'account'))).stdout.trim()
  assert.equal(await command(), 'bundle of // first')
  write(join(folder, 'src', 'part.ts'), '// second')
  assert.match(await command(), /"arguments":\["account"\]/, 'a command is not worth a bundle')
  assert.equal(await serve(), 'bundle of // second')
  assert.equal(readFileSync(join(folder, 'bundles'), 'utf8'), 'made\n'.repeat(2))
  write(join(folder, 'src', 'part.ts'), '// third')
  write(join(folder, 'console', 'bundle-server.js'), 'process.exit(1)')
  assert.match(await serve(), /"arguments":\["serve"\]/, 'where the bundler fails')
})
