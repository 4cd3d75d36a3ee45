/**
 * Builds the console and the documentation into a folder (`console/dist` unless another is named): bundles the scripts,
 * writes the pages, compresses what can be sent compressed, records its sources. The previous build stays until the new one is complete.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build } from 'vite'
import { builtFolder, hashOfSources, root, stampName } from '../scripts/console-sources.js'
import { isRunning } from '../scripts/running-process.js'
import { buildDocs } from './docs/build-pages.ts'

const compressible = /\.(js|css|html|json|svg)$/
/** Below this a compressed file saves nothing. */
const compressFromBytes = 512

const folder = resolve(process.argv[2] ?? builtFolder)
const draft = `${folder}-${process.pid}`
const earlier = `${draft}-earlier`
const madeFrom = hashOfSources()
removeLeftovers()
try {
  await build({
    configFile: join(root, 'console', 'vite.config.ts'),
    logLevel: 'error',
    build: { outDir: draft },
  })
  buildDocs(draft)
  await compressAll(draft)
  writeFileSync(join(draft, stampName), madeFrom)
  mkdirSync(dirname(folder), { recursive: true })
  // A server may be sending files from there: it is without them for a moment only.
  if (existsSync(folder)) renameSync(folder, earlier)
  renameSync(draft, folder)
} finally {
  for (const left of [draft, earlier]) rmSync(left, { recursive: true, force: true })
}

/** What builds left that were killed: folders named after a process that is gone. */
function removeLeftovers() {
  const form = new RegExp(`^${basename(folder)}-(\\d+)(?:-earlier)?$`)
  const parent = dirname(folder)
  for (const name of existsSync(parent) ? readdirSync(parent) : []) {
    const processId = form.exec(name)?.[1]
    if (processId !== undefined && !isRunning(Number(processId)))
      rmSync(join(parent, name), { recursive: true, force: true })
  }
}

/** @param {string} place */
async function compressAll(place) {
  const paths = readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && compressible.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    // The server writes its address into the pages of the documentation.
    .filter((path) => !path.startsWith(join(place, 'docs')))
  await Promise.all(paths.map(compress))
}

/** @param {string} path */
async function compress(path) {
  const whole = readFileSync(path)
  if (whole.length < compressFromBytes) return
  const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
  writeFileSync(`${path}.br`, await promisify(brotliCompress)(whole, { params: quality }))
  writeFileSync(`${path}.gz`, await promisify(gzip)(whole, { level: 9 }))
}
