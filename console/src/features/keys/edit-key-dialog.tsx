/** Edits a key's settings. The key itself stays as it is. */
import { type JSX, useState } from 'react'
import { Button } from '@/components/button'
import { Dialog, DialogActions } from '@/components/dialog'
import { Problem } from '@/components/problem'
import { toast } from '@/components/toaster'
import type { ApiError } from '@/lib/api'
import { useChange } from '@/lib/operations'
import { KeyFields } from './key-fields.tsx'
import { changesTo, formOfKey, type KeyProblems, readKeyForm } from './key-form.ts'
import type { KeyDialogProps } from './key-state.ts'
import { useFocusProblem } from './use-focus-problem.ts'

export function EditKeyDialog({ apiKey, open, onClose }: KeyDialogProps): JSX.Element {
  return (
    <Dialog open={open} onOpenChange={onClose} title="Edit key" size="large">
      <Questions apiKey={apiKey} onClose={onClose} />
    </Dialog>
  )
}

function Questions({ apiKey, onClose }: Omit<KeyDialogProps, 'open'>): JSX.Element {
  // The key when this dialog opened: another user may edit it in the meantime.
  const [before] = useState(apiKey)
  const [form, setForm] = useState(() => formOfKey(before))
  const [problems, setProblems] = useState<KeyProblems>({})
  const [problem, setProblem] = useState<ApiError>()
  const formElement = useFocusProblem(problems)
  const update = useChange('key.update', {
    changes: ['keys'],
    onProblem: setProblem,
    onDone: () => {
      toast.good('Saved. Applies to new requests.')
      onClose()
    },
  })
  return (
    <form
      ref={formElement}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        const read = readKeyForm(form, Date.now(), before)
        setProblems(read.kind === 'problems' ? read.problems : {})
        if (read.kind === 'problems' || update.isPending) return
        update.mutate({ key: before.id, ...changesTo(before, read.wishes) })
      }}
    >
      {problem === undefined ? null : <Problem problem={problem} className="mb-4" />}
      <KeyFields
        form={form}
        onChange={(changes) => setForm((before) => ({ ...before, ...changes }))}
        problems={problems}
        isOpen
      />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" pending={update.isPending}>
          Save
        </Button>
      </DialogActions>
    </form>
  )
}
