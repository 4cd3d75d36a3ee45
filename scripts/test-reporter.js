/**
 * Test reporter: a line for each file that passed, each failure in full where it happens, then the runner's own
 * summary. Shows what tests print, hides what they pass.
 */
import { relative } from 'node:path'
import { inspect } from 'node:util'

/** @param {AsyncIterable<{ type: string, data: any }>} events what the runner tells, see node:test `TestsStream` */
// biome-ignore lint/style/noDefaultExport: the runner takes a reporter's default export only
export default async function* reportTests(events) {
  for await (const { type, data } of events) {
    if (type === 'test:fail') yield failure(data)
    else if (type === 'test:summary' && data.file !== undefined) yield fileLine(data, data.file)
    else if (type === 'test:stdout' || type === 'test:stderr') yield data.message
    else if (type === 'test:diagnostic') yield `ℹ ${data.message}\n`
  }
}

/** @param {{ file?: string, name: string, line?: number, details: { error: Error & { failureType?: string } } }} data */
function failure({ file, line, name, details: { error } }) {
  if (error.failureType === 'subtestsFailed') return ''
  const place = file === undefined ? '' : `${relative(process.cwd(), file)}:${line ?? 1} `
  const text = inspect(error.cause ?? error)
    .split('\n')
    .filter((row) => !/\bnode:(internal\/|async_hooks:)/.test(row))
  return `✖ ${place}${name}\n    ${text.join('\n    ')}\n`
}

/**
 * @param {{ success: boolean, counts: { tests: number, skipped: number }, duration_ms: number }} summary
 * @param {string} file
 */
function fileLine({ success, counts, duration_ms }, file) {
  const skipped = counts.skipped > 0 ? `, skipped ${counts.skipped}` : ''
  return `${success ? '✔' : '✖'} ${relative(process.cwd(), file)} (tests ${counts.tests}${skipped}, ${Math.round(duration_ms)} ms)\n`
}
