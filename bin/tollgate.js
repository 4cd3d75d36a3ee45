#!/usr/bin/env node
// Starts Tollgate with the arguments that follow: from its sources in a checkout, where what is missing is
// installed and built first, else from the package's bundle. Plain JavaScript that an old Node can read.
// Writes nothing to stdout, which belongs to the command.
import { existsSync, readFileSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

const source = new URL('../src/main.ts', import.meta.url)
const packaged = new URL('../server/main.js', import.meta.url)

if (process.argv[2] === 'serve') boundKeptMemory()

if (existsSync(source)) {
  const { prepare } = await import(new URL('../scripts/prepare.js', import.meta.url).href)
  const sets = await import(new URL('../scripts/packages.js', import.meta.url).href)
  const { isConsoleStale } = await import(new URL('../scripts/console-sources.js', import.meta.url).href)
  const needsConsole = process.argv[2] === 'serve' && isConsoleStale()
  await prepare(import.meta.url, [sets.serverPackages, ...(needsConsole ? [sets.consolePackages] : [])])
  let main = source.href
  if (process.argv[2] === 'serve') {
    const { prepareServer } = await import(new URL('../scripts/prepare-server.js', import.meta.url).href)
    const { prepareConsole } = await import(new URL('../scripts/prepare-console.js', import.meta.url).href)
    // Without its pages the server runs anyway, and explains there how to build them.
    const [bundled] = await Promise.all([prepareServer(), needsConsole && prepareConsole()])
    if (bundled !== undefined) main = pathToFileURL(bundled).href
  } else {
    // A command is not worth a build, but takes half the time where a server has been built.
    const { bundledMain } = await import(new URL('../scripts/server-bundle.js', import.meta.url).href)
    const bundled = bundledMain()
    if (bundled !== undefined) main = pathToFileURL(bundled).href
  }
  keepWhatIsCompiled()
  await import(main)
} else {
  const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  const [major = 0, minor = 0] = engines.node.match(/\d+/g).map(Number)
  const [ownMajor = 0, ownMinor = 0] = process.versions.node.split('.').map(Number)
  if (ownMajor < major || (ownMajor === major && ownMinor < minor)) {
    process.stderr.write(`tollgate: needs Node ${engines.node}, this is ${process.versions.node}\n`)
    process.exit(1)
  }
  keepWhatIsCompiled()
  await import(packaged.href)
}

/**
 * How much free memory malloc and V8 keep for themselves is read once, when a process begins: with one arena per core and
 * V8's own choice it is hundreds of megabytes after a load. What the environment says already, as in the image, stays.
 */
function boundKeptMemory() {
  const { env, execPath, execArgv, argv } = process
  // A channel to a parent would be lost; the child of a launcher has the variables already.
  if (process.platform !== 'linux' || env.MALLOC_ARENA_MAX !== undefined || process.channel) return
  env.MALLOC_ARENA_MAX = '1'
  env.MALLOC_TRIM_THRESHOLD_ ??= '131072'
  if (!env.NODE_OPTIONS?.includes('semi-space')) {
    env.NODE_OPTIONS = `${env.NODE_OPTIONS ?? ''} --max-semi-space-size=16`.trim()
  }
  // The same process begins again. A Node that cannot is too old, and the one that it starts inherits the variables.
  process.execve?.(execPath, [execPath, ...execArgv, ...argv.slice(1)], env)
}

/** Half of a start is compiling. Not before the packages are there: npm has to find a fresh checkout without them. */
function keepWhatIsCompiled() {
  module.enableCompileCache(cacheFolder())
  // Threads read it from the environment.
  process.env.NODE_COMPILE_CACHE ??= cacheFolder()
}

function cacheFolder() {
  return fileURLToPath(new URL('../node_modules/.cache/tollgate', import.meta.url))
}
