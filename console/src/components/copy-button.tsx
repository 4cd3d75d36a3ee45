/** Copies text to the clipboard and confirms it. */

import { type JSX, useEffect, useState } from 'react'
import { Check, Copy } from '@/components/icons'
import { Button, type ButtonProps } from './button.tsx'
import { toast } from './toaster.tsx'

export interface CopyButtonProps extends Pick<ButtonProps, 'size' | 'variant' | 'className'> {
  readonly text: string
  /** Name of the copied text, for the accessible name: "the key". */
  readonly what: string
  /** Visible text next to the icon. */
  readonly label?: string
  readonly onCopied?: () => void
}

const shownMs = 2_000

export function CopyButton(props: CopyButtonProps): JSX.Element {
  const { text, what, label, onCopied, size = label === undefined ? 'icon' : 'small', ...rest } = props
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), shownMs)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = async (): Promise<void> => {
    if (await toClipboard(text)) {
      setCopied(true)
      onCopied?.()
    } else toast.problem('The browser blocked copying. Select the text and copy it manually.')
  }
  return (
    <Button
      {...rest}
      size={size}
      aria-label={isCopied ? `Copied ${what}` : `Copy ${what}`}
      onClick={() => void copy()}
    >
      {isCopied ? <Check aria-hidden="true" className="text-good" /> : <Copy aria-hidden="true" />}
      {label === undefined ? null : <span>{isCopied ? 'Copied' : label}</span>}
      <span aria-live="polite" className="sr-only">
        {isCopied ? `Copied ${what}` : ''}
      </span>
    </Button>
  )
}

/** The clipboard API needs a secure origin; elsewhere a selected text area is used. */
async function toClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const area = document.createElement('textarea')
    area.value = text
    area.className = 'sr-only'
    const place = document.querySelector('[role="dialog"]') ?? document.body
    place.append(area)
    area.select()
    const isDone = document.execCommand('copy')
    area.remove()
    return isDone
  }
}
