/** The playground's next request as code. */
import type { JSX } from 'react'
import { ChoiceTabs } from '@/components/choice-tabs'
import { Code } from '@/components/code'
import { Dialog } from '@/components/dialog'
import { Problem } from '@/components/problem'
import { Skeleton } from '@/components/skeleton'
import { useOperation } from '@/lib/operations'
import { codeExamples } from './code.ts'
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
  if (installation.isError) {
    return <Problem problem={installation.error} onRetry={() => void installation.refetch()} />
  }
  if (installation.data === undefined) return <Skeleton className="h-72" />
  const examples = codeExamples(installation.data.address, body)
  return (
    <ChoiceTabs
      label="Language"
      tabs={examples.map(({ id, label, language, text }) => ({
        id,
        label,
        content: <Code code={text} language={language} grammar={language} />,
      }))}
    />
  )
}
