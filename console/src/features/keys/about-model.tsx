/** What the model of a first request is, where its answer would surprise. */
import { Link } from '@tanstack/react-router'
import type { JSX } from 'react'
import { useMe } from '@/lib/account'

/** Nothing for the models of providers: their names say it. */
export function AboutModel({ model }: { readonly model: string }): JSX.Element | null {
  const { operator } = useMe().person
  if (!model.startsWith('sandbox-')) return null
  return (
    <p className="text-sm text-ink-soft">
      <code className="font-mono text-[0.8125rem]">{model}</code>{' '}
      {model === 'sandbox-echo'
        ? 'is built in: it answers with what it is told, for a small price.'
        : 'is built in, for trying.'}{' '}
      {operator ? (
        <>
          For models of OpenAI, Anthropic and Google{' '}
          <Link
            to="/console/admin/$section"
            params={{ section: 'upstreams' }}
            search={{}}
            className="underline underline-offset-3"
          >
            add an upstream
          </Link>{' '}
          with your key there.
        </>
      ) : null}
    </p>
  )
}
