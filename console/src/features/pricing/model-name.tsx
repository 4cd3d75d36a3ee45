/** A model's name exactly as requests send it, with a copy button. */
import type { JSX } from 'react'
import { CopyButton } from '@/components/copy-button'
import { cn } from '@/lib/class-names'

export function ModelName({
  name,
  className,
}: {
  readonly name: string
  readonly className?: string
}): JSX.Element {
  return (
    <span className={cn('inline-flex min-w-0 items-center gap-1', className)}>
      <span className="min-w-0 font-mono text-[0.8125rem] font-medium break-all">{name}</span>
      <CopyButton text={name} what={`the name ${name}`} variant="ghost" className="size-7 max-sm:size-10" />
    </span>
  )
}
