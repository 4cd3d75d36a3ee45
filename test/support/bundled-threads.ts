/**
 * Lets the threads of gateways and stores in this process run the bundle of the server instead of the sources, where there
 * is one of the sources as they are now: each thread loads them again, which takes longer than most tests.
 */
import { basename } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { bundledMain } from '../../scripts/server-bundle.js'
import { postgresThreads, threadEntries } from '../../src/server/thread-entries.ts'

const main = bundledMain()

/** The same entry in the bundle, next to its main file. */
function bundled(entry: URL, mainPath: string): URL {
  return new URL(basename(fileURLToPath(entry)).replace(/\.ts$/, '.js'), pathToFileURL(mainPath))
}

if (main !== undefined) {
  const { writer, reader, statements } = postgresThreads
  Object.assign(postgresThreads, {
    writer: bundled(writer, main),
    reader: bundled(reader, main),
    statements: bundled(new URL(statements), main).href,
  })
  for (const [name, entry] of Object.entries(threadEntries)) {
    Object.assign(threadEntries, { [name]: bundled(entry, main) })
  }
}
