/** The navigation between the sections of the console. */
import { Link, useRouterState } from '@tanstack/react-router'
import type { JSX } from 'react'
import { type Icon, ReceiptText, ScrollText, ShieldCheck } from '@/components/icons'
import { useMe } from '@/lib/account'
import { cn } from '@/lib/class-names'
import { sections } from './sections.ts'

type SectionPath = (typeof sections)[number][0] | '/console/admin'

export function Navigation({ onGone }: { readonly onGone?: () => void }): JSX.Element {
  const { person } = useMe()
  return (
    <nav aria-label="Sections" className="flex flex-col gap-0.5">
      {sections.map(([to, label, Icon]) => (
        <Section key={to} to={to} label={label} Icon={Icon} onGone={onGone} />
      ))}
      {person.operator ? (
        <>
          <span aria-hidden="true" className="my-2 h-px bg-line" />
          <Section to="/console/admin" label="Admin" Icon={ShieldCheck} onGone={onGone} />
        </>
      ) : null}
      <span aria-hidden="true" className="my-2 h-px bg-line" />
      <Link to="/pricing" className={look(false)} {...(onGone === undefined ? {} : { onClick: onGone })}>
        <ReceiptText aria-hidden="true" className="size-4" />
        Pricing
      </Link>
      {/* A site of its own, in its own tab, so that what is half done here stays. */}
      <a href="/docs" target="_blank" rel="noreferrer" className={look(false)}>
        <ScrollText aria-hidden="true" className="size-4" />
        Docs
        <span className="sr-only"> (opens in a new tab)</span>
      </a>
    </nav>
  )
}

interface SectionProps {
  readonly to: SectionPath
  readonly label: string
  readonly Icon: Icon
  readonly onGone: (() => void) | undefined
}

function Section({ to, label, Icon, onGone }: SectionProps): JSX.Element {
  const path = useRouterState({ select: ({ location }) => location.pathname.replace(/\/$/, '') })
  const isHere = to === '/console' ? path === to : path === to || path.startsWith(`${to}/`)
  return (
    <Link
      to={to}
      aria-current={isHere ? 'page' : undefined}
      className={look(isHere)}
      {...(onGone === undefined ? {} : { onClick: onGone })}
    >
      <Icon aria-hidden="true" className={cn('size-4', isHere && 'text-accent')} />
      {label}
    </Link>
  )
}

function look(isHere: boolean): string {
  return cn(
    'flex h-9 items-center gap-3 rounded-md px-3 font-medium text-ink-soft transition-colors hover:bg-sunken hover:text-ink max-lg:h-11',
    isHere && 'bg-sunken text-ink',
  )
}
