/** The pages in docs/errors match the error table and show what clients really get. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type ErrorCode, type ErrorSpec, errors } from '../contract/errors.ts'
import { anthropic } from '../src/wire/anthropic/index.ts'
import type { ClientError } from '../src/wire/format.ts'
import { openaiChat } from '../src/wire/openai-chat/index.ts'

const retryWords = { never: 'the same request fails again', later: 'wait, then send it again' }

function head(code: ErrorCode, spec: ErrorSpec): string {
  const facts = [
    `\`${code}\``,
    `status ${spec.status}`,
    `caused by the ${spec.fault}`,
    retryWords[spec.retry],
  ]
  return `# ${spec.title}\n\n${facts.join(' · ')}\n\n`
}

interface ChatBody {
  readonly error: {
    readonly message: string
    readonly param: string | null
    readonly code: string
    readonly source: ClientError['source']
    readonly details?: ClientError['details']
  }
}

/** The error whose body is the first example of the page. */
function problemOf(code: ErrorCode, spec: ErrorSpec, { error }: ChatBody): ClientError {
  return {
    code,
    category: spec.category,
    status: spec.status,
    message: error.message,
    param: error.param,
    details: error.details ?? {},
    source: error.source,
    requestId: 'req_0dv5g2m4c0001',
  }
}

for (const [code, spec] of Object.entries(errors) as [ErrorCode, ErrorSpec][]) {
  test(`docs/errors/${code}.md matches the row and the response bodies`, () => {
    const page = readFileSync(new URL(`../docs/errors/${code}.md`, import.meta.url), 'utf8')
    assert.ok(page.startsWith(head(code, spec)), page.slice(0, 200))
    assert.match(page, /\n\nWhat to do:\n\n- \S/)
    const examples = [...page.matchAll(/^```json\n(.+)\n```$/gm)].map(([, body = '']) => body)
    if (page.includes('From the control plane:')) {
      assert.equal(examples.length, 1)
      assert.equal((JSON.parse(examples[0] ?? '') as ChatBody).error.code, code)
      return
    }
    const problem = problemOf(code, spec, JSON.parse(examples[0] ?? '') as ChatBody)
    assert.deepEqual(examples, [openaiChat.errorBody(problem).trim(), anthropic.errorBody(problem).trim()])
    assert.equal(openaiChat.errorStatus(problem), spec.status)
    const status = anthropic.errorStatus(problem)
    assert.ok(
      page.includes(`In the Messages format${status === spec.status ? '' : `, with status ${status}`}:`),
    )
  })
}
