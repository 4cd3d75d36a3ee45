/** Yes or no, as part of a form. */

import { Checkbox as RadixCheckbox } from 'radix-ui'
import { type JSX, type ReactNode, useId } from 'react'
import { Check } from '@/components/icons'
import { cn } from '@/lib/class-names'

export interface CheckboxProps {
  readonly label: ReactNode
  readonly hint?: ReactNode
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
  readonly disabled?: boolean | undefined
  readonly className?: string
}

export function Checkbox({
  label,
  hint,
  checked,
  onChange,
  disabled,
  className,
}: CheckboxProps): JSX.Element {
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
