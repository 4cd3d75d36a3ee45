/** The members of the organization, their roles, and invitations. */
import { useQueryClient } from '@tanstack/react-query'
import { type JSX, useState } from 'react'
import { Badge } from '@/components/badge'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { ConfirmDialog } from '@/components/dialog'
import { Trash2, UserPlus } from '@/components/icons'
import { Problem } from '@/components/problem'
import { Select } from '@/components/select'
import { type Column, Table } from '@/components/table'
import { toast } from '@/components/toaster'
import { When } from '@/components/when'
import { useAccount, useMay, useMe } from '@/lib/account'
import { identity, type Outcome } from '@/lib/identity'
import { refresh } from '@/lib/operations'
import { useSubmit } from '@/lib/use-submit'
import { InviteDialog } from './invite-dialog.tsx'
import { roleLabel, roleWords } from './role-words.ts'
import { type Member, useInvitations, useMembers } from './use-members.ts'

export function MembersTab(): JSX.Element {
  const { organization } = useAccount()
  const isManager = useMay('owner', 'admin')
  if (organization === null) return <p className="text-ink-soft">A personal account has one member: you.</p>
  return (
    <div className="flex flex-col gap-6">
      <MembersCard organization={organization} />
      {isManager ? <InvitationsCard organization={organization} /> : null}
      <Card title="Roles">
        <dl className="grid gap-x-6 gap-y-2 sm:grid-cols-[8rem_1fr]">
          {roleWords.map(([role, words]) => (
            <div key={role} className="contents">
              <dt className="font-medium">{roleLabel(role)}</dt>
              <dd className="text-ink-soft max-sm:mb-2">{words}</dd>
            </div>
          ))}
        </dl>
      </Card>
    </div>
  )
}

interface OfOrganization {
  readonly organization: string
}

/** Runs a change of members or invitations and refetches both. */
function useMemberChange(organization: string) {
  const submit = useSubmit()
  const client = useQueryClient()
  const run = (exchange: () => Promise<Outcome<unknown>>, said: string, then?: () => void): void =>
    void submit.run(exchange, async () => {
      await client.invalidateQueries({ queryKey: ['organization', organization] })
      await refresh(client, ['people'])
      toast.good(said)
      then?.()
    })
  return { submit, run }
}

function MembersCard({ organization }: OfOrganization): JSX.Element {
  const isManager = useMay('owner', 'admin')
  const { person } = useMe()
  const [doomed, setDoomed] = useState<Member | undefined>(undefined)
  const [isInviting, setInviting] = useState(false)
  const { submit, run } = useMemberChange(organization)
  const members = useMembers(organization)
  const setRole = ({ id, user }: Member, role: string): void =>
    run(
      () =>
        identity('POST', '/organization/update-member-role', {
          memberId: id,
          role,
          organizationId: organization,
        }),
      `The role of ${user.name} is now ${roleLabel(role)}.`,
    )
  return (
    <Card
      flush
      title="Members"
      actions={
        isManager ? (
          <Button variant="primary" size="small" onClick={() => setInviting(true)}>
            <UserPlus aria-hidden="true" />
            Invite member
          </Button>
        ) : undefined
      }
    >
      {submit.problem === undefined ? null : <Problem problem={submit.problem} className="mx-5 mb-4" />}
      {members.error !== null ? (
        <Problem problem={members.error} onRetry={() => void members.refetch()} className="mx-5 mb-5" />
      ) : (
        <Table
          caption="Members"
          expected={2}
          rows={members.data}
          keyOf={({ id }) => id}
          columns={memberColumns({ me: person.id, isManager, setRole, setDoomed })}
        />
      )}
      {isInviting ? <InviteDialog organization={organization} onClose={() => setInviting(false)} /> : null}
      {doomed === undefined ? null : (
        <ConfirmDialog
          open
          onOpenChange={() => setDoomed(undefined)}
          title={`Remove ${doomed.user.name}?`}
          action="Remove"
          pending={submit.isPending}
          onConfirm={() =>
            run(
              () =>
                identity('POST', '/organization/remove-member', {
                  memberIdOrEmail: doomed.id,
                  organizationId: organization,
                }),
              `${doomed.user.name} was removed.`,
              () => setDoomed(undefined),
            )
          }
        >
          <p>
            {doomed.user.email} loses access to this account. Keys they created keep working until someone
            revokes them.
          </p>
        </ConfirmDialog>
      )}
    </Card>
  )
}

interface MemberActions {
  readonly me: string
  readonly isManager: boolean
  readonly setRole: (member: Member, role: string) => void
  readonly setDoomed: (member: Member) => void
}

function memberColumns({ me, isManager, setRole, setDoomed }: MemberActions): readonly Column<Member>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      cell: ({ user, userId }) => (
        <span>
          <span className="font-medium">{user.name}</span>
          {userId === me ? <Badge className="ml-2">You</Badge> : null}
          <span className="block text-sm text-ink-soft">{user.email}</span>
        </span>
      ),
    },
    {
      id: 'role',
      header: 'Role',
      cell: (member) =>
        isManager && member.userId !== me ? (
          <Select
            aria-label={`Role of ${member.user.name}`}
            className="w-32"
            value={member.role}
            onChange={(event) => setRole(member, event.target.value)}
          >
            {roleWords.map(([role]) => (
              <option key={role} value={role}>
                {roleLabel(role)}
              </option>
            ))}
          </Select>
        ) : (
          <Badge>{roleLabel(member.role)}</Badge>
        ),
    },
    { id: 'since', header: 'Joined', cell: ({ createdAt }) => <When at={createdAt} />, wide: true },
    {
      id: 'remove',
      header: <span className="sr-only">Remove</span>,
      align: 'right',
      cell: (member) =>
        isManager && member.userId !== me ? (
          <Button
            size="icon"
            variant="ghost"
            aria-label={`Remove ${member.user.name}`}
            onClick={() => setDoomed(member)}
          >
            <Trash2 aria-hidden="true" />
          </Button>
        ) : null,
    },
  ]
}

function InvitationsCard({ organization }: OfOrganization): JSX.Element | null {
  const { submit, run } = useMemberChange(organization)
  const invitations = useInvitations(organization)
  if (invitations.error !== null)
    return <Problem problem={invitations.error} onRetry={() => void invitations.refetch()} />
  if (invitations.data === undefined || invitations.data.length === 0) return null
  return (
    <Card flush title="Invitations" description="Not accepted yet.">
      {submit.problem === undefined ? null : <Problem problem={submit.problem} className="mx-5 mb-4" />}
      <Table
        caption="Invitations"
        rows={invitations.data}
        keyOf={({ id }) => id}
        columns={[
          { id: 'email', header: 'Email', cell: ({ email }) => email },
          { id: 'role', header: 'Role', cell: ({ role }) => <Badge>{roleLabel(role)}</Badge> },
          {
            id: 'ends',
            header: 'Expires',
            cell: ({ expiresAt }) =>
              Date.parse(expiresAt) < Date.now() ? (
                <Badge tone="warn">Expired</Badge>
              ) : (
                <When at={expiresAt} />
              ),
            wide: true,
          },
          {
            id: 'cancel',
            header: <span className="sr-only">Withdraw</span>,
            align: 'right',
            cell: ({ id, email }) => (
              <Button
                size="small"
                variant="ghost"
                aria-label={`Withdraw invitation for ${email}`}
                onClick={() =>
                  run(
                    () => identity('POST', '/organization/cancel-invitation', { invitationId: id }),
                    'Invitation withdrawn.',
                  )
                }
              >
                Withdraw
              </Button>
            ),
          },
        ]}
      />
    </Card>
  )
}
