/**
 * Separates the code of a source file from its comments and the inside of its strings, so that a rule about code is
 * not misled by text. Positions are preserved: removed text becomes blanks. Knows no grammar beyond that.
 */

interface SourceText {
  /** The source without comments. */
  readonly code: string
  /** The source without comments and without the inside of strings, templates and regular expressions. */
  readonly bare: string
  /** The text of each comment, without its markers. */
  readonly comments: readonly string[]
}

const cache = new Map<string, SourceText>()

/** Cached by text, since every rule reads every file. */
export function splitSource(text: string): SourceText {
  const known = cache.get(text)
  if (known !== undefined) return known
  const comments: Span[] = []
  const strings: Span[] = []
  scan(text, comments, strings)
  const code = blank(text, comments)
  const source = {
    code,
    bare: blank(code, strings),
    comments: comments.map(({ from, to }) => commentText(text.slice(from, to))),
  }
  cache.set(text, source)
  return source
}

interface Span {
  readonly from: number
  readonly to: number
}

function commentText(comment: string): string {
  return comment
    .replace(/^\/[/*]+|\*\/$/g, '')
    .replace(/\s*\n\s*\*?\s*/g, ' ')
    .trim()
}

function blank(text: string, spans: readonly Span[]): string {
  let result = ''
  let at = 0
  for (const { from, to } of spans) {
    result += text.slice(at, from) + text.slice(from, to).replace(/[^\n]/g, ' ')
    at = to
  }
  return result + text.slice(at)
}

/** Text before a `/` that begins a regular expression and not a division. */
const beforeExpression = /(?:^|[(,=:[!&|?{};+<>~^%*-]|\b(?:return|typeof|case|in|of|do|else|void))\s*$/

function scan(text: string, comments: Span[], strings: Span[]): void {
  /** The number of open braces within the expression of each enclosing template. */
  const braces: number[] = []
  let at = 0
  const string = (end: number): void => {
    strings.push({ from: at + 1, to: Math.max(at + 1, end - 1) })
    at = end
  }
  const template = (): void => {
    const end = templatePartEnd(text, at + 1)
    const isExpression = text.startsWith('${', end)
    strings.push({ from: at + 1, to: end })
    at = end + (isExpression ? 2 : 1)
    if (isExpression) braces.push(0)
  }
  while (at < text.length) {
    const character = text[at]
    const depth = braces.at(-1)
    if (text.startsWith('//', at)) {
      const end = indexOrEnd(text, '\n', at)
      comments.push({ from: at, to: end })
      at = end
    } else if (text.startsWith('/*', at)) {
      const end = Math.min(text.length, indexOrEnd(text, '*/', at + 2) + 2)
      comments.push({ from: at, to: end })
      at = end
    } else if (character === "'" || character === '"') string(quoteEnd(text, at))
    else if (character === '`') template()
    else if (character === '}' && depth === 0) {
      braces.pop()
      template()
    } else if (character === '/' && beforeExpression.test(text.slice(Math.max(0, at - 200), at))) {
      string(expressionEnd(text, at))
    } else {
      if (depth !== undefined && character === '{') braces[braces.length - 1] = depth + 1
      if (depth !== undefined && character === '}') braces[braces.length - 1] = depth - 1
      at += 1
    }
  }
}

function indexOrEnd(text: string, part: string, from: number): number {
  const index = text.indexOf(part, from)
  return index < 0 ? text.length : index
}

/** The position after the closing quote, or of the line's end where it is missing. */
function quoteEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === text[from]) return at + 1
    else if (text[at] === '\n') return at
  }
  return text.length
}

/** The position of the backtick or of the `${` that ends this part of a template. */
function templatePartEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '`' || text.startsWith('${', at)) return at
  }
  return text.length
}

/** The position after the closing slash of a regular expression. */
function expressionEnd(text: string, from: number): number {
  let isClass = false
  for (let at = from + 1; at < text.length && text[at] !== '\n'; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '[') isClass = true
    else if (text[at] === ']') isClass = false
    else if (text[at] === '/' && !isClass) return at + 1
  }
  return from + 1
}
