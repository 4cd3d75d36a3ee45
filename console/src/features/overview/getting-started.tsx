/** The steps of a new account to its first request. */

import { type JSX, type ReactNode, useState } from 'react'
import { Button, LinkButton } from '@/components/button'
import { Card } from '@/components/card'
import { Code } from '@/components/code'
import { CopyButton } from '@/components/copy-button'
import { Check, Plus } from '@/components/icons'
import { Skeleton } from '@/components/skeleton'
import { useAccount, useMay, useMe } from '@/lib/account'
import { cn } from '@/lib/class-names'
import { useFreshKey } from '@/lib/fresh-key'
import { useOperation } from '@/lib/operations'
import { AboutModel } from '../keys/about-model.tsx'
import { CreateKeyDialog } from '../keys/create-key-dialog.tsx'
import { FirstRequest } from '../keys/first-request.tsx'
import { keyState } from '../keys/key-state.ts'
import { SnippetChoice } from '../keys/snippet-choice.tsx'
import { keyVariable } from '../keys/snippets.ts'
import { modelToTry, useSoldModels } from '../keys/sold-models.ts'
import { useAddress } from '../keys/use-address.ts'

export function GettingStarted({ hasArrived }: { readonly hasArrived: boolean }): JSX.Element {
  const account = useAccount()
  const keys = useOperation('key.list', { account: account.id })
  const hasKey = keys.data?.some((key) => keyState(key, Date.now()).works) ?? false
  return (
    <Card
      title={hasArrived ? "You're all set" : 'Get started'}
      description={
        hasArrived ? 'This page now shows your usage.' : "Three steps. They're checked off as you go."
      }
    >
      <ol className="flex flex-col gap-6 pt-2">
        <Step number={1} title="Create an API key" isDone={hasKey}>
          <MakeKey hasKey={hasKey} isKnown={keys.data !== undefined} />
        </Step>
        <Step number={2} title="Set the base URL" isDone={hasArrived}>
          <Addresses />
        </Step>
        <Step number={3} title="Make a request" isDone={hasArrived}>
          <Try />
        </Step>
      </ol>
    </Card>
  )
}

interface StepProps {
  readonly number: number
  readonly title: string
  readonly isDone: boolean
  readonly children: ReactNode
}

function Step({ number, title, isDone, children }: StepProps): JSX.Element {
  return (
    <li className="grid grid-cols-[1.75rem_minmax(0,1fr)] gap-x-3 gap-y-2">
      <span
        aria-hidden="true"
        className={cn(
          'flex size-7 items-center justify-center rounded-full border text-sm font-semibold',
          isDone ? 'border-good/25 bg-good-soft text-good' : 'border-line bg-sunken',
        )}
      >
        {isDone ? <Check className="size-4" /> : number}
      </span>
      <h3 className="self-center font-semibold">
        {title}
        <span className="sr-only">{isDone ? ' (done)' : ''}</span>
      </h3>
      <div className="col-start-2 flex flex-col gap-3">{children}</div>
    </li>
  )
}

function MakeKey({ hasKey, isKnown }: { readonly hasKey: boolean; readonly isKnown: boolean }): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  const mayMake = useMay('owner', 'admin', 'developer')
  const { operator } = useMe().person
  if (!isKnown) return <Skeleton className="h-9 w-36" />
  if (!mayMake)
    return <p className="text-ink-soft">Ask an owner, admin or developer of this organization for one.</p>
  return (
    <>
      {hasKey ? (
        <p className="text-ink-soft">
          You have one.{operator ? ' The first one was printed at startup.' : ''} A key is shown only when it
          is created. If you didn't save it, create another.
        </p>
      ) : null}
      <Button variant={hasKey ? 'secondary' : 'primary'} className="self-start" onClick={() => setOpen(true)}>
        <Plus aria-hidden="true" />
        {hasKey ? 'Create another key' : 'Create key'}
      </Button>
      <CreateKeyDialog open={isOpen} onClose={() => setOpen(false)} />
    </>
  )
}

function Addresses(): JSX.Element {
  const address = useAddress()
  return (
    <>
      <dl className="flex flex-col divide-y divide-line rounded-lg border border-line">
        {[
          ['OpenAI libraries', `${address}/v1`],
          ['Anthropic libraries', `${address}/v1/alt`],
        ].map(([label = '', text = '']) => (
          <div key={label} className="flex flex-wrap items-center justify-between gap-x-4 px-4 py-1.5">
            <dt className="text-ink-soft">{label}</dt>
            <dd className="flex min-w-0 items-center gap-1">
              <code className="min-w-0 truncate font-mono text-[0.8125rem]">{text}</code>
              <CopyButton text={text} what={`base URL for ${label}`} variant="ghost" />
            </dd>
          </div>
        ))}
      </dl>
      <LinkButton
        to="/console/connect"
        className="h-auto min-h-9 max-w-full self-start py-1.5 whitespace-normal"
      >
        Set up your SDK, Claude Code, Cursor and others
      </LinkButton>
    </>
  )
}

function Try(): JSX.Element {
  const account = useAccount()
  const address = useAddress()
  const fresh = useFreshKey(account.id)
  const sold = useSoldModels()
  const model = modelToTry(sold.data ?? [], null)
  return (
    <>
      {model === undefined ? (
        <p className="text-ink-soft">
          {sold.data === undefined
            ? 'Loading models…'
            : 'No models available yet. An administrator needs to add a provider key first.'}
        </p>
      ) : (
        <>
          {fresh === undefined ? (
            <Code code={`export ${keyVariable.slice(1)}=sk-tg-…`} language="shell, with your key" />
          ) : null}
          <SnippetChoice address={address} apiKey={fresh ?? keyVariable} model={model} />
          <AboutModel model={model} />
        </>
      )}
      <FirstRequest />
    </>
  )
}
