/**
 * Bundles the server: `main.ts`, its configuration, and an entry for each of its threads, with their packages, in the folder `server` of a place.
 * It is in this folder because the bundler is one of the console's packages. Names are preserved for readable
 * stack traces.
 */
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { root } from '../scripts/source-hash.js'

const sources = join(root, 'src')
const server = join(sources, 'server')
/** Loaded on demand by the sources; the bundler follows only calls of this name. */
const onDemand = /createRequire\(import\.meta\.url\)\((?='yaml'\))/g
/** An import of Node's HTTP module as the bundler writes it: its default name, its named members, or all of it. */
const httpImport = /^import (?:\* as )?(\w+)?(?:, )?(\{.*\})? from "(?:node:)?http";$/gm

/**
 * @param {string} place
 * @param {(path: string) => string} addressOf JavaScript for the URL that code of `src/{path}` sees as its own
 */
export async function bundleServer(place, addressOf) {
  const threads = readdirSync(server).filter((name) => name.endsWith('-thread.ts'))
  const bundled = await rolldown({
    input: {
      main: join(sources, 'main.ts'),
      // Tests start the program with other limits.
      config: join(sources, 'config', 'config.ts'),
      ...Object.fromEntries(threads.map((name) => [name.slice(0, -'.ts'.length), join(server, name)])),
    },
    cwd: root,
    platform: 'node',
    logLevel: 'warn',
    plugins: [
      { name: 'addresses of sources', transform: (code, path) => withOwnAddress(code, path, addressOf) },
      { name: 'members of node:http', renderChunk: withoutHttpImport },
    ],
  })
  await bundled.write({
    dir: join(place, 'server'),
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  })
  // Where no manifest above it says so, Node parses each file once more to find out that it is a module.
  writeFileSync(join(place, 'server', 'package.json'), '{"type":"module"}\n')
}

/**
 * An import reads all members of Node's HTTP module, of which some load the client behind `fetch`: 65 ms of CPU for
 * nothing. Asking for the module itself reads only those that are used.
 * @param {string} code
 */
function withoutHttpImport(code) {
  return code.replaceAll(httpImport, (_line, name, members) =>
    [name, members?.replaceAll(' as ', ': ')]
      .filter((target) => target !== undefined)
      .map((target) => `const ${target} = process.getBuiltinModule("node:http");`)
      .join(' '),
  )
}

/**
 * Code that looks for files of the program finds them by its own address, which a bundle would change. Only
 * the entries of threads are looked for in the bundle.
 * @param {string} code
 * @param {string} path
 * @param {(path: string) => string} addressOf
 */
function withOwnAddress(code, path, addressOf) {
  if (!path.startsWith(sources) || path.endsWith('thread-entries.ts')) return null
  if (!code.includes('import.meta.url')) return null
  return code
    .replaceAll(onDemand, 'require(')
    .replaceAll('import.meta.url', addressOf(path.slice(sources.length + 1)))
}
