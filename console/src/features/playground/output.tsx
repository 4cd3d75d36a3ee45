/** Model output as text: no HTML, links or remote images. Fenced code blocks get a frame and a copy button. */
import type { JSX } from 'react'
import { Code } from '@/components/code'
import { type MessagePart, messageParts } from './text-and-code.ts'

export function Output({ text }: { readonly text: string }): JSX.Element {
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {messageParts(text).map((part) => (
        <Shown key={part.at} part={part} />
      ))}
    </div>
  )
}

function Shown({ part }: { readonly part: MessagePart }): JSX.Element {
  if (part.kind === 'code') {
    const { language } = part
    return <Code code={part.text} {...(language === '' ? {} : { language, grammar: language })} wrap />
  }
  return <p className="max-w-[75ch] break-words whitespace-pre-wrap">{part.text}</p>
}
