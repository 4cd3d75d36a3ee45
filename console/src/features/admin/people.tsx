/** People: pending approvals, administrators, everyone who signed up; and invitations. */

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
import { isZero, usd } from '@/lib/usd'
import { SearchField } from '../pricing/search-field.tsx'
import { Name } from '../usage/name.tsx'
import { errorAt, FormDialog } from './form-dialog.tsx'
import { Invitations } from './invitations.tsx'
import { AccountLink } from './section.tsx'
import { ShownOnce } from './shown-once.tsx'

type Person = OperationOutput<'people.list'>[number]
/** Sign-ups elsewhere publish no event to the operator's accounts. */
const everyMs = 10_000
const states = { all: 'All', to_confirm: 'Pending', operators: 'Admins' } as const
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
        <Banner tone="warn" title="This server can't send email.">
          People can't verify their email, so you approve them here. Check who they are, then approve them;
          their starting credit is added immediately. Set SMTP_URL and MAIL_FROM to let people verify
          themselves.
        </Banner>
      )}
      <div className="flex flex-wrap gap-2">
        <SearchField label="Search by name or email" />
        <Select
          aria-label="Filter people"
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
      <Invitations />
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
      header: 'Name',
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
    { id: 'state', header: 'Status', wide: true, cell: (person) => <PersonBadges person={person} /> },
    { id: 'created', header: 'Signed up', wide: true, cell: ({ created }) => <When at={created} /> },
    {
      id: 'seen',
      header: 'Last active',
      wide: true,
      cell: ({ lastSeen }) => (lastSeen === null ? 'never' : <When at={lastSeen} />),
    },
    {
      id: 'account',
      header: 'Account',
      wide: true,
      cell: ({ account }) =>
        account === null ? (
          ''
        ) : (
          <AccountLink inRow id={account}>
            View account
          </AccountLink>
        ),
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
            title={state === 'to_confirm' ? 'No one is waiting for approval' : 'No matching people'}
            text={state === 'to_confirm' ? 'New sign-ups appear here.' : 'Try part of the name or email.'}
          />
        }
      />
      {asked === undefined ? null : (
        <OperatorDialog person={asked} isMe={asked.id === me.person.id} onClose={() => setAsked(undefined)} />
      )}
      {linked === undefined ? null : (
        <ShownOnce
          title={`Reset link for ${linked.person.name}`}
          label="Link"
          text={linked.link}
          onClose={() => setLinked(undefined)}
        >
          Anyone with this link can set a new password for {linked.person.email}. It works once, until{' '}
          {exactTime(linked.expires)}. Share it securely.
        </ShownOnce>
      )}
    </Card>
  )
}

/** Only email verifies an address; the first administrator needs no approval. */
function Confirmation({ person }: { readonly person: Person }): JSX.Element | null {
  const installation = useOperation('installation.show')
  if (!person.confirmed) return <Badge tone="warn">Pending</Badge>
  if (person.verified && installation.data?.mail === true) return <Badge tone="good">Verified</Badge>
  return person.operator ? null : <Badge tone="good">Approved</Badge>
}

function PersonBadges({ person }: { readonly person: Person }): JSX.Element {
  return (
    <span className="flex flex-wrap gap-1">
      {person.operator ? <Badge tone="info">Admin</Badge> : null}
      <Confirmation person={person} />
      {person.twoFactor ? <Badge>2FA</Badge> : null}
    </span>
  )
}

function Confirm({ person }: { readonly person: Person }): JSX.Element {
  const confirm = useChange('people.confirm', {
    changes: ['people', 'account', 'balance'],
    onDone: ({ name }) => toast.good(`${name} approved.`),
  })
  return (
    <Button
      size="small"
      variant="primary"
      pending={confirm.isPending}
      aria-label={`Approve ${person.name}`}
      onClick={() => confirm.mutate({ person: person.id })}
    >
      Approve
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
        <Button variant="ghost" size="icon" aria-label={`Actions for ${person.name}`}>
          <MoreHorizontal aria-hidden="true" />
        </Button>
      }
    >
      <MenuItem onSelect={onOperator}>{person.operator ? 'Remove admin role' : 'Make admin'}</MenuItem>
      <MenuItem onSelect={() => reset.mutate({ person: person.id })}>Create password reset link</MenuItem>
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
      toast.good(operator ? `${name} is now an admin.` : `${name} is no longer an admin.`)
    },
  })
  const { operator, name } = person
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={operator ? `Remove the admin role from ${name}?` : `Make ${name} an admin?`}
      action={operator ? 'Remove role' : 'Make admin'}
      tone={operator ? 'danger' : 'primary'}
      pending={change.isPending}
      onConfirm={() => change.mutate({ person: person.id, operator: !operator })}
    >
      <p>
        {operator
          ? `${isMe ? 'You' : name} will lose access to these pages. Accounts, keys and credit are not affected.`
          : `${name} will be able to see every account, add credit, set prices and provider keys, and make others admins.`}
      </p>
    </ConfirmDialog>
  )
}

function Invite(): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  const [email, setEmail] = useState('')
  const credit = useOperation('installation.show').data?.signupCredit
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
        title="Invite someone"
        description={`They can sign up with this email even if sign-up is closed.${credit === undefined || isZero(credit) ? '' : ` They start with ${usd(credit)} of credit.`}`}
        action="Invite"
        pending={invite.isPending}
        disabled={email.trim() === ''}
        problem={invite.error}
        fields={['email']}
        onSubmit={() => invite.mutate({ email })}
      >
        <Field label="Email" {...errorAt(invite.error, 'email')}>
          <Input type="email" required value={email} onChange={(event) => setEmail(event.target.value)} />
        </Field>
      </FormDialog>
      {made === undefined ? null : (
        <ShownOnce
          title={`${made.email} invited`}
          label="Link"
          text={made.link}
          onClose={() => setMade(undefined)}
        >
          {made.sent
            ? 'We emailed the link. Here is a copy.'
            : "This server can't send email, so share the link yourself."}{' '}
          It works until {exactTime(made.expires)}.
        </ShownOnce>
      )}
    </>
  )
}
