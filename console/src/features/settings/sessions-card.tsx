/** The sessions of the person, and how to end them. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { JSX } from 'react'
import { Badge } from '@/components/badge'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { Empty } from '@/components/empty'
import { Monitor, Smartphone } from '@/components/icons'
import { Problem } from '@/components/problem'
import { type Column, Table } from '@/components/table'
import { toast } from '@/components/toaster'
import { When } from '@/components/when'
import { confirmItsYou } from '@/lib/api'
import { identity, isTooOld, look } from '@/lib/identity'
import { useSubmit } from '@/lib/use-submit'
import { deviceOf } from './device.ts'

interface Session {
  readonly id: string
  readonly token: string
  readonly userAgent?: string | null
  readonly ipAddress?: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

const queryKey = ['sessions']

export function SessionsCard(): JSX.Element {
  const sessions = useQuery({
    queryKey,
    queryFn: () => look<readonly Session[]>('/list-sessions'),
  })
  const present = useQuery({
    queryKey: ['session'],
    queryFn: () => look<{ readonly session: { readonly id: string } } | null>('/get-session'),
  })
  const here = present.data?.session.id
  const submit = useSubmit()
  const client = useQueryClient()
  const end = (path: '/revoke-session' | '/revoke-other-sessions', body: object, said: string) =>
    void submit.run(
      () => identity('POST', path, body),
      async () => {
        await client.invalidateQueries({ queryKey })
        toast.good(said)
      },
    )
  return (
    <Card
      flush
      title="Sessions"
      description="Browsers where you are signed in."
      actions={
        (sessions.data?.length ?? 0) > 1 ? (
          <Button
            size="small"
            pending={submit.isPending}
            onClick={() => end('/revoke-other-sessions', {}, 'Signed out everywhere else.')}
          >
            Sign out everywhere else
          </Button>
        ) : undefined
      }
    >
      {submit.problem === undefined ? null : <Problem problem={submit.problem} className="mx-5 mb-4" />}
      {sessions.error !== null && isTooOld(sessions.error) ? <AskFirst onProved={sessions.refetch} /> : null}
      {sessions.error !== null && !isTooOld(sessions.error) ? (
        <Problem problem={sessions.error} onRetry={() => void sessions.refetch()} className="mx-5 mb-5" />
      ) : null}
      {sessions.error === null ? (
        <Table
          caption="Sessions"
          expected={1}
          rows={sessions.data === undefined ? undefined : latestFirst(sessions.data)}
          keyOf={({ id }) => id}
          columns={columnsFor(here, ({ token }) => end('/revoke-session', { token }, 'Session ended.'))}
        />
      ) : null}
    </Card>
  )
}

/** Sessions are shown after a recent login only. */
function AskFirst({ onProved }: { readonly onProved: () => Promise<unknown> }): JSX.Element {
  const ask = async (): Promise<void> => {
    if (await confirmItsYou()) await onProved()
  }
  return (
    <Empty
      icon={<Monitor />}
      title="Confirm it's you"
      text="Confirm your identity to see and end your sessions."
      action={<Button onClick={() => void ask()}>Confirm it's you</Button>}
    />
  )
}

function latestFirst(sessions: readonly Session[]): readonly Session[] {
  return sessions.toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt))
}

function columnsFor(here: string | undefined, onEnd: (session: Session) => void): readonly Column<Session>[] {
  return [
    {
      id: 'device',
      header: 'Browser',
      cell: (session) => <Device session={session} isHere={session.id === here} />,
    },
    { id: 'address', header: 'IP address', cell: ({ ipAddress }) => (ipAddress ?? '') || '–', wide: true },
    { id: 'began', header: 'Signed in', cell: ({ createdAt }) => <When at={createdAt} />, wide: true },
    {
      id: 'end',
      header: <span className="sr-only">End</span>,
      align: 'right',
      cell: (session) =>
        session.id === here ? null : (
          <Button size="small" variant="ghost" onClick={() => onEnd(session)}>
            Sign out
          </Button>
        ),
    },
  ]
}

function Device({ session, isHere }: { readonly session: Session; readonly isHere: boolean }): JSX.Element {
  const { name, isPhone } = deviceOf(session.userAgent ?? '')
  const Icon = isPhone ? Smartphone : Monitor
  return (
    <span className="flex items-center gap-2.5">
      <Icon aria-hidden="true" className="size-4 shrink-0 text-ink-soft" />
      <span>
        <span className="font-medium">{name}</span>
        <span className="block text-sm text-ink-soft md:hidden">
          Signed in <When at={session.createdAt} />
        </span>
      </span>
      {isHere ? <Badge tone="good">This device</Badge> : null}
    </span>
  )
}
