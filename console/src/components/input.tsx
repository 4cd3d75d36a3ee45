/** Native form controls in the console's style. */

import type { ComponentPropsWithRef, JSX } from 'react'
import { ChevronDown } from '@/components/icons'
import { cn } from '@/lib/class-names'

/** The look of every field, also of buttons that open a choice. */
export const fieldLook =
  'w-full rounded-md border border-line-strong/60 bg-surface px-3 text-ink transition-colors hover:border-line-strong focus-visible:border-accent focus-visible:-outline-offset-1 aria-invalid:border-bad disabled:bg-sunken disabled:text-ink-soft max-sm:text-[16px]'

export function Input({ className, ...rest }: ComponentPropsWithRef<'input'>): JSX.Element {
  return <input {...rest} className={cn(fieldLook, 'h-9 max-sm:h-10', className)} />
}

export function Textarea({ className, ...rest }: ComponentPropsWithRef<'textarea'>): JSX.Element {
  return <textarea rows={3} {...rest} className={cn(fieldLook, 'min-h-16 py-2', className)} />
}

/** A native select, which works well on every phone. Children are `<option>`s. */
export function Select({ className, children, ...rest }: ComponentPropsWithRef<'select'>): JSX.Element {
  return (
    <span className={cn('relative inline-block w-full', className)}>
      <select {...rest} className={cn(fieldLook, 'h-9 appearance-none truncate pr-9 max-sm:h-10')}>
        {children}
      </select>
      <ChevronDown
        aria-hidden="true"
        className="pointer-events-none absolute top-1/2 right-3 size-4 -translate-y-1/2 text-ink-soft"
      />
    </span>
  )
}
