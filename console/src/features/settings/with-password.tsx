/** Asks for the password inside a dialog, then runs the action. */
import { type JSX, useState } from 'react'
import { Button } from '@/components/button'
import { DialogActions } from '@/components/dialog'
import { Problem } from '@/components/problem'
import { PasswordField } from '@/features/auth/credentials'
import type { Outcome } from '@/lib/identity'
import { useSubmit } from '@/lib/use-submit'

interface WithPasswordProps<Value> {
  readonly onClose: () => void
  readonly action: string
  readonly danger?: boolean
  readonly exchange: (password: string) => Promise<Outcome<Value>>
  readonly onDone: (value: Value) => void | Promise<void>
}

export function WithPassword<Value>(props: WithPasswordProps<Value>): JSX.Element {
  const { action, danger = false, exchange, onDone, onClose } = props
  const [password, setPassword] = useState('')
  const submit = useSubmit()
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        event.stopPropagation()
        void submit.run(() => exchange(password), onDone)
      }}
    >
      {submit.problem === undefined ? null : <Problem problem={submit.problem} />}
      <PasswordField kind="present" value={password} onChange={setPassword} focused />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant={danger ? 'danger' : 'primary'} pending={submit.isPending}>
          {action}
        </Button>
      </DialogActions>
    </form>
  )
}
