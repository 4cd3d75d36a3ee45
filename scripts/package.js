/**
 * Builds the published package in `dist/` and packs it: `npm run package`. Installs only what serving and building need.
 * Must work on a fresh checkout without an install step.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { npm } from './npm.js'
import { consolePackages, root, serverPackages } from './packages.js'
import { prepare } from './prepare.js'

await prepare(import.meta.url, [serverPackages, consolePackages])

const folder = join(root, 'dist')
rmSync(folder, { recursive: true, force: true })
// Loaded late: the Node that reads this file first may be too old for it.
const { buildPackage } = await import('../console/build-package.js')
await buildPackage(folder)
await npm(['pack', './dist'], root, { node: process.execPath, nameWorker: () => {} })
