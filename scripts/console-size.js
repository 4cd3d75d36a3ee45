/**
 * The compressed bytes of script that a browser must load before a page of the console is usable, read from the last
 * build. On its own it prints a line for each page and fails if one exceeds the budget.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { builtFolder } from './console-sources.js'

/** Size limit of the first page load. */
export const firstLoadBytesMax = 200_000

/** Sources of each page that load in addition to the entry. @type {Record<string, string[]>} */
const pages = {
  '/console': ['src/layout/frame.tsx', 'src/features/overview/page.tsx'],
  '/console/sign-in': ['src/features/auth/sign-in-page.tsx'],
  '/console/setup': ['src/features/setup/page.tsx'],
  '/pricing': ['src/features/pricing/page.tsx'],
}

/**
 * @typedef {{ file: string, imports?: string[], css?: string[] }} Chunk
 * @returns {{ page: string, scriptBytes: number }[]}
 */
export function firstLoads() {
  /** @type {Record<string, Chunk>} */
  const manifest = JSON.parse(readFileSync(join(builtFolder, '.vite', 'manifest.json'), 'utf8'))
  return Object.entries(pages).map(([page, sources]) => {
    const files = new Set(
      ['index.html', ...sources].flatMap((source) => filesOf(manifest, source, new Set())),
    )
    return { page, scriptBytes: [...files].reduce((sum, file) => sum + gzipBytes(file), 0) }
  })
}

/**
 * @param {Record<string, Chunk>} manifest
 * @param {string} source
 * @param {Set<string>} seen
 * @returns {string[]}
 */
function filesOf(manifest, source, seen) {
  const chunk = manifest[source]
  if (chunk === undefined) throw new Error(`the build has no ${source}`)
  if (seen.has(source)) return []
  seen.add(source)
  return [chunk.file, ...(chunk.imports ?? []).flatMap((other) => filesOf(manifest, other, seen))]
}

/** @param {string} file */
function gzipBytes(file) {
  return gzipSync(readFileSync(join(builtFolder, file)), { level: 9 }).length
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!existsSync(builtFolder)) throw new Error('the console is not built')
  for (const { page, scriptBytes } of firstLoads()) {
    const isLarge = scriptBytes > firstLoadBytesMax
    if (isLarge) process.exitCode = 1
    process.stdout.write(
      `${page}: ${(scriptBytes / 1_000).toFixed(1)} kB of compressed script of at most ${firstLoadBytesMax / 1_000}${isLarge ? ' TOO LARGE' : ''}\n`,
    )
  }
}
