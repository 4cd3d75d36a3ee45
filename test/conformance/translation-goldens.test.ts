/**
 * The digest of every translation of everything that was recorded, so that every change of a codec is visible:
 * differences are listed, reviewed, and then accepted with UPDATE_GOLDENS=1. See goldens/README.md.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import type { TranslationTarget } from '../../src/wire/translation/neutral.ts'
import {
  answerInto,
  beginningInto,
  cost,
  type Format,
  formats,
  isFailing,
  othersThan,
  recordedAnswers,
  recordedRequests,
  recordedStreams,
  sent,
  streamInto,
  targetsOf,
  watched,
} from '../support/translation.ts'

const mayWrite = process.env.UPDATE_GOLDENS === '1'
const digestCharacters = 16
const linesMax = 20

type Goldens = Readonly<Record<string, string>>

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digestCharacters)
}

/** The model that accepts everything, and the newest. */
function ends(to: Format): readonly TranslationTarget[] {
  const targets = targetsOf(to)
  return [targets[0], targets.at(-1)].filter((target) => target !== undefined)
}

function requestGoldens(from: Format, to: Format): Goldens {
  const lines = recordedRequests(from).flatMap((request) =>
    ends(to).map((target) => {
      const outcome = sent(from, to, request, target)
      const report =
        outcome.kind === 'rejected'
          ? `${outcome.error.code} ${outcome.error.pointer}`
          : [
              digest(outcome.text),
              ...outcome.adjusted.map(({ kind, field }) => `${kind}=${field}`),
              ...[...outcome.names.keys()].map((name) => `named=${name}`),
              ...Object.entries(outcome.headers).map(([name, value]) => `${name}=${value}`),
            ].join(' ')
      return [`request ${request.name} to ${to.name} ${target.model}`, report] as const
    }),
  )
  return Object.fromEntries(lines)
}

function answerGoldens(from: Format, to: Format): Goldens {
  const answers = recordedAnswers(from).map(
    ({ name, response }) => [`answer ${name} to ${to.name}`, digest(answerInto(from, to, response))] as const,
  )
  const streams = recordedStreams(from).map((recorded) => {
    const { name, response } = recorded
    const usage = from.wire.toUsage(watched(from, [response]).rawUsage)
    const text = isFailing(recorded)
      ? beginningInto(from, to, [response])
      : streamInto(from, to, [response], { usage, cost })
    return [`stream ${name} to ${to.name}`, digest(text)] as const
  })
  return Object.fromEntries([...answers, ...streams])
}

for (const from of formats) {
  test(`translations of ${from.name} are what they were at the last review`, () => {
    const found: Goldens = Object.assign(
      {},
      ...othersThan(from).flatMap((to) => [requestGoldens(from, to), answerGoldens(from, to)]),
    )
    // Without the recordings there is nothing to compare.
    if (Object.keys(found).length === 0) return
    const file = new URL(`goldens/${from.name}.json`, import.meta.url)
    if (mayWrite) writeFileSync(file, `${JSON.stringify(found, null, 2)}\n`)
    const golden = (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}) as Goldens
    const changed = [...new Set([...Object.keys(golden), ...Object.keys(found)])]
      .filter((name) => golden[name] !== found[name])
      .map((name) => `${name}: ${golden[name] ?? 'new'} → ${found[name] ?? 'gone'}`)
    const more = changed.length > linesMax ? `\nand ${changed.length - linesMax} more` : ''
    assert.equal(
      changed.length,
      0,
      `look at what changed, then run with UPDATE_GOLDENS=1:\n${changed.slice(0, linesMax).join('\n')}${more}`,
    )
  })
}
