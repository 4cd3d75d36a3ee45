/** The navigation between the sections of the console. */
import { Link, useRouterState } from '@tanstack/react-router'
import { Fragment, type JSX } from 'react'
import { ScrollText } from '@/components/icons'
import { useMe } from '@/lib/account'
import { cn } from '@/lib/class-names'
import { listedPages } from '../pages.ts'

export function Navigation({ onGone }: { readonly onGone?: () => void }): JSX.Element {
  const { person } = useMe()
  return (
    <nav aria-label="Sections" className="flex flex-col gap-0.5">
      {listedPages(person.operator).map((page) => (
        <Fragment key={page[0]}>
          {page[0] === '/console/admin' || page[0] === '/pricing' ? (
            <span aria-hidden="true" className="my-2 h-px bg-line" />
          ) : null}
          <PageLink page={page} onGone={onGone} />
        </Fragment>
      ))}
      {/* A site of its own, in its own tab, so that what is half done here stays. */}
      <a href="/docs" target="_blank" rel="noreferrer" className={look(false)}>
        <ScrollText aria-hidden="true" className="size-4" />
        Docs
        <span className="sr-only"> (opens in a new tab)</span>
      </a>
    </nav>
  )
}

interface PageLinkProps {
  readonly page: ReturnType<typeof listedPages>[number]
  readonly onGone: (() => void) | undefined
}

function PageLink({ page: [to, , title, Icon], onGone }: PageLinkProps): JSX.Element {
  const path = useRouterState({ select: ({ location }) => location.pathname.replace(/\/$/, '') })
  const isHere = path === to || (to !== '/console' && path.startsWith(`${to}/`))
  return (
    <Link
      to={to}
      aria-current={isHere ? 'page' : undefined}
      className={look(isHere)}
      {...(onGone === undefined ? {} : { onClick: onGone })}
    >
      <Icon aria-hidden="true" className={cn('size-4', isHere && 'text-accent')} />
      {title}
    </Link>
  )
}

function look(isHere: boolean): string {
  return cn(
    'flex h-9 items-center gap-3 rounded-md px-3 font-medium text-ink-soft transition-colors hover:bg-sunken hover:text-ink max-lg:h-11',
    isHere && 'bg-sunken text-ink',
  )
}
