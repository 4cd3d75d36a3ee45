/** The message form: text and images; Enter sends, and a running response can be stopped. */

import { type ClipboardEvent, type JSX, useEffect, useRef, useState } from 'react'
import { Button } from '@/components/button'
import { ArrowUp, ImagePlus, Square, X } from '@/components/icons'
import { Textarea } from '@/components/textarea'
import { toast } from '@/components/toaster'
import type { MessageImage } from './conversation.ts'
import { imageTypes, readImages } from './images.ts'

export interface ComposerProps {
  readonly isRunning: boolean
  readonly takesImages: boolean
  /** Whether it was sent; otherwise the draft stays. */
  readonly onSend: (text: string, images: readonly MessageImage[]) => boolean
  readonly onStop: () => void
  readonly onDraft: (text: string, images: readonly MessageImage[]) => void
}

export function Composer(props: ComposerProps): JSX.Element {
  const { isRunning, takesImages, onSend, onStop, onDraft } = props
  const [text, setText] = useState('')
  const [images, setImages] = useState<readonly MessageImage[]>([])
  const chooser = useRef<HTMLInputElement>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  // Not on phones, whose keyboard would cover the page.
  useEffect(() => {
    if (matchMedia('(min-width: 1024px)').matches) field.current?.focus({ preventScroll: true })
  }, [])
  const change = (next: string, with_: readonly MessageImage[]): void => {
    setText(next)
    setImages(with_)
    onDraft(next, with_)
  }
  const attach = async (files: readonly File[]): Promise<void> => {
    const read = await readImages(files, images)
    for (const problem of read.problems) toast.problem(problem)
    change(text, [...images, ...read.images])
  }
  const canSend = !isRunning && (text.trim() !== '' || images.length > 0)
  const send = (): void => {
    if (canSend && onSend(text, images)) change('', [])
  }
  const paste = (event: ClipboardEvent): void => {
    const files = [...event.clipboardData.files].filter(({ type }) => type.startsWith('image/'))
    if (files.length === 0 || !takesImages) return
    event.preventDefault()
    void attach(files)
  }
  return (
    <form
      className="rounded-xl border border-line bg-surface p-2 focus-within:border-accent"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <Attached images={images} onRemove={(index) => change(text, images.toSpliced(index, 1))} />
      <Textarea
        ref={field}
        aria-label="Message"
        placeholder="Write a message"
        value={text}
        rows={2}
        onChange={(event) => change(event.target.value, images)}
        onPaste={paste}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
          event.preventDefault()
          send()
        }}
        className="max-h-60 min-h-14 resize-none border-transparent bg-transparent field-sizing-content hover:border-transparent focus-visible:border-transparent focus-visible:outline-none"
      />
      <div className="flex items-center gap-2">
        <input
          ref={chooser}
          type="file"
          accept={imageTypes.join(',')}
          multiple
          hidden
          aria-label="Images"
          onChange={(event) => {
            void attach([...(event.target.files ?? [])])
            event.target.value = ''
          }}
        />
        <Button
          variant="ghost"
          size="icon"
          aria-label="Attach images"
          title={takesImages ? 'Attach images' : "This model doesn't accept images"}
          disabled={!takesImages}
          onClick={() => chooser.current?.click()}
        >
          <ImagePlus aria-hidden="true" />
        </Button>
        <span className="mr-auto text-sm text-ink-soft max-sm:hidden">
          Enter to send, Shift+Enter for a new line
        </span>
        {isRunning ? (
          <Button key="stop" onClick={onStop} className="ml-auto">
            <Square aria-hidden="true" className="fill-current" />
            Stop
          </Button>
        ) : (
          <Button key="send" type="submit" variant="primary" disabled={!canSend} className="ml-auto">
            <ArrowUp aria-hidden="true" />
            Send
          </Button>
        )}
      </div>
    </form>
  )
}

function Attached({
  images,
  onRemove,
}: {
  readonly images: readonly MessageImage[]
  readonly onRemove: (index: number) => void
}): JSX.Element | null {
  if (images.length === 0) return null
  return (
    <ul aria-label="Attached images" className="flex flex-wrap gap-2 p-1">
      {images.map((image, index) => (
        <li key={image.url.slice(-64) + image.name} className="relative">
          <img
            src={image.url}
            alt={image.name}
            className="size-16 rounded-md border border-line object-cover"
          />
          <button
            type="button"
            aria-label={`Remove ${image.name}`}
            onClick={() => onRemove(index)}
            className="absolute -top-2 -right-2 flex size-6 items-center justify-center rounded-full border border-line bg-raised text-ink-soft hover:text-ink"
          >
            <X aria-hidden="true" className="size-3.5" />
          </button>
        </li>
      ))}
    </ul>
  )
}
