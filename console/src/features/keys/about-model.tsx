/** Explains the model of a first request, where its answer would surprise. */
import { Link } from '@tanstack/react-router'
import type { JSX } from 'react'
import { useMe } from '@/lib/account'

/** Nothing for providers' models: their names are known. */
export function AboutModel({ model }: { readonly model: string }): JSX.Element | null {
  const { operator } = useMe().person
  if (!model.startsWith('sandbox-')) return null
  return (
    <p className="text-sm text-ink-soft">
      <code className="font-mono text-[0.8125rem]">{model}</code>{' '}
      {model === 'sandbox-echo'
        ? 'is built in. It echoes your message and costs a fraction of a cent.'
        : 'is a built-in test model.'}{' '}
      {operator ? (
        <>
          To use models from OpenAI, Anthropic and Google,{' '}
          <Link
            to="/console/admin/$section"
            params={{ section: 'models' }}
            search={{}}
            className="underline underline-offset-3"
          >
            add a provider key
          </Link>
          .
        </>
      ) : null}
    </p>
  )
}
