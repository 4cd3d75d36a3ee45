/** The playground's next request as code. */
import { type JSX, useState } from 'react'
import { Code } from '@/components/code'
import { Dialog } from '@/components/dialog'
import { Field } from '@/components/field'
import { Problem } from '@/components/problem'
import { Select } from '@/components/select'
import { Skeleton } from '@/components/skeleton'
import { useOperation } from '@/lib/operations'
import { type CodeExample, codeExamples } from './code.ts'
import type { Json } from './conversation.ts'

export interface CodeDialogProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly body: { readonly [name: string]: Json }
}

export function CodeDialog({ open, onOpenChange, body }: CodeDialogProps): JSX.Element {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="View as code"
      description="Uses your base URL and an API key in TOLLGATE_KEY."
      size="large"
    >
      <Examples body={body} />
    </Dialog>
  )
}

function Examples({ body }: Pick<CodeDialogProps, 'body'>): JSX.Element {
  const installation = useOperation('installation.show')
  const [chosen, setChosen] = useState<CodeExample['id']>('curl')
  if (installation.isError) {
    return <Problem problem={installation.error} onRetry={() => void installation.refetch()} />
  }
  if (installation.data === undefined) return <Skeleton className="h-72" />
  const examples = codeExamples(installation.data.address, body)
  const shown = examples.find(({ id }) => id === chosen) ?? examples[0]
  return (
    <div className="flex flex-col gap-4">
      <Field label="Language">
        <Select value={chosen} onChange={(event) => setChosen(event.target.value as CodeExample['id'])}>
          {examples.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </Select>
      </Field>
      {shown === undefined ? null : <Code code={shown.text} language={shown.language} />}
    </div>
  )
}
