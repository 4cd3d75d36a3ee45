/** Text with fenced code blocks → its parts, in linear time. An open fence is code to the end. Pure. */
export interface MessagePart {
  readonly kind: 'text' | 'code'
  /** The line at which it begins: a stable key while the text grows. */
  readonly at: number
  readonly language: string
  readonly text: string
}

const fence = /^ {0,3}```([\w+#.-]{0,30})\s*$/

export function messageParts(text: string): readonly MessagePart[] {
  const found: MessagePart[] = []
  let lines: string[] = []
  let language: string | undefined
  let at = 0
  const close = (next: number): void => {
    const whole = lines.join('\n')
    if (language !== undefined) found.push({ kind: 'code', at, language, text: whole })
    else if (whole.trim() !== '') found.push({ kind: 'text', at, language: '', text: whole.trim() })
    lines = []
    at = next
  }
  for (const [number, line] of text.split('\n').entries()) {
    const opened = fence.exec(line)
    if (opened === null || (language !== undefined && opened[1] !== '')) {
      lines.push(line)
      continue
    }
    close(number)
    language = language === undefined ? (opened[1] ?? '') : undefined
  }
  close(0)
  return found
}
