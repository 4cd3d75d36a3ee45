/**
 * Bundles the server: `main.js` and an entry for each of its threads, with their packages, in the folder `server` of a place.
 * It is in this folder because the bundler is one of the console's packages. Names are preserved for readable
 * stack traces.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { root } from '../scripts/source-hash.js'

const sources = join(root, 'src')
const server = join(sources, 'server')
/** Loaded on demand by the sources; the bundler follows only calls of this name. */
const onDemand = /createRequire\(import\.meta\.url\)\((?='yaml'\))/g

/**
 * @param {string} place
 * @param {(path: string) => string} addressOf JavaScript for the URL that code of `src/{path}` sees as its own
 */
export async function bundleServer(place, addressOf) {
  const threads = readdirSync(server).filter((name) => name.endsWith('-thread.ts'))
  const bundled = await rolldown({
    input: {
      main: join(sources, 'main.ts'),
      ...Object.fromEntries(threads.map((name) => [name.slice(0, -'.ts'.length), join(server, name)])),
    },
    cwd: root,
    platform: 'node',
    logLevel: 'warn',
    plugins: [
      { name: 'addresses of sources', transform: (code, path) => withOwnAddress(code, path, addressOf) },
    ],
  })
  await bundled.write({
    dir: join(place, 'server'),
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  })
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
