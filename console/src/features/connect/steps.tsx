/** The steps of one recipe, each with the text to copy. */
import type { JSX } from 'react'
import { Code } from '@/components/code'
import { CopyButton } from '@/components/copy-button'
import type { Language, Snippet, Step } from './recipes.ts'

const languageNames: Readonly<Record<Language, string>> = {
  sh: 'Shell',
  toml: 'TOML',
  json: 'JSON',
  yaml: 'YAML',
  xml: 'XML',
  typescript: 'TypeScript',
  python: 'Python',
  go: 'Go',
  java: 'Java',
  rust: 'Rust',
  text: 'Text',
}

export function Steps({ steps }: { readonly steps: readonly Step[] }): JSX.Element {
  return (
    <ol className="flex flex-col gap-6">
      {steps.map((step, index) => (
        <li key={step.title} className="flex min-w-0 flex-col gap-2.5">
          <div className="flex items-baseline gap-3">
            <span
              aria-hidden="true"
              className="tabular flex size-6 shrink-0 items-center justify-center rounded-full border border-line bg-sunken text-xs font-semibold text-ink-soft"
            >
              {index + 1}
            </span>
            <div className="min-w-0">
              <h3 className="font-medium">{step.title}</h3>
              {step.text === undefined ? null : <p className="text-ink-soft">{step.text}</p>}
            </div>
          </div>
          {step.snippet === undefined ? null : (
            <div className="sm:pl-9">
              <Shown snippet={step.snippet} what={step.title} />
            </div>
          )}
        </li>
      ))}
    </ol>
  )
}

function Shown({ snippet, what }: { readonly snippet: Snippet; readonly what: string }): JSX.Element {
  if (snippet.language === 'text') {
    return (
      <div className="flex items-center justify-between gap-2 rounded-lg border border-line bg-sunken py-1 pr-1 pl-4">
        <code className="min-w-0 font-mono text-[0.8125rem] break-all">{snippet.text}</code>
        <CopyButton text={snippet.text} what={`the text for “${what}”`} variant="ghost" />
      </div>
    )
  }
  return (
    <Code
      code={snippet.text}
      language={snippet.file ?? languageNames[snippet.language]}
      what={`the text of “${what}”`}
    />
  )
}
