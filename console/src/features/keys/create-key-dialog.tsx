/** Creates a key: the form, then the key itself, once, with a request to try it. */
import { type JSX, useState } from 'react'
import { Button } from '@/components/button'
import { Dialog, DialogActions } from '@/components/dialog'
import { Problem } from '@/components/problem'
import { useAccount, useMe } from '@/lib/account'
import type { ApiError, OperationOutput } from '@/lib/api'
import { forgetDraft, useDraft } from '@/lib/draft'
import { keepFreshKey } from '@/lib/fresh-key'
import { useChange } from '@/lib/operations'
import { KeyFields } from './key-fields.tsx'
import { emptyKeyForm, type KeyProblems, readKeyForm } from './key-form.ts'
import { ShownOnce } from './shown-once.tsx'
import { useFocusProblem } from './use-focus-problem.ts'

export interface CreateKeyDialogProps {
  readonly open: boolean
  readonly onClose: () => void
}

interface Made {
  readonly answer: OperationOutput<'key.create'>
  readonly models: readonly string[] | null
}

export function CreateKeyDialog({ open, onClose }: CreateKeyDialogProps): JSX.Element {
  const [made, setMade] = useState<Made>()
  const place = useDraftPlace()
  const close = (): void => {
    setMade(undefined)
    forgetDraft(place)
    onClose()
  }
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => (next ? undefined : close())}
      title={made === undefined ? 'Create API key' : 'Your new API key'}
      size="large"
      held={made !== undefined}
    >
      {made === undefined ? (
        <Questions onMade={setMade} onCancel={close} />
      ) : (
        <ShownOnce id={made.answer.id} secret={made.answer.key} models={made.models} onDone={close} />
      )}
    </Dialog>
  )
}

function useDraftPlace(): string {
  return `key.create ${useMe().person.id} ${useAccount().id}`
}

interface QuestionsProps {
  readonly onMade: (made: Made) => void
  readonly onCancel: () => void
}

function Questions({ onMade, onCancel }: QuestionsProps): JSX.Element {
  const account = useAccount()
  const place = useDraftPlace()
  const [form, setForm] = useDraft(place, () => emptyKeyForm(account.kind))
  const [problems, setProblems] = useState<KeyProblems>({})
  const [problem, setProblem] = useState<ApiError>()
  const formElement = useFocusProblem(problems)
  const create = useChange('key.create', { changes: ['keys'], onProblem: setProblem })
  const submit = (): void => {
    const read = readKeyForm(form, Date.now(), undefined)
    setProblems(read.kind === 'problems' ? read.problems : {})
    if (read.kind === 'problems' || create.isPending) return
    setProblem(undefined)
    create.mutate(
      { account: account.id, ...read.wishes },
      {
        onSuccess: (answer) => {
          forgetDraft(place)
          keepFreshKey({ account: account.id, key: answer.key })
          onMade({ answer, models: read.wishes.models })
        },
      },
    )
  }
  return (
    <form
      ref={formElement}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      {problem === undefined ? null : <Problem problem={problem} className="mb-4" />}
      <KeyFields
        form={form}
        onChange={(changes) => setForm((before) => ({ ...before, ...changes }))}
        problems={problems}
        isOpen={false}
      />
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" variant="primary" pending={create.isPending}>
          Create key
        </Button>
      </DialogActions>
    </form>
  )
}
