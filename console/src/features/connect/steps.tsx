/** The steps of one recipe, each with the text to copy. */
import type { JSX, ReactNode } from 'react'
import { ChoiceTabs } from '@/components/choice-tabs'
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

export interface StepsProps {
  readonly steps: readonly Step[]
  /** Shown with each step that lacks the key. */
  readonly keyAction: ReactNode
}

export function Steps({ steps, keyAction }: StepsProps): JSX.Element {
  return (
    <ol className="flex flex-col gap-6">
      {numbered(steps).map((ways, index) => (
        <li key={ways[0]?.steps[0]?.title} className="flex min-w-0 gap-3">
          <span
            aria-hidden="true"
            className="tabular mt-px flex size-6 shrink-0 items-center justify-center rounded-full border border-line bg-sunken text-xs font-semibold text-ink-soft max-sm:hidden"
          >
            {index + 1}
          </span>
          <div className="min-w-0 flex-1">
            <Ways ways={ways} keyAction={keyAction} />
          </div>
        </li>
      ))}
    </ol>
  )
}

/** A tab of alternative steps, or the steps without a tab. */
interface Way {
  readonly name: string | undefined
  readonly steps: readonly Step[]
}

/** Alternatives that follow one another are one numbered step together. */
function numbered(steps: readonly Step[]): readonly (readonly Way[])[] {
  const runs: Step[][] = []
  for (const step of steps) {
    const last = runs.at(-1)
    const joins = step.alternative !== undefined && last?.[0]?.alternative !== undefined
    if (joins) last?.push(step)
    else runs.push([step])
  }
  return runs.map((run) =>
    [...Map.groupBy(run, ({ alternative }) => alternative)].map(([name, ofName]) => ({
      name,
      steps: ofName,
    })),
  )
}

interface WaysProps extends Pick<StepsProps, 'keyAction'> {
  readonly ways: readonly Way[]
}

function Ways({ ways, keyAction }: WaysProps): JSX.Element {
  const [only] = ways
  if (only !== undefined && ways.length === 1) return <StepList steps={only.steps} keyAction={keyAction} />
  return (
    <ChoiceTabs
      label="Alternatives"
      tabs={ways.map(({ name = '', steps }, index) => ({
        id: `way-${index}`,
        label: name,
        content: <StepList steps={steps} keyAction={keyAction} />,
      }))}
    />
  )
}

function StepList({ steps, keyAction }: StepsProps): JSX.Element {
  return (
    <div className="flex min-w-0 flex-col gap-5">
      {steps.map((step) => (
        <OneStep key={step.title} step={step} keyAction={step.lacksKey === true ? keyAction : null} />
      ))}
    </div>
  )
}

interface OneStepProps extends Pick<StepsProps, 'keyAction'> {
  readonly step: Step
}

function OneStep({ step, keyAction }: OneStepProps): JSX.Element {
  return (
    <div className="flex min-w-0 flex-col gap-2.5">
      <div>
        <h3 className="pt-px font-medium">{step.title}</h3>
        {step.text === undefined ? null : <p className="text-ink-soft">{step.text}</p>}
      </div>
      {keyAction}
      {step.snippet === undefined ? null : (
        <Shown snippet={step.snippet} what={step.title} isPlaceholder={step.lacksKey === true} />
      )}
    </div>
  )
}

interface ShownProps {
  readonly snippet: Snippet
  readonly what: string
  /** A placeholder for the key is of no use elsewhere, so it is not copied. */
  readonly isPlaceholder: boolean
}

function Shown({ snippet, what, isPlaceholder }: ShownProps): JSX.Element {
  if (snippet.language === 'text') {
    return (
      <div className="flex items-center justify-between gap-2 rounded-lg border border-line bg-sunken min-h-10 py-1 pr-1 pl-4">
        <code className="min-w-0 font-mono text-[0.8125rem] break-all">{snippet.text}</code>
        {isPlaceholder ? null : (
          <CopyButton text={snippet.text} what={`the text for “${what}”`} variant="ghost" />
        )}
      </div>
    )
  }
  return (
    <Code
      code={snippet.text}
      language={snippet.file ?? languageNames[snippet.language]}
      grammar={snippet.language}
      what={`the text of “${what}”`}
    />
  )
}
