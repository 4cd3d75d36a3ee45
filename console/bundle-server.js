/**
 * Bundles the server for this checkout into the folder that is named as an argument. The code finds files of the
 * checkout where the sources find them. The previous bundle stays until the new bundle is complete.
 */
import { readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '../scripts/source-hash.js'
import { bundleServer } from './server-bundler.js'

/** Of these, those that were made last: a server may still be running from an earlier one. */
const bundlesMax = 3

const folder = process.argv[2]
if (folder === undefined) throw new Error('the folder of the bundle is missing')
const draft = `${folder}-${process.pid}`
try {
  await bundleServer(draft, (path) => JSON.stringify(pathToFileURL(join(root, 'src', path)).href))
  renameSync(draft, folder)
  removeEarlier(dirname(folder))
} finally {
  rmSync(draft, { recursive: true, force: true })
}

/** @param {string} place */
function removeEarlier(place) {
  const made = readdirSync(place)
    .map((name) => ({ path: join(place, name), madeMs: statSync(join(place, name)).mtimeMs }))
    .sort((one, other) => other.madeMs - one.madeMs)
  for (const { path } of made.slice(bundlesMax)) rmSync(path, { recursive: true, force: true })
}
