/** The message form: text and images; Enter sends, and a running response can be stopped. */

import { type ClipboardEvent, type JSX, useRef, useState } from 'react'
import { Button } from '@/components/button'
import { ArrowUp, ImagePlus, Square, X } from '@/components/icons'
import { Textarea } from '@/components/textarea'
import { toast } from '@/components/toaster'
import type { Picture } from './conversation.ts'
import { pictureTypes, readPictures } from './pictures.ts'

export interface ComposerProps {
  readonly isRunning: boolean
  readonly takesPictures: boolean
  /** Whether it was sent; otherwise the draft stays. */
  readonly onSend: (text: string, pictures: readonly Picture[]) => boolean
  readonly onStop: () => void
  readonly onDraft: (text: string, pictures: readonly Picture[]) => void
}

export function Composer(props: ComposerProps): JSX.Element {
  const { isRunning, takesPictures, onSend, onStop, onDraft } = props
  const [text, setText] = useState('')
  const [pictures, setPictures] = useState<readonly Picture[]>([])
  const chooser = useRef<HTMLInputElement>(null)
  const change = (next: string, with_: readonly Picture[]): void => {
    setText(next)
    setPictures(with_)
    onDraft(next, with_)
  }
  const attach = async (files: readonly File[]): Promise<void> => {
    const read = await readPictures(files, pictures)
    for (const problem of read.problems) toast.problem(problem)
    change(text, [...pictures, ...read.pictures])
  }
  const canSend = !isRunning && (text.trim() !== '' || pictures.length > 0)
  const send = (): void => {
    if (canSend && onSend(text, pictures)) change('', [])
  }
  const paste = (event: ClipboardEvent): void => {
    const files = [...event.clipboardData.files].filter(({ type }) => type.startsWith('image/'))
    if (files.length === 0 || !takesPictures) return
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
      <Attached pictures={pictures} onRemove={(index) => change(text, pictures.toSpliced(index, 1))} />
      <Textarea
        aria-label="Message"
        placeholder="Write a message"
        value={text}
        rows={2}
        onChange={(event) => change(event.target.value, pictures)}
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
          accept={pictureTypes.join(',')}
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
          title={takesPictures ? 'Attach images' : "This model doesn't accept images"}
          disabled={!takesPictures}
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
  pictures,
  onRemove,
}: {
  readonly pictures: readonly Picture[]
  readonly onRemove: (index: number) => void
}): JSX.Element | null {
  if (pictures.length === 0) return null
  return (
    <ul aria-label="Attached images" className="flex flex-wrap gap-2 p-1">
      {pictures.map((picture, index) => (
        <li key={picture.url.slice(-64) + picture.name} className="relative">
          <img
            src={picture.url}
            alt={picture.name}
            className="size-16 rounded-md border border-line object-cover"
          />
          <button
            type="button"
            aria-label={`Remove ${picture.name}`}
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
