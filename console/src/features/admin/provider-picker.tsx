/** A searchable grid of all providers, from which one is chosen for a new upstream. */
import { type CSSProperties, type JSX, useState } from 'react'
import { Button } from '@/components/button'
import { Dialog, DialogActions } from '@/components/dialog'
import { Input } from '@/components/input'
import { hueOf, initials, matchingProviders, type ProviderGroup, providerName } from './providers.ts'

export interface ProviderPickerProps {
  /** Same as the button that opened the picker. */
  readonly title: string
  readonly onPick: (provider: string) => void
  readonly onClose: () => void
}

export function ProviderPicker({ title, onPick, onClose }: ProviderPickerProps): JSX.Element {
  const [sought, setSought] = useState('')
  const groups = matchingProviders(sought)
  const found = groups.flatMap(({ ids }) => ids)
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      description="Choose a provider. You enter the key and select models in the next step; none are enabled automatically."
      size="large"
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (found.length === 1 && found[0] !== undefined) onPick(found[0])
        }}
      >
        <Input
          type="search"
          aria-label="Search providers"
          placeholder="Search providers"
          value={sought}
          onChange={(event) => setSought(event.target.value)}
        />
        {groups.length === 0 ? (
          <p role="status" className="text-ink-soft">
            No provider has this name. Choose Custom for any other server.{' '}
            <Button size="small" onClick={() => onPick('custom')}>
              Custom
            </Button>
          </p>
        ) : null}
        {groups.map((group) => (
          <Group key={group.title} group={group} onPick={onPick} />
        ))}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

function Group({
  group: { title, ids },
  onPick,
}: {
  readonly group: ProviderGroup
  readonly onPick: (provider: string) => void
}): JSX.Element {
  return (
    <section>
      <h3 className="mb-2 text-sm font-medium text-ink-soft">{title}</h3>
      <ul className="grid grid-cols-2 gap-2 sm:grid-cols-3">
        {ids.map((id) => (
          <li key={id}>
            <button
              type="button"
              onClick={() => onPick(id)}
              className="flex w-full min-w-0 items-center gap-3 rounded-md border border-line bg-surface p-2 text-left font-medium hover:border-line-strong hover:bg-sunken"
            >
              <ProviderLogo provider={id} />
              <span className="min-w-0 break-words">{providerName(id)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The initials of a provider, as a picture. */
export function ProviderLogo({ provider }: { readonly provider: string }): JSX.Element {
  return (
    <span
      aria-hidden="true"
      style={{ '--hue': hueOf(provider) } as CSSProperties}
      className="provider-mark flex size-8 shrink-0 items-center justify-center rounded-md text-xs font-semibold"
    >
      {initials(providerName(provider))}
    </span>
  )
}
