/** Model output as text: no HTML, links or remote images. Fenced code blocks get a frame and a copy button. */
import type { JSX } from 'react'
import { Code } from '@/components/code'
import { type Piece, pieces } from './pieces.ts'

export function Output({ text }: { readonly text: string }): JSX.Element {
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {pieces(text).map((piece) => (
        <Shown key={piece.at} piece={piece} />
      ))}
    </div>
  )
}

function Shown({ piece }: { readonly piece: Piece }): JSX.Element {
  if (piece.kind === 'code') {
    const { language } = piece
    return <Code code={piece.text} {...(language === '' ? {} : { language, grammar: language })} wrap />
  }
  return <p className="max-w-[75ch] break-words whitespace-pre-wrap">{piece.text}</p>
}
