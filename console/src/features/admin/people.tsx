/** People: who waits to be confirmed, who runs the installation, who signed up; and inviting others. */

import { type JSX, useState } from 'react'
import { Badge } from '@/components/badge'
import { Banner } from '@/components/banner'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { ConfirmDialog } from '@/components/confirm-dialog'
import { Empty } from '@/components/empty'
import { Field } from '@/components/field'
import { MoreHorizontal, UserPlus, Users } from '@/components/icons'
import { Input } from '@/components/input'
import { Menu, MenuItem } from '@/components/menu'
import { OnPhone } from '@/components/on-phone'
import { Problem } from '@/components/problem'
import { Select } from '@/components/select'
import { type Column, Table } from '@/components/table'
import { toast } from '@/components/toaster'
import { When } from '@/components/when'
import { useMe } from '@/lib/account'
import type { OperationOutput } from '@/lib/api'
import { exactTime } from '@/lib/format'
import { useChange, useOperation } from '@/lib/operations'
import { useSearch, useSetSearch } from '@/lib/search'
import { SearchField } from '../pricing/search-field.tsx'
import { Name } from '../usage/name.tsx'
import { errorAt, FormDialog } from './form-dialog.tsx'
import { AccountLink } from './section.tsx'
import { ShownOnce } from './shown-once.tsx'

type Person = OperationOutput<'people.list'>[number]
/** Who signs up elsewhere is told to no account of the operator's. */
const everyMs = 10_000
const states = { all: 'Everybody', to_confirm: 'To confirm', operators: 'Administrators' } as const
type State = keyof typeof states

export function People(): JSX.Element {
  const { q, state: wanted } = useSearch()
  const setSearch = useSetSearch()
  const state: State = wanted === 'to_confirm' || wanted === 'operators' ? wanted : 'all'
  const installation = useOperation('installation.show')
  const people = useOperation(
    'people.list',
    { state, ...(q === undefined || q === '' ? {} : { search: q }) },
    { keep: true, everyMs },
  )
  return (
    <>
      {installation.data === undefined || installation.data.mail ? null : (
        <Banner tone="warn" title="This server sends no mail.">
          Nobody can verify an address, so you confirm people here: check that somebody is who they say, then
          confirm them. Their starting credit follows at once. With SMTP_URL and MAIL_FROM set, people do it
          themselves.
        </Banner>
      )}
      <div className="flex flex-wrap gap-2">
        <SearchField label="Search by name or e-mail address" />
        <Select
          aria-label="Who is shown"
          value={state}
          onChange={(event) =>
            setSearch({ state: event.target.value === 'all' ? undefined : event.target.value })
          }
          className="w-40"
        >
          {Object.entries(states).map(([id, label]) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </Select>
        <Invite />
      </div>
      {people.isError ? (
        <Problem problem={people.error} onRetry={() => void people.refetch()} />
      ) : (
        <PeopleTable people={people.data} state={state} />
      )}
    </>
  )
}

interface Linked {
  readonly person: Person
  readonly link: string
  readonly expires: string
}

function PeopleTable({
  people,
  state,
}: {
  readonly people: readonly Person[] | undefined
  readonly state: State
}): JSX.Element {
  const me = useMe()
  const [asked, setAsked] = useState<Person>()
  const [linked, setLinked] = useState<Linked>()
  const columns: readonly Column<Person>[] = [
    {
      id: 'person',
      header: 'Person',
      cell: (person) => (
        <>
          <Name className="font-medium max-sm:max-w-40">{person.name}</Name>
          <span className="block max-w-40 truncate text-sm text-ink-soft md:max-w-none">{person.email}</span>
          <OnPhone>
            <PersonBadges person={person} />
          </OnPhone>
        </>
      ),
    },
    { id: 'state', header: 'State', wide: true, cell: (person) => <PersonBadges person={person} /> },
    { id: 'created', header: 'Signed up', wide: true, cell: ({ created }) => <When at={created} /> },
    {
      id: 'seen',
      header: 'Last seen',
      wide: true,
      cell: ({ lastSeen }) => (lastSeen === null ? 'never' : <When at={lastSeen} />),
    },
    {
      id: 'account',
      header: 'Account',
      wide: true,
      cell: ({ account }) => (account === null ? '' : <AccountLink id={account}>Open</AccountLink>),
    },
    {
      id: 'actions',
      header: <span className="sr-only">Actions</span>,
      align: 'right',
      cell: (person) => (
        <span className="flex items-center justify-end gap-1">
          {person.confirmed ? null : <Confirm person={person} />}
          <PersonMenu person={person} onOperator={() => setAsked(person)} onLinked={setLinked} />
        </span>
      ),
    },
  ]
  return (
    <Card flush>
      <Table
        caption="People"
        columns={columns}
        rows={people}
        keyOf={({ id }) => id}
        empty={
          <Empty
            icon={<Users />}
            title={state === 'to_confirm' ? 'Nobody waits to be confirmed' : 'Nobody fits'}
            text={
              state === 'to_confirm'
                ? 'Who signs up shows here at once.'
                : 'Try a part of the name or address.'
            }
          />
        }
      />
      {asked === undefined ? null : (
        <OperatorDialog person={asked} isMe={asked.id === me.person.id} onClose={() => setAsked(undefined)} />
      )}
      {linked === undefined ? null : (
        <ShownOnce
          title={`A link for ${linked.person.name}`}
          label="Link"
          text={linked.link}
          onClose={() => setLinked(undefined)}
        >
          Whoever has it can set a new password for {linked.person.email}, once, until{' '}
          {exactTime(linked.expires)}. Hand it over in a safe way.
        </ShownOnce>
      )}
    </Card>
  )
}

function PersonBadges({ person }: { readonly person: Person }): JSX.Element {
  return (
    <span className="flex flex-wrap gap-1">
      {person.operator ? <Badge tone="info">Administrator</Badge> : null}
      {person.confirmed ? <Badge tone="good">Confirmed</Badge> : <Badge tone="warn">To confirm</Badge>}
      {person.twoFactor ? <Badge>Two factors</Badge> : null}
    </span>
  )
}

function Confirm({ person }: { readonly person: Person }): JSX.Element {
  const confirm = useChange('people.confirm', {
    changes: ['people', 'account', 'balance'],
    onDone: ({ name }) => toast.good(`${name} is confirmed.`),
  })
  return (
    <Button
      size="small"
      variant="primary"
      pending={confirm.isPending}
      aria-label={`Confirm ${person.name}`}
      onClick={() => confirm.mutate({ person: person.id })}
    >
      Confirm
    </Button>
  )
}

interface PersonMenuProps {
  readonly person: Person
  readonly onOperator: () => void
  readonly onLinked: (linked: Linked) => void
}

function PersonMenu({ person, onOperator, onLinked }: PersonMenuProps): JSX.Element {
  const reset = useChange('people.reset-link', {
    onDone: ({ link, expires }) => onLinked({ person, link, expires }),
  })
  return (
    <Menu
      trigger={
        <Button variant="ghost" size="icon" aria-label={`What can be done with ${person.name}`}>
          <MoreHorizontal aria-hidden="true" />
        </Button>
      }
    >
      <MenuItem onSelect={onOperator}>
        {person.operator ? "Take the administrator's rights away" : 'Make an administrator'}
      </MenuItem>
      <MenuItem onSelect={() => reset.mutate({ person: person.id })}>Make a link for a new password</MenuItem>
    </Menu>
  )
}

function OperatorDialog({
  person,
  isMe,
  onClose,
}: {
  readonly person: Person
  readonly isMe: boolean
  readonly onClose: () => void
}): JSX.Element {
  const change = useChange('people.operator', {
    changes: ['people'],
    onDone({ operator, name }) {
      onClose()
      toast.good(operator ? `${name} is an administrator.` : `${name} is no administrator any more.`)
    },
  })
  const { operator, name } = person
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={operator ? `Take the administrator's rights from ${name}?` : `Make ${name} an administrator?`}
      action={operator ? 'Take them away' : 'Make an administrator'}
      tone={operator ? 'danger' : 'primary'}
      pending={change.isPending}
      onConfirm={() => change.mutate({ person: person.id, operator: !operator })}
    >
      <p>
        {operator
          ? `${isMe ? 'You' : name} will not see these pages any more. Accounts, keys and credit stay as they are.`
          : `${name} will see every account, give credit, set prices and credentials, and make others administrators.`}
      </p>
    </ConfirmDialog>
  )
}

function Invite(): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  const [email, setEmail] = useState('')
  const [made, setMade] = useState<OperationOutput<'people.invite'> & { readonly email: string }>()
  const invite = useChange('people.invite', {
    changes: ['people'],
    onProblem: () => undefined,
    onDone(invitation) {
      setOpen(false)
      setEmail('')
      setMade({ ...invitation, email })
    },
  })
  return (
    <>
      <Button variant="primary" onClick={() => setOpen(true)}>
        <UserPlus aria-hidden="true" />
        Invite
      </Button>
      <FormDialog
        open={isOpen}
        onOpenChange={setOpen}
        title="Invite somebody"
        description="They can sign up with this address, whatever the mode of sign-up is."
        action="Invite"
        pending={invite.isPending}
        disabled={email.trim() === ''}
        problem={invite.error}
        fields={['email']}
        onSubmit={() => invite.mutate({ email })}
      >
        <Field label="E-mail address" {...errorAt(invite.error, 'email')}>
          <Input type="email" required value={email} onChange={(event) => setEmail(event.target.value)} />
        </Field>
      </FormDialog>
      {made === undefined ? null : (
        <ShownOnce
          title={`${made.email} is invited`}
          label="Link"
          text={made.link}
          onClose={() => setMade(undefined)}
        >
          {made.sent
            ? 'The link was sent by mail. Here it is as well.'
            : 'This server sends no mail: hand the link over yourself.'}{' '}
          It works until {exactTime(made.expires)}.
        </ShownOnce>
      )}
    </>
  )
}
