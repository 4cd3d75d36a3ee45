/** One answer: what was said, which tools were called and what came of them, what went wrong, what it cost. */

import type { JSX } from 'react'
import { Badge } from '@/components/badge'
import { Button, LinkButton } from '@/components/button'
import { Field } from '@/components/field'
import { Brain, RotateCcw } from '@/components/icons'
import { Textarea } from '@/components/textarea'
import { useMay } from '@/lib/account'
import { cn } from '@/lib/class-names'
import type { AnswerTurn, Failure, ToolCall } from './conversation.ts'
import { Cost } from './cost.tsx'
import { Output } from './output.tsx'

export interface AnswerProps {
  readonly turn: AnswerTurn
  /** Whether it is the last turn, so that one can go on from it. */
  readonly isLast: boolean
  readonly onResult: (call: string, result: string) => void
  readonly onGoOn: () => void
  readonly onAgain: () => void
}

export function Answer({ turn, isLast, onResult, onGoOn, onAgain }: AnswerProps): JSX.Element {
  const { said, state } = turn
  const isOpen = isLast && state === 'complete' && said.calls.length > 0
  return (
    <article aria-label={`Answer of ${turn.model}`} aria-busy={state === 'streaming'} className="min-w-0">
      <p className="mb-1.5 flex flex-wrap items-center gap-2 text-sm text-ink-soft">
        <span className="font-mono text-[0.8125rem] break-all">{turn.model}</span>
        {state === 'stopped' ? <Badge tone="warn">Stopped</Badge> : null}
        {said.finish === 'length' ? <Badge tone="warn">Output limit reached</Badge> : null}
      </p>
      <div className="flex flex-col gap-3">
        {said.thoughts === '' ? null : <Thoughts text={said.thoughts} />}
        {said.text === '' ? null : <Output text={said.text} />}
        {said.pictures.map((url) => (
          <img
            key={url}
            src={url}
            alt="Made by the model"
            className="max-w-full rounded-lg border border-line sm:max-w-md"
          />
        ))}
        {state === 'streaming' && said.text === '' ? <Waiting isThinking={said.thoughts !== ''} /> : null}
        {said.calls.map((call, index) => (
          <Call
            key={call.id === '' ? index : call.id}
            call={call}
            result={turn.results[call.id]}
            onResult={isOpen ? (result) => onResult(call.id, result) : undefined}
          />
        ))}
        {isOpen ? (
          <div>
            <Button variant="primary" onClick={onGoOn}>
              {said.calls.length === 1 ? 'Send the result' : 'Send the results'}
            </Button>
          </div>
        ) : null}
        {turn.problem === null ? null : <Failed problem={turn.problem} />}
      </div>
      {state === 'streaming' ? null : (
        <div className="mt-2 flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1 text-sm text-ink-soft">
          {turn.request === null || turn.request === '' ? null : (
            <Cost request={turn.request} expectsNone={state === 'failed'} />
          )}
          {isLast ? (
            <Button variant="ghost" size="small" onClick={onAgain} className="-ml-2.5">
              <RotateCcw aria-hidden="true" />
              Try again
            </Button>
          ) : null}
        </div>
      )}
    </article>
  )
}

function Waiting({ isThinking }: { readonly isThinking: boolean }): JSX.Element {
  return (
    <p role="status" className="flex items-center gap-2 text-ink-soft">
      <span aria-hidden="true" className="size-2 animate-pulse rounded-full bg-accent" />
      {isThinking ? 'Thinking…' : 'Waiting for the first words…'}
    </p>
  )
}

function Thoughts({ text }: { readonly text: string }): JSX.Element {
  return (
    <details className="rounded-lg border border-line bg-sunken/50 px-4 py-2.5">
      <summary className="flex min-h-6 items-center gap-2 text-sm font-medium text-ink-soft">
        <Brain aria-hidden="true" className="size-4" />
        What it thought
      </summary>
      <p className="mt-2 max-h-80 overflow-y-auto break-words whitespace-pre-wrap text-ink-soft">{text}</p>
    </details>
  )
}

interface CallProps {
  readonly call: ToolCall
  readonly result: string | undefined
  /** undefined: nothing can be given back any more. */
  readonly onResult: ((result: string) => void) | undefined
}

function Call({ call, result, onResult }: CallProps): JSX.Element {
  return (
    <div className="rounded-lg border border-line">
      <p className="border-b border-line px-4 py-2 text-sm">
        <span className="text-ink-soft">Calls </span>
        <span className="font-mono font-medium break-all">{call.name}</span>
      </p>
      <pre className="overflow-x-auto px-4 py-3 font-mono text-[0.8125rem] break-words whitespace-pre-wrap">
        {pretty(call.arguments)}
      </pre>
      {onResult === undefined ? (
        result === undefined || result === '' ? null : (
          <p className="border-t border-line px-4 py-2.5 break-words whitespace-pre-wrap">
            <span className="block text-sm text-ink-soft">Result</span>
            {result}
          </p>
        )
      ) : (
        <div className="border-t border-line px-4 py-3">
          <Field label={`Result of ${call.name}`} hint="What the function gave back, as text or JSON.">
            <Textarea
              rows={2}
              value={result ?? ''}
              onChange={(event) => onResult(event.target.value)}
              className="font-mono text-[0.8125rem]"
            />
          </Field>
        </div>
      )}
    </div>
  )
}

/** JSON with its usual spaces; as it came where it is none, as in the middle of a stream. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

const moneyCodes: readonly string[] = ['insufficient_balance', 'balance_held', 'key_budget_exhausted']

function Failed({ problem }: { readonly problem: Failure }): JSX.Element {
  const mayPay = useMay('owner', 'admin', 'billing')
  const isMoney = moneyCodes.includes(problem.code)
  return (
    <div
      role="alert"
      className={cn(
        'flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border px-4 py-3',
        isMoney ? 'border-warn/30 bg-warn-soft' : 'border-bad/30 bg-bad-soft',
      )}
    >
      <p className="min-w-0 flex-1 basis-60 break-words">
        {problem.message}
        <span className="block text-sm text-ink-soft">
          {problem.status === 0 ? null : `${problem.status} `}
          <code>{problem.code}</code>
        </span>
      </p>
      {isMoney && mayPay ? (
        <LinkButton to="/console/billing" size="small">
          Add credit
        </LinkButton>
      ) : null}
    </div>
  )
}
