/** Grammar that a program can judge without false alarms: repeated words, a or an, contractions, a comma after "Otherwise". */
import retextContractions from 'retext-contractions'
import retextEnglish from 'retext-english'
import retextIndefiniteArticle from 'retext-indefinite-article'
import retextRepeatedWords from 'retext-repeated-words'
import { type Processor, unified } from 'unified'

/** Only the messages are wanted, not a text. */
function noText(this: Processor): void {
  this.compiler = () => ''
}

const checker = unified()
  .use(retextEnglish)
  .use(retextRepeatedWords)
  .use(retextIndefiniteArticle)
  .use(retextContractions, { straight: true })
  .use(noText)
  .freeze()

const introduction = /(?:^|[.:;!?] )Otherwise [a-z]/g

/** The mistakes in a text of three words or more; what `…` replaces can begin with any sound. */
export function grammarMistakesIn(text: string): string[] {
  if (!/\S\s+\S+\s+\S/.test(text)) return []
  const found = checker.processSync(text.replaceAll('’', "'")).messages.map(({ reason }) => reason)
  return [
    ...found.filter((reason) => !reason.includes('`…`')),
    ...(text.match(introduction) ?? []).map((start) => `no comma in "${start.trim()}"`),
  ]
}
