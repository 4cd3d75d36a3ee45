/**
 * Test reporter: a line for each file that passed, each failure in full where it happens, the runner's own summary,
 * and the failures again, since a log is often read from its end. Shows what tests print, hides what they pass. A process may run many files: each is a suite of its name then.
 */
import { readFileSync } from 'node:fs'
import { basename, relative } from 'node:path'
import { inspect } from 'node:util'
import { cpuMark } from './test-process.js'

const cpuLine = new RegExp(`${cpuMark}([\\d.]+) (.*)\\n`, 'g')
const processForm = /^(?:process-\d+\.mjs|test-process\.js)$/

/** @param {AsyncIterable<import('node:test/reporters').TestEvent>} events what the runner reports, see node:test `TestsStream` */
// biome-ignore lint/style/noDefaultExport: the runner takes a reporter's default export only
export default async function* reportTests(events) {
  const counts = { tests: 0, skipped: 0 }
  /** @type {Map<string, string>} seconds of processor time of each file */
  const seconds = new Map()
  /** @type {string[]} */
  const failures = []
  for await (const { type, data } of events) {
    const isEnd = type === 'test:pass' || type === 'test:fail'
    if (isEnd && data.details.type !== 'suite') {
      counts.tests += 1
      if (data.skip !== undefined) counts.skipped += 1
    }
    if (type === 'test:fail') {
      const text = failure(data)
      if (text !== '') failures.push(text)
      yield text
    }
    if (isEnd && isFile(data)) {
      const cpu = seconds.get(data.name)
      yield fileLine(data.name, {
        success: type === 'test:pass',
        ms: data.details.duration_ms,
        ...counts,
        cpu,
      })
      Object.assign(counts, { tests: 0, skipped: 0 })
    } else if (type === 'test:summary' && data.file !== undefined) {
      if (processForm.test(basename(data.file))) continue
      const { success, duration_ms: ms } = data
      yield fileLine(relative(process.cwd(), data.file), { success, ms, ...data.counts })
    } else if (type === 'test:stdout') yield withoutCpu(data.message, seconds)
    else if (type === 'test:stderr') yield data.message
    else if (type === 'test:diagnostic') yield `ℹ ${data.message}\n`
  }
  if (failures.length > 0) yield `failed tests:\n${failures.join('')}`
}

/**
 * Removes CPU lines from the output of a test process and records them in `seconds`.
 * @param {string} text
 * @param {Map<string, string>} seconds
 */
function withoutCpu(text, seconds) {
  return text.replaceAll(cpuLine, (_, used, name) => {
    seconds.set(name, used)
    return ''
  })
}

/** @param {{ nesting: number, file?: string, details: { type?: string } }} data */
function isFile({ nesting, file, details }) {
  return nesting === 0 && details.type === 'suite' && processForm.test(basename(file ?? ''))
}

/** @param {{ file?: string, name: string, line?: number, details: { error: Error & { failureType?: string } } }} data */
function failure({ file, line, name, details: { error } }) {
  if (error.failureType === 'subtestsFailed') return ''
  const place = file === undefined ? '' : `${relative(process.cwd(), file)}:${line ?? 1} `
  const text = inspect(error.cause ?? error)
    .split('\n')
    .filter((row) => !/\bnode:(internal\/|async_hooks:)/.test(row))
  // A process that ended before its time had one of these files at work.
  const held = processForm.test(basename(name)) ? readFileSync(name, 'utf8').split('\n').slice(2, -2) : []
  return `✖ ${place}${name}\n    ${[...text, ...held].join('\n    ')}\n`
}

/**
 * @param {string} path
 * @param {{ success: boolean, tests: number, skipped: number, ms: number, cpu?: string | undefined }} result
 */
function fileLine(path, { success, tests, skipped, ms, cpu }) {
  const skips = skipped > 0 ? `, skipped ${skipped}` : ''
  const cost = cpu === undefined ? '' : `, CPU ${cpu} s`
  return `${success ? '✔' : '✖'} ${path} (tests ${tests}${skips}, ${Math.round(ms)} ms${cost})\n`
}
