/** Name and email of the person. */
import { useQueryClient } from '@tanstack/react-query'
import { type JSX, useState } from 'react'
import { Badge } from '@/components/badge'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { Field } from '@/components/field'
import { Input } from '@/components/input'
import { Problem } from '@/components/problem'
import { toast } from '@/components/toaster'
import { EmailField } from '@/features/auth/credentials'
import { useMe } from '@/lib/account'
import { identity } from '@/lib/identity'
import { refresh, useOperation } from '@/lib/operations'
import { useSubmit } from '@/lib/use-submit'

export function ProfileTab(): JSX.Element {
  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      <NameCard />
      <AddressCard />
    </div>
  )
}

function NameCard(): JSX.Element {
  const { person } = useMe()
  const [name, setName] = useState(person.name)
  const submit = useSubmit()
  const client = useQueryClient()
  return (
    <Card title="Name" description="Visible to members of your organizations.">
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          void submit.run(
            () => identity('POST', '/update-user', { name: name.trim() }),
            async () => {
              await refresh(client, ['people', 'account'])
              toast.good('Name saved.')
            },
          )
        }}
      >
        {submit.problem === undefined ? null : <Problem problem={submit.problem} />}
        <Field label="Your name">
          <Input
            name="name"
            autoComplete="name"
            required
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <Button
          type="submit"
          variant="primary"
          className="self-start"
          pending={submit.isPending}
          disabled={name.trim() === '' || name.trim() === person.name}
        >
          Save
        </Button>
      </form>
    </Card>
  )
}

function AddressCard(): JSX.Element {
  const { person } = useMe()
  const installation = useOperation('installation.show')
  return (
    <Card title="Email" description="You use it to sign in.">
      <p className="mb-4 flex flex-wrap items-center gap-2">
        <span className="font-medium break-all">{person.email}</span>
        {installation.data?.mail !== true ? null : person.confirmed ? (
          <Badge tone="good">Verified</Badge>
        ) : (
          <Badge tone="warn">Not verified</Badge>
        )}
      </p>
      {installation.data?.mail === true ? <AddressForm /> : null}
      {installation.data?.mail === false ? (
        <p className="text-ink-soft">
          The address can't be changed, because this server can't send email to verify a new one.
        </p>
      ) : null}
    </Card>
  )
}

function AddressForm(): JSX.Element {
  const [email, setEmail] = useState('')
  const submit = useSubmit()
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        const next = email.trim()
        void submit.run(
          () => identity('POST', '/change-email', { newEmail: next, callbackURL: '/console/verify' }),
          () => {
            setEmail('')
            toast.good('Check your email. The change takes effect once you confirm it there.')
          },
        )
      }}
    >
      {submit.problem === undefined ? null : <Problem problem={submit.problem} />}
      <EmailField label="New email" value={email} onChange={setEmail} />
      <Button type="submit" className="self-start" pending={submit.isPending} disabled={email.trim() === ''}>
        Change email
      </Button>
    </form>
  )
}
