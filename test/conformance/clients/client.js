/**
 * What every client script needs: its program installed on demand, a working folder, and a list of
 * checks that print what was observed. Run by run.ts, which has a gateway ready.
 */
import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** `{root}` of the gateway, and a key with a balance. */
export const origin = process.env.TOLLGATE_ORIGIN ?? ''
export const key = process.env.TOLLGATE_KEY ?? ''
/** The same for a gateway with slow models, which sends keep-alives every few milliseconds. */
export const silent = {
  origin: process.env.TOLLGATE_SILENT_ORIGIN ?? '',
  key: process.env.TOLLGATE_SILENT_KEY ?? '',
}
/** One model of each family; each follows its prompt: `use <tool> <json>` calls a tool, anything else is echoed. */
export const families = { gpt: 'gpt-conformance', claude: 'claude-conformance', gemini: 'gemini-conformance' }

const cache = process.env.CLIENTS_FOLDER ?? join(tmpdir(), 'tollgate-clients')
export const ownNodeFirst = [dirname(process.execPath), process.env.PATH].join(delimiter)
const answerMsMax = 120_000
export const installMsMax = 600_000
const scriptMsMax = 900_000
const loggedMax = 2_000

/** Installs the packages into a separate folder, once; resolves with the folder. */
export async function installed(name, packages) {
  const folder = join(cache, name)
  const wanted = packages.join(' ')
  const stamp = join(folder, 'installed.txt')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return folder
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  const parameters = ['install', '--no-audit', '--no-fund', '--loglevel=error', ...packages]
  await run('npm', parameters, { cwd: folder, timeout: installMsMax })
  writeFileSync(stamp, wanted)
  return folder
}

/** The same with Python packages, in a separate environment; needs a Python 3 with venv and pip. */
export async function installedPython(name, packages) {
  const folder = join(cache, name)
  if (packages.length === 0) return folder
  const wanted = packages.join(' ')
  const stamp = join(folder, 'installed.txt')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return folder
  await run('python3', ['-m', 'venv', folder])
  const options = { timeout: installMsMax }
  await run(join(folder, 'bin/pip'), ['install', '--quiet', '--prefer-binary', ...packages], options)
  writeFileSync(stamp, wanted)
  return folder
}

/** A client's folder in the cache. */
export function folderFor(name) {
  const folder = join(cache, name)
  mkdirSync(folder, { recursive: true })
  return folder
}

/** Runs a program that prints checks itself; its log lines are not results, but say why it failed. */
export function checksOf(command, parameters) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, parameters, {
      stdio: ['ignore', 'inherit', 'pipe'],
      timeout: scriptMsMax,
      killSignal: 'SIGKILL',
    })
    let logged = ''
    child.stderr.on('data', (piece) => {
      logged = `${logged}${piece}`.slice(-loggedMax)
    })
    child.on('error', reject)
    child.on('close', (code) => {
      process.exitCode = code ?? 1
      if (code !== 0) process.stdout.write(`${logged}\n`)
      resolve()
    })
  })
}

/** Loads a package of that folder. */
export function load(folder, name) {
  const require = createRequire(join(folder, 'package.json'))
  return import(pathToFileURL(resolvedForImport(require, folder, name)).href)
}

/** The entry that `import` means; `require.resolve` gives the other one where a package has both. */
function resolvedForImport(require, folder, name) {
  const [scope, second] = name.split('/')
  const packageName = name.startsWith('@') ? `${scope}/${second}` : scope
  const home = join(folder, 'node_modules', packageName)
  const { exports, module, main } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  const below = `.${name.slice(packageName.length)}`
  const entry = exports === undefined ? undefined : (exports[below] ?? (below === '.' ? exports : undefined))
  const file = entryFor(entry) ?? (below === '.' ? (module ?? main) : undefined)
  return file === undefined ? require.resolve(name) : join(home, file)
}

function entryFor(entry) {
  if (typeof entry === 'string') return entry
  if (typeof entry !== 'object' || entry === null) return undefined
  for (const condition of ['node', 'import', 'default']) {
    const found = entryFor(entry[condition])
    if (found !== undefined) return found
  }
  return undefined
}

/** The version that was installed, for itself or with `npm install -g`, for the record. */
export function versionOf(folder, name) {
  const [found] = ['node_modules', 'lib/node_modules']
    .map((packages) => join(folder, packages, name, 'package.json'))
    .filter(existsSync)
  return JSON.parse(readFileSync(found, 'utf8')).version
}

/** The same of a package of Python. */
export async function pythonVersionOf(folder, name) {
  const { stdout } = await run(join(folder, 'bin/pip'), ['show', name])
  return /^Version: (.+)$/m.exec(stdout)?.[1]
}

/** Runs a program to its end; rejects when it fails, with what it printed. */
export function run(command, parameters, { cwd, env, timeout = answerMsMax } = {}) {
  return new Promise((resolve, reject) => {
    const options = {
      cwd,
      // Some programs read the working folder from the shell's variable. npm installs what its own Node is new enough for.
      env: { ...process.env, PATH: ownNodeFirst, ...(cwd === undefined ? {} : { PWD: cwd }), ...env },
      timeout,
      maxBuffer: 32 * 1024 * 1024,
    }
    const child = execFile(command, parameters, options, (error, stdout, stderr) => {
      if (error === null) resolve({ stdout, stderr })
      else
        reject(
          new Error(
            `${command} ${parameters.join(' ').slice(0, 200)}: ${error.message}\n${stdout}\n${stderr}`,
          ),
        )
    })
    child.stdin?.end()
  })
}

/** All that a program printed that ended with 0. */
export const printedBy = ({ stdout, stderr }) => `${stdout}\n${stderr}`

/** A home and a working folder with one file to read, removed when `work` is done. */
export async function inWorkshop(work) {
  const home = mkdtempSync(join(tmpdir(), 'tollgate-client-'))
  const folder = join(home, 'work')
  mkdirSync(folder)
  writeFileSync(join(folder, 'hello.txt'), `${secretWord}\n`)
  try {
    return await work({ home, folder, file: join(folder, 'hello.txt') })
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** A tool: the prompt that makes the models call it, its parameters, and what it answers. */
export const weather = {
  prompt: 'use weather {"city":"Paris"}',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  answer: 'sunny in Paris',
}

/** The content of the file that the tools read; a client that has not read it cannot know it. */
export const secretWord = 'the word is heliotrope'

export function write(path, text) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, typeof text === 'string' ? text : JSON.stringify(text))
}

/** Runs the checks one after the other, says how each went, and exits with 1 when one failed. */
export async function checks(title, list) {
  let failed = 0
  for (const [name, check] of Object.entries(list)) {
    try {
      const seen = await check()
      process.stdout.write(`ok    ${title}: ${name}${seen === undefined ? '' : ` (${seen})`}\n`)
    } catch (error) {
      failed += 1
      process.stdout.write(
        `FAIL  ${title}: ${name}\n      ${String(error?.stack ?? error).slice(0, 3_000)}\n`,
      )
    }
  }
  process.exitCode = failed === 0 ? 0 : 1
}

export function includes(text, wanted, what) {
  if (String(text).includes(wanted)) return
  throw new Error(
    `${what}: expected ${JSON.stringify(wanted)} in ${JSON.stringify(String(text).slice(0, 2_000))}`,
  )
}

export function equal(actual, wanted, what) {
  if (actual !== wanted)
    throw new Error(`${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(wanted)}`)
}
