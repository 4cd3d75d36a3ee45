/** Highlighted code, in a separate chunk: the code is shown plain until it has loaded. */
import type { JSX } from 'react'
import { tokensOf } from './highlight-tokens.ts'

/** The colors of the documentation's code blocks, by scope. */
const looks: Readonly<Record<string, string>> = {
  comment: 'text-ink-soft',
  meta: 'text-ink-soft',
  string: 'text-good',
  regexp: 'text-good',
  keyword: 'text-note',
  literal: 'text-note',
  built_in: 'text-note',
  attribute: 'text-note',
  attr: 'text-note',
  number: 'text-warn',
  variable: 'text-warn',
  subst: 'text-warn',
  section: 'text-warn',
}

interface HighlightedProps {
  readonly code: string
  readonly language: string
}

export function Highlighted({ code, language }: HighlightedProps): JSX.Element {
  let at = 0
  return (
    <>
      {tokensOf(code, language).map(({ text, scope = '' }) => {
        const key = at
        at += text.length
        // A scope may be qualified: `variable.language`.
        const look = looks[scope.split('.')[0] ?? '']
        return look === undefined ? (
          text
        ) : (
          <span key={key} className={look}>
            {text}
          </span>
        )
      })}
    </>
  )
}
