/**
 * The playground: a conversation with any available model, charged to the account under a built-in key that cannot be
 * read or sent.
 */

import { type JSX, type RefObject, useEffect, useRef, useState } from 'react'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { Empty } from '@/components/empty'
import { ChevronDown, Code2, MessagesSquare, Plus, SlidersHorizontal } from '@/components/icons'
import { Page } from '@/components/page'
import { Problem } from '@/components/problem'
import { Skeleton } from '@/components/skeleton'
import { toast } from '@/components/toaster'
import { useAccount, useMay, useMe } from '@/lib/account'
import { useSearch, useSetSearch } from '@/lib/search'
import { useMedia } from '@/lib/use-media'
import { modelFor } from '../connect/model-choice.ts'
import { NoModels } from '../connect/no-models.tsx'
import { isChatModel, type PricedModel, usePricedModels } from '../pricing/price-list.ts'
import { Answer } from './answer.tsx'
import { CodeDialog } from './code-dialog.tsx'
import { Composer } from './composer.tsx'
import {
  askedLast,
  type MessageImage,
  openCalls,
  requestBody,
  type Takes,
  type Turn,
  type UserTurn,
} from './conversation.ts'
import { isSound, SettingsPanel } from './settings-panel.tsx'
import { type Conversation, useConversation, type With } from './use-conversation.ts'

export function PlaygroundPage(): JSX.Element {
  const mayPlay = useMay('owner', 'admin', 'developer')
  const sold = usePricedModels()
  const models = sold.data?.filter(isChatModel)
  return (
    <Page
      title="Playground"
      description="Try any model. Responses are charged to this account, and each one shows its cost."
    >
      {!mayPlay ? (
        <Empty
          icon={<MessagesSquare />}
          title="Your role can't make requests"
          text="Owners, admins and developers of this organization can use the playground."
          className="rounded-xl border border-line bg-surface"
        />
      ) : sold.isError ? (
        <Problem problem={sold.error} onRetry={() => void sold.refetch()} />
      ) : models === undefined ? (
        <Skeleton className="h-128 rounded-xl" />
      ) : (
        <Play models={models} />
      )}
    </Page>
  )
}

function Play({ models }: { readonly models: readonly PricedModel[] }): JSX.Element {
  const chosen = useSearch().model
  const model = modelFor(models, { prefers: 'openai-chat' }, chosen)
  if (model === undefined) {
    return <NoModels icon={<MessagesSquare />} />
  }
  return <Played models={models} model={model} />
}

function takesOf({ takesTools, reasons, formats }: PricedModel): Takes {
  return {
    tools: takesTools,
    effort: reasons,
    // Newer models reject the old name of a renamed parameter.
    limitField: formats.includes('openai-responses') ? 'max_completion_tokens' : 'max_tokens',
  }
}

function Played({
  models,
  model,
}: {
  readonly models: readonly PricedModel[]
  readonly model: PricedModel
}): JSX.Element {
  const setSearch = useSetSearch()
  const { person } = useMe()
  const conversation = useConversation(person.id, useAccount().id)
  const [draft, setDraft] = useState<UserTurn>()
  const [isCodeShown, setCodeShown] = useState(false)
  const { turns, settings } = conversation
  const on: With = { model: model.model, takes: takesOf(model) }
  const send = (text: string, images: readonly MessageImage[]): boolean => {
    const mayGo = isSound(settings, model)
    if (mayGo) conversation.send(text, images, on)
    else toast.problem('Fix the highlighted setting first.')
    return mayGo
  }
  const next: readonly Turn[] = draft === undefined ? askedLast(turns) : [...turns, draft]
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
      {/* As high as the window, so that the composer is at its end. */}
      <div className="tall:min-h-[calc(100dvh-13rem)] flex min-w-0 flex-col gap-4 max-lg:tall:min-h-[calc(100dvh-19rem)]">
        <div className="flex flex-wrap justify-end gap-2">
          <Button size="small" onClick={() => setCodeShown(true)}>
            <Code2 aria-hidden="true" />
            Code
          </Button>
          <Button size="small" onClick={conversation.clear} disabled={turns.length === 0}>
            <Plus aria-hidden="true" />
            New conversation
          </Button>
        </div>
        <Talk conversation={conversation} on={on} />
        <div className="tall:sticky bottom-0 -mx-1 mt-auto bg-page px-1 pb-3">
          <Composer
            isRunning={conversation.isRunning}
            takesImages={model.inputs.includes('image')}
            onSend={send}
            onStop={conversation.stop}
            onDraft={(text, images) =>
              setDraft(text === '' && images.length === 0 ? undefined : { kind: 'user', id: 0, text, images })
            }
          />
        </div>
      </div>
      <Aside model={model.model}>
        <SettingsPanel
          models={models}
          model={model}
          onModel={(name) => setSearch({ model: name })}
          settings={settings}
          onChange={conversation.setSettings}
        />
      </Aside>
      <CodeDialog
        open={isCodeShown}
        onOpenChange={setCodeShown}
        body={requestBody(model.model, next, settings, on.takes)}
      />
    </div>
  )
}

/** Next to the conversation on wide screens, else collapsed above it. */
function Aside({ model, children }: { readonly model: string; readonly children: JSX.Element }): JSX.Element {
  if (useMedia('(min-width: 1024px)')) {
    return (
      <Card title="Settings" className="taller:sticky top-20">
        {children}
      </Card>
    )
  }
  return (
    <details className="group order-first rounded-xl border border-line bg-surface px-5">
      <summary className="flex min-h-12 items-center gap-2 font-medium">
        <SlidersHorizontal aria-hidden="true" className="size-4 text-ink-soft" />
        Settings
        <span className="min-w-0 truncate font-mono text-[0.8125rem] font-normal text-ink-soft">{model}</span>
        <ChevronDown
          aria-hidden="true"
          className="ml-auto size-4 shrink-0 text-ink-soft transition-transform group-open:rotate-180"
        />
      </summary>
      <div className="pt-2 pb-5">{children}</div>
    </details>
  )
}

function Talk({ conversation, on }: { readonly conversation: Conversation; readonly on: With }): JSX.Element {
  const { turns } = conversation
  const log = useFollowed(turns.length)
  const last = turns.at(-1)
  if (turns.length === 0) {
    return (
      <Empty
        icon={<MessagesSquare />}
        title="Start a conversation"
        text="The whole conversation is sent with every message, so later responses cost more than earlier ones."
        className="flex-1 rounded-xl border border-dashed border-line py-16"
      />
    )
  }
  return (
    <div ref={log} role="log" aria-label="Conversation" className="flex flex-col gap-6">
      {turns.map((turn) =>
        turn.kind === 'user' ? (
          <UserMessage key={turn.id} turn={turn} />
        ) : (
          <Answer
            key={turn.id}
            turn={turn}
            isLast={turn === last}
            onResult={(call, result) => conversation.setResult(turn.id, call, result)}
            onGoOn={() => {
              if (openCalls(turns).length > 0) conversation.goOn(on)
            }}
            onAgain={() => conversation.again(on)}
          />
        ),
      )}
    </div>
  )
}

const nearPixels = 120

/** Keeps the end of growing content in view, unless the reader scrolled up. */
function useFollowed(turnCount: number): RefObject<HTMLDivElement | null> {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (element.current === null || turnCount === 0) return
    const page = document.documentElement
    // While all of it fits into the window, nothing scrolls below the bar at the top.
    const toEnd = (): void => {
      const column = element.current?.parentElement?.getBoundingClientRect()
      if (column !== undefined && column.bottom > innerHeight) window.scrollTo(0, page.scrollHeight)
    }
    let follows = true
    const look = (): void => {
      follows = page.scrollHeight - page.scrollTop - page.clientHeight < nearPixels
    }
    const observer = new ResizeObserver(() => {
      if (follows) toEnd()
    })
    toEnd()
    observer.observe(element.current)
    addEventListener('scroll', look, { passive: true })
    return () => {
      observer.disconnect()
      removeEventListener('scroll', look)
    }
  }, [turnCount])
  return element
}

function UserMessage({ turn }: { readonly turn: UserTurn }): JSX.Element {
  return (
    <div className="ml-auto flex max-w-[85%] min-w-0 flex-col items-end gap-2">
      <span className="sr-only">You:</span>
      {turn.images.length === 0 ? null : (
        <div className="flex flex-wrap justify-end gap-2">
          {turn.images.map(({ name, url }) => (
            <img
              key={name + url.length}
              src={url}
              alt={name}
              className="max-h-40 rounded-lg border border-line"
            />
          ))}
        </div>
      )}
      {turn.text === '' ? null : (
        <p className="rounded-xl bg-sunken px-4 py-2.5 break-words whitespace-pre-wrap">{turn.text}</p>
      )}
    </div>
  )
}
