/** Yes or no: a switch for what takes effect at once, a box for what is sent with a form. */
import { Check } from 'lucide-react'
import { Checkbox as RadixCheckbox, Switch as RadixSwitch } from 'radix-ui'
import { type JSX, type ReactNode, useId } from 'react'
import { cn } from '@/lib/class-names'

interface ToggleProps {
  readonly label: ReactNode
  readonly hint?: ReactNode
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
  readonly disabled?: boolean | undefined
  readonly className?: string
}

export function Switch({ label, hint, checked, onChange, disabled, className }: ToggleProps): JSX.Element {
  const id = useId()
  return (
    <div className={cn('flex min-h-10 items-center justify-between gap-4', className)}>
      <Words id={id} label={label} hint={hint} />
      <RadixSwitch.Root
        id={id}
        checked={checked}
        onCheckedChange={onChange}
        disabled={disabled ?? false}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        className="relative h-6 w-11 shrink-0 rounded-full border border-line-strong bg-sunken transition-colors data-[state=checked]:border-accent-fill data-[state=checked]:bg-accent-fill disabled:opacity-60"
      >
        <RadixSwitch.Thumb className="block size-4 translate-x-[3px] rounded-full bg-line-strong transition-transform data-[state=checked]:translate-x-[23px] data-[state=checked]:bg-on-accent" />
      </RadixSwitch.Root>
    </div>
  )
}

export function Checkbox({ label, hint, checked, onChange, disabled, className }: ToggleProps): JSX.Element {
  const id = useId()
  return (
    <div className={cn('flex items-start gap-3 py-1.5', className)}>
      <RadixCheckbox.Root
        id={id}
        checked={checked}
        onCheckedChange={(next) => onChange(next === true)}
        disabled={disabled ?? false}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        className="mt-px flex size-5 shrink-0 items-center justify-center rounded-sm border border-line-strong bg-surface text-on-accent data-[state=checked]:border-accent-fill data-[state=checked]:bg-accent-fill disabled:opacity-60"
      >
        <RadixCheckbox.Indicator>
          <Check aria-hidden="true" className="size-3.5" strokeWidth={3} />
        </RadixCheckbox.Indicator>
      </RadixCheckbox.Root>
      <Words id={id} label={label} hint={hint} />
    </div>
  )
}

function Words({ id, label, hint }: { id: string; label: ReactNode; hint: ReactNode }): JSX.Element {
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {hint === undefined ? null : (
        <p id={`${id}-hint`} className="text-sm text-ink-soft">
          {hint}
        </p>
      )}
    </div>
  )
}
