/** A key just after it was created: shown this once, with a way to try it. */
import { Link } from '@tanstack/react-router'
import { type JSX, useEffect, useRef } from 'react'
import { Button } from '@/components/button'
import { Code } from '@/components/code'
import { DialogActions } from '@/components/dialog'
import { TriangleAlert } from '@/components/icons'
import type { Search } from '@/lib/search'
import { AboutModel } from './about-model.tsx'
import { useAvailableModels } from './available-models.ts'
import { FirstRequest } from './first-request.tsx'
import { modelToTry } from './model-to-try.ts'
import { SnippetChoice } from './snippet-choice.tsx'
import { useAddress } from './use-address.ts'

export interface ShownOnceProps {
  readonly id: string
  readonly secret: string
  /** The models it may use; null: all. */
  readonly models: readonly string[] | null
  readonly onDone: () => void
}

export function ShownOnce({ id, secret, models, onDone }: ShownOnceProps): JSX.Element {
  const address = useAddress()
  const sold = useAvailableModels()
  const model = modelToTry(sold.data ?? [], models)
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // The focused element is gone; continue at the top, with the copy button.
    place.current?.querySelector('button')?.focus({ preventScroll: true })
    place.current?.parentElement?.scrollTo({ top: 0 })
  }, [])
  return (
    <div ref={place} className="flex flex-col gap-5">
      <p className="flex items-start gap-2.5 rounded-lg border border-warn/30 bg-warn-soft px-4 py-3">
        <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-warn" />
        <span>
          <span className="font-medium">Copy it now.</span> It is shown only once. We store a hash, so no one
          can recover it, not even an administrator.
        </span>
      </p>
      <Code code={secret} language="API key" what="the key" wrap />
      <section className="flex flex-col gap-2">
        <h3 className="font-semibold">Try it</h3>
        {model === undefined ? (
          <p className="text-ink-soft">
            {sold.data === undefined
              ? 'Loading models…'
              : 'No models are available yet, so there is nothing to request.'}
          </p>
        ) : (
          <>
            <SnippetChoice address={address} apiKey={secret} model={model} />
            <AboutModel model={model} />
            <p className="text-sm text-ink-soft">
              Claude Code, Cursor or another client?{' '}
              <Link
                to="/console/connect"
                search={({ client: chosen, model: wanted }: Search) => ({ client: chosen, model: wanted })}
                onClick={onDone}
                className="text-accent underline underline-offset-3"
              >
                Open its instructions with this key
              </Link>
              . The key stays there until you reload the page.
            </p>
          </>
        )}
      </section>
      <DialogActions>
        {/* Visible without scrolling for someone who has just run the command. */}
        <div className="min-w-0 sm:flex-1">
          <FirstRequest apiKey={id} />
        </div>
        <Button variant="primary" className="sm:self-center" onClick={onDone}>
          Done
        </Button>
      </DialogActions>
    </div>
  )
}
