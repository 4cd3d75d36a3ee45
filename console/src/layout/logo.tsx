/** The product's logo. */
import type { JSX } from 'react'
import { cn } from '@/lib/class-names'

export function Logo({ className }: { readonly className?: string }): JSX.Element {
  return (
    <span className={cn('inline-flex items-center gap-2 font-semibold tracking-tight', className)}>
      <svg viewBox="0 0 32 32" aria-hidden="true" className="size-6">
        <rect width="32" height="32" rx="7" fill="#065f46" />
        <path d="M9 23V9M23 23V9M9 13.5h14" stroke="#fff" strokeWidth="3" strokeLinecap="round" fill="none" />
        <circle cx="16" cy="20.5" r="2" fill="#6ee7b7" />
      </svg>
      <span className="text-[0.9375rem]">Tollgate</span>
    </span>
  )
}
