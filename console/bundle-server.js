/**
 * Bundles the server into the folder that is named as an argument; it is in this folder because the bundler is one of the
 * console's packages. Names are preserved for readable stack traces. The previous bundle stays until
 * the new bundle is complete.
 */
import { readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { root } from '../scripts/source-hash.js'

/** Of these, those that were made last: a server may still be running from an earlier one. */
const bundlesMax = 3
const server = join(root, 'src', 'server')

const folder = process.argv[2]
if (folder === undefined) throw new Error('the folder of the bundle is missing')
const draft = `${folder}-${process.pid}`
try {
  await bundle(draft)
  renameSync(draft, folder)
  removeEarlier(dirname(folder))
} finally {
  rmSync(draft, { recursive: true, force: true })
}

/** @param {string} place */
async function bundle(place) {
  const threads = readdirSync(server).filter((name) => name.endsWith('-thread.ts'))
  const bundled = await rolldown({
    input: {
      main: join(root, 'src', 'main.ts'),
      ...Object.fromEntries(threads.map((name) => [name.slice(0, -'.ts'.length), join(server, name)])),
    },
    cwd: root,
    platform: 'node',
    logLevel: 'warn',
    plugins: [{ name: 'addresses of sources', transform: withOwnAddress }],
  })
  await bundled.write({
    dir: join(place, 'server'),
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  })
}

/**
 * Code that looks for files of the checkout finds them by its own address, which a bundle would change. Only
 * the entries of threads are looked for in the bundle.
 * @param {string} code
 * @param {string} path
 */
function withOwnAddress(code, path) {
  if (!path.startsWith(join(root, 'src')) || path.endsWith('thread-entries.ts')) return null
  if (!code.includes('import.meta.url')) return null
  return code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
}

/** @param {string} place */
function removeEarlier(place) {
  const made = readdirSync(place)
    .map((name) => ({ path: join(place, name), madeMs: statSync(join(place, name)).mtimeMs }))
    .sort((one, other) => other.madeMs - one.madeMs)
  for (const { path } of made.slice(bundlesMax)) rmSync(path, { recursive: true, force: true })
}
