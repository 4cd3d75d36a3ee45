/** Creates a replacement key while the old one works a while longer; shows the new key once. */
import { type JSX, useState } from 'react'
import { Button } from '@/components/button'
import { Dialog, DialogActions } from '@/components/dialog'
import { Field } from '@/components/field'
import { Problem } from '@/components/problem'
import { Select } from '@/components/select'
import { useAccount } from '@/lib/account'
import type { ApiError, OperationOutput } from '@/lib/api'
import { keepFreshKey } from '@/lib/fresh-key'
import { useChange } from '@/lib/operations'
import { Moment } from '../usage/moment.tsx'
import type { KeyDialogProps } from './key-state.ts'
import { ShownOnce } from './shown-once.tsx'

const overlaps = [
  [0, 'None: the old key expires immediately'],
  [1, '1 hour'],
  [24, '1 day'],
  [168, '7 days'],
  [720, '30 days'],
] as const

type Rotated = OperationOutput<'key.rotate'>

export function RotateKeyDialog({ apiKey, open, onClose }: KeyDialogProps): JSX.Element {
  const [rotated, setRotated] = useState<Rotated>()
  const close = (): void => {
    setRotated(undefined)
    onClose()
  }
  return (
    <Dialog
      open={open}
      onOpenChange={close}
      title={rotated === undefined ? 'Rotate key' : 'Your new API key'}
      description={
        rotated === undefined ? 'Creates a new key with the same settings to replace this one.' : undefined
      }
      size={rotated === undefined ? 'medium' : 'large'}
      held={rotated !== undefined}
    >
      {rotated === undefined ? (
        <Question apiKey={apiKey} onRotated={setRotated} onClose={close} />
      ) : (
        <>
          <p className="mb-4 text-ink-soft">
            The old key works until <Moment at={rotated.expires} className="font-medium text-ink" />. Replace
            it before then.
          </p>
          <ShownOnce id={rotated.id} secret={rotated.key} models={apiKey.models} onDone={close} />
        </>
      )}
    </Dialog>
  )
}

interface QuestionProps extends Omit<KeyDialogProps, 'open'> {
  readonly onRotated: (rotated: Rotated) => void
}

function Question({ apiKey, onRotated, onClose }: QuestionProps): JSX.Element {
  const account = useAccount()
  const [overlapHours, setOverlapHours] = useState(24)
  const [problem, setProblem] = useState<ApiError>()
  const rotate = useChange('key.rotate', { changes: ['keys'], onProblem: setProblem })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (rotate.isPending) return
        rotate.mutate(
          { key: apiKey.id, overlapHours },
          {
            onSuccess: (rotated) => {
              keepFreshKey({ account: account.id, key: rotated.key })
              onRotated(rotated)
            },
          },
        )
      }}
    >
      {problem === undefined ? null : <Problem problem={problem} className="mb-4" />}
      <Field label="Keep the old key working for" hint="Long enough to deploy the new key everywhere.">
        <Select value={overlapHours} onChange={(event) => setOverlapHours(Number(event.target.value))}>
          {overlaps.map(([hours, label]) => (
            <option key={hours} value={hours}>
              {label}
            </option>
          ))}
        </Select>
      </Field>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" pending={rotate.isPending}>
          Rotate key
        </Button>
      </DialogActions>
    </form>
  )
}
