/** A key just after it was made: the only time it is shown, how to try it, and whether a request arrived. */

import { type JSX, useEffect, useRef } from 'react'
import { Button } from '@/components/button'
import { Code } from '@/components/code'
import { DialogActions } from '@/components/dialog'
import { TriangleAlert } from '@/components/icons'
import { AboutModel } from './about-model.tsx'
import { FirstRequest } from './first-request.tsx'
import { SnippetChoice } from './snippet-choice.tsx'
import { modelToTry, useSoldModels } from './sold-models.ts'
import { useAddress } from './use-address.ts'

export interface ShownOnceProps {
  readonly id: string
  readonly secret: string
  /** The models that it may use; null: every one. */
  readonly models: readonly string[] | null
  readonly onDone: () => void
}

export function ShownOnce({ id, secret, models, onDone }: ShownOnceProps): JSX.Element {
  const address = useAddress()
  const sold = useSoldModels()
  const model = modelToTry(sold.data ?? [], models)
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // What had the focus is gone; reading goes on at the top, with the button that copies the key.
    place.current?.querySelector('button')?.focus({ preventScroll: true })
    place.current?.parentElement?.scrollTo({ top: 0 })
  }, [])
  return (
    <div ref={place} className="flex flex-col gap-5">
      <p className="flex items-start gap-2.5 rounded-lg border border-warn/30 bg-warn-soft px-4 py-3">
        <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-warn" />
        <span>
          <span className="font-medium">Copy it now.</span> It is shown this once and kept only as a hash;
          nobody can read it again, not even an administrator of this server.
        </span>
      </p>
      <Code code={secret} language="API key" what="the key" wrap />
      <section className="flex flex-col gap-2">
        <h3 className="font-semibold">Try it</h3>
        {model === undefined ? (
          <p className="text-ink-soft">
            {sold.data === undefined
              ? 'Reading the list of models…'
              : 'No model is sold here yet, so there is nothing to ask.'}
          </p>
        ) : (
          <>
            <SnippetChoice address={address} apiKey={secret} model={model} />
            <AboutModel model={model} />
          </>
        )}
      </section>
      <DialogActions>
        {/* Whoever has just run the line sees it arrive without looking for it. */}
        <div className="min-w-0 sm:flex-1">
          <FirstRequest apiKey={id} />
        </div>
        <Button variant="primary" className="sm:self-center" onClick={onDone}>
          I have copied it
        </Button>
      </DialogActions>
    </div>
  )
}
