/** Asks for the password again before something that asks for a recent login. */
import type { JSX } from 'react'
import { Dialog } from '@/components/dialog'

export function ConfirmItsYou({ onAnswer }: { readonly onAnswer: (isProved: boolean) => void }): JSX.Element {
  return (
    <Dialog open onOpenChange={() => onAnswer(false)} title="Confirm it is you" size="small">
      Sign in again.
    </Dialog>
  )
}
