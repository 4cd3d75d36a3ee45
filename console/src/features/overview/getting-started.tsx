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
import type { Billing } from '../billing/billing-words.ts'
import { keyPlaceholder } from '../connect/recipe.ts'
import { AboutModel } from '../keys/about-model.tsx'
import { useAvailableModels } from '../keys/available-models.ts'
import { CreateKeyDialog } from '../keys/create-key-dialog.tsx'
import { FirstRequest } from '../keys/first-request.tsx'
import { keyState } from '../keys/key-state.ts'
import { modelToTry } from '../keys/model-to-try.ts'
import { SnippetChoice } from '../keys/snippet-choice.tsx'
import { keyVariable } from '../keys/snippets.ts'
import { useAddress } from '../keys/use-address.ts'
import { useInvitations, useMembers } from '../settings/use-members.ts'
import { FirstCredit } from './first-credit.tsx'
import { type StepsDone, stepsDone } from './first-steps.ts'
import { InviteMembers } from './invite-members.tsx'

const requestsRead = 20

interface Steps {
  readonly done: StepsDone
  readonly areKeysKnown: boolean
  readonly hasAnyKey: boolean
  /** undefined: not known yet. */
  readonly billing: Billing | undefined
}

function useSteps(): Steps {
  const account = useAccount()
  const { operator } = useMe().person
  const keys = useOperation('key.list', { account: account.id })
  const requests = useOperation('requests.list', { account: account.id, limit: requestsRead })
  const upstreams = useOperation('upstreams.list', {}, { enabled: operator })
  const billing = useOperation('billing.show', { account: account.id })
  const usable = (keys.data ?? []).map((key) => ({ ...key, works: keyState(key, Date.now()).works }))
  const people = usePeople(account.organization)
  return {
    done: stepsDone({
      upstreams: upstreams.data,
      keys: usable,
      requests: requests.data ?? [],
      posted: billing.data?.posted,
      people,
    }),
    areKeysKnown: keys.data !== undefined,
    hasAnyKey: usable.some(({ builtIn, works }) => works && !builtIn),
    billing: billing.data,
  }
}

/** Who belongs to the organization, or is invited by those who may; a personal account has one. */
function usePeople(organization: string | null): number {
  const isManager = useMay('owner', 'admin')
  const members = useMembers(organization ?? '', { enabled: organization !== null })
  const invitations = useInvitations(organization ?? '', { enabled: organization !== null && isManager })
  return organization === null ? 1 : (members.data?.length ?? 1) + (invitations.data?.length ?? 0)
}

/** A new organization starts without credit; another account gets some, or its owner waits for it. */
function useNeedsCredit({ done, billing }: Steps): boolean {
  const { kind } = useAccount()
  const { waitsFor } = useMe()
  const [isEmpty, setEmpty] = useState(false)
  // Once shown, the step stays, so that it can be checked off.
  if (billing !== undefined && !done.credit && waitsFor === null && !isEmpty) setEmpty(true)
  return kind === 'organization' || isEmpty
}

export function GettingStarted(): JSX.Element {
  const { operator } = useMe().person
  const { organization } = useAccount()
  const steps = useSteps()
  const { done, areKeysKnown, hasAnyKey, billing } = steps
  const needsCredit = useNeedsCredit(steps)
  const isManager = useMay('owner', 'admin')
  const [triesSandbox, setTriesSandbox] = useState(false)
  const { title, description } = headline(done, operator)
  const hasModels = !operator || done.provider || triesSandbox
  const keyIsNext = hasModels && (!needsCredit || done.credit)
  return (
    <Card title={title} description={description}>
      <ol className="flex flex-col gap-6 pt-2 [counter-reset:step]">
        {operator ? (
          <Step title="Add a provider key" isDone={done.provider}>
            <AddProvider
              isDone={done.provider}
              triesSandbox={triesSandbox}
              onTrySandbox={() => setTriesSandbox(true)}
            />
          </Step>
        ) : null}
        {needsCredit ? (
          <Step title="Add credit" isDone={done.credit}>
            <FirstCredit billing={billing} isDone={done.credit} isNext={hasModels && !done.credit} />
          </Step>
        ) : null}
        <Step title="Create an API key" isDone={done.key}>
          <MakeKey
            isNext={keyIsNext && !done.key}
            hasOwn={done.key}
            wasPrinted={operator && hasAnyKey && !done.key}
            isKnown={areKeysKnown}
          />
        </Step>
        <Step title="Connect a client" isDone={done.client}>
          <Addresses />
          <Try />
        </Step>
        {organization !== null && isManager ? (
          <Step title="Invite members" isDone={done.team}>
            <InviteMembers organization={organization} />
          </Step>
        ) : null}
      </ol>
    </Card>
  )
}

function headline(
  { provider, client }: StepsDone,
  operator: boolean,
): { readonly title: string; readonly description: string } {
  if (!client) return { title: 'Get started', description: 'Steps are checked off as you complete them.' }
  if (operator && !provider) {
    return {
      title: 'Your first request arrived',
      description: 'A built-in test model answered it. Add a provider key to use real models.',
    }
  }
  return { title: "You're all set", description: 'This page now shows your usage.' }
}

interface AddProviderProps {
  readonly isDone: boolean
  readonly triesSandbox: boolean
  readonly onTrySandbox: () => void
}

function AddProvider({ isDone, triesSandbox, onTrySandbox }: AddProviderProps): JSX.Element {
  const installation = useOperation('installation.show')
  const hasSandbox = installation.data?.sandbox === true
  return (
    <>
      <p className="text-ink-soft">
        {isDone
          ? "Your provider's models are ready to use."
          : triesSandbox
            ? 'You are trying the sandbox: test models inside this server that need no provider key. Continue with the next step, and add a provider key when you want real models.'
            : 'Use your own API key from OpenAI, Anthropic, Google or another provider.'}
      </p>
      {isDone ? null : (
        <div className="flex flex-wrap gap-2">
          <LinkButton
            to="/console/admin/$section"
            params={{ section: 'models' }}
            search={{ create: 'yes' }}
            variant={triesSandbox ? 'secondary' : 'primary'}
          >
            <Plus aria-hidden="true" />
            Add provider key
          </LinkButton>
          {hasSandbox && !triesSandbox ? <Button onClick={onTrySandbox}>Try the sandbox first</Button> : null}
        </div>
      )}
    </>
  )
}

interface StepProps {
  readonly title: string
  readonly isDone: boolean
  readonly children: ReactNode
}

function Step({ title, isDone, children }: StepProps): JSX.Element {
  return (
    <li className="[counter-increment:step] grid grid-cols-[1.75rem_minmax(0,1fr)] gap-x-3 gap-y-2">
      <span
        aria-hidden="true"
        className={cn(
          'flex size-7 items-center justify-center rounded-full border text-sm font-semibold',
          isDone
            ? 'border-good/25 bg-good-soft text-good'
            : 'border-line bg-sunken before:content-[counter(step)]',
        )}
      >
        {isDone ? <Check className="size-4" /> : null}
      </span>
      <h3 className="self-center font-semibold">
        {title}
        <span className="sr-only">{isDone ? ' (done)' : ''}</span>
      </h3>
      <div className="col-start-2 flex flex-col gap-3">{children}</div>
    </li>
  )
}

interface MakeKeyProps {
  /** Whether this is the first step that is not done: one primary button at a time. */
  readonly isNext: boolean
  readonly hasOwn: boolean
  /** Whether the only key is the one of the first start. */
  readonly wasPrinted: boolean
  readonly isKnown: boolean
}

function MakeKey({ isNext, hasOwn, wasPrinted, isKnown }: MakeKeyProps): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  const mayMake = useMay('owner', 'admin', 'developer')
  if (!isKnown) return <Skeleton className="h-9 w-36" />
  if (!mayMake)
    return (
      <p className="text-ink-soft">
        Ask an owner, admin or developer of this organization to create one for you.
      </p>
    )
  return (
    <>
      {hasOwn ? (
        <p className="text-ink-soft">
          A key is shown only when it is created. If you don't have it, create another.
        </p>
      ) : null}
      {wasPrinted ? (
        <p className="text-ink-soft">
          Your apps send it with each request. Create one here, or use the key that was printed at startup, or
          written to first-run.txt in the data folder.
        </p>
      ) : null}
      <Button variant={isNext ? 'primary' : 'secondary'} className="self-start" onClick={() => setOpen(true)}>
        <Plus aria-hidden="true" />
        {hasOwn ? 'Create another key' : 'Create key'}
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
          ['Google Gen AI SDK', address],
        ].map(([label = '', text = '']) => (
          <div key={label} className="flex flex-wrap items-center justify-between gap-x-4 px-4 py-1.5">
            <dt className="text-ink-soft">{label}</dt>
            <dd className="flex min-w-0 items-center gap-1 max-sm:w-full max-sm:justify-between">
              <code className="min-w-0 break-all font-mono text-[0.8125rem]">{text}</code>
              <CopyButton
                className="shrink-0 max-sm:-mr-3"
                text={text}
                what={`base URL for ${label}`}
                variant="ghost"
              />
            </dd>
          </div>
        ))}
      </dl>
      <LinkButton
        to="/console/connect"
        className="h-auto min-h-9 max-w-full self-start py-1.5 whitespace-normal max-sm:h-auto max-sm:py-2.5"
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
  const sold = useAvailableModels()
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
            <Code code={`export ${keyVariable.slice(1)}=${keyPlaceholder}`} language="Shell, with your key" />
          ) : null}
          <SnippetChoice address={address} apiKey={fresh ?? keyVariable} model={model} />
          <AboutModel model={model} />
        </>
      )}
      <FirstRequest />
    </>
  )
}
