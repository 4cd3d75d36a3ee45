/**
 * Where the bundle of the server is: its sources and packages in a few files, which load in half of the time and memory
 * of a thousand modules. One folder for each state of the sources, so a bundle never runs for other sources than
 * its own. Reads the disk, builds nothing, needs no package.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { hashOf, root } from './source-hash.js'

const sources = [
  'src',
  'sandbox',
  'contract',
  'package-lock.json',
  'console/server-bundler.js',
  'console/bundle-server.js',
]

const bundlesFolder = join(root, 'node_modules', '.cache', 'tollgate-server')
/** Depth as in `src`, next to the entries of the threads. */
const mainInBundle = join('server', 'main.js')

/** @returns {string} the folder of the bundle of the sources as they are now; it may not exist yet */
export function bundleFolder() {
  // Addresses in this checkout are written into it, and a copy of the checkout may bring the folder along.
  return join(bundlesFolder, hashOf(sources, root))
}

/** @returns {string | undefined} the file to run instead of `src/main.ts`, where it was made from the sources as they are now */
export function bundledMain() {
  const path = join(bundleFolder(), mainInBundle)
  return existsSync(path) ? path : undefined
}
