/** Words: the project speaks of the product alone, and holds no secret. */
import { splitSource } from '../support/source-text.ts'
import type { Tree } from '../support/source-tree.ts'
import { text } from './bans.ts'
import { code, type Rule } from './rule.ts'

const foreignWords: readonly [word: RegExp, sample: string][] = [
  [
    /\b(?:coding|working|agent) sessions?\b|\bin (?:this|an? (?:earlier|later)|the (?:last|previous|next)) session\b|\bsession (?:added|made|built|wrote)\b/i,
    text('done in this ', 'session'),
  ],
  [
    /\bassistant (?:made|wrote|said|did)\b|\bAI assistant\b|\bas an AI\b|\bsub-?agents?\b/i,
    text('the assistant ', 'wrote it'),
  ],
  [/\bspine\b/i, text('the spi', 'ne')],
  [/(?<![\w./*-])\/(?:work|tmp\/brief)\//, text('/wo', 'rk/main')],
  [
    /registry\.npmjs|deb\.debian\.org|files\.pythonhosted|pypi\.org|proxy\.golang/,
    text('registry.', 'npmjs.org'),
  ],
  [/co-authored-by|generated with/i, text('Co-', 'authored-by: x')],
]
const secrets = new RegExp(
  [
    /\bsk-(?:ant-|proj-|tg-)?[A-Za-z0-9_]{16,}/,
    /\bAIza[\w-]{30,}/,
    /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
    /\bgh[pousr]_[A-Za-z0-9]{20,}/,
    /\b(?:sk|rk|pk|whsec)_(?:live|test)?_?[A-Za-z0-9]{20,}/,
    /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  ]
    .map(({ source }) => source)
    .join('|'),
)

export const wordRules: readonly Rule[] = [
  ...foreignWords.map(
    ([word, sample]): Rule => ({
      name: `the project speaks of the product alone: ${word.source.slice(0, 40)}`,
      bad: { 'README.md': sample },
      check: (tree) => [...tree].flatMap(([path, whole]) => linesWith(word, path, whole)),
    }),
  ),
  {
    name: 'nothing looks like a secret',
    bad: { 'test/a.test.ts': text("const key = 'sk-", "tg-0123456789abcdefghij'") },
    check: (tree) => [...tree].flatMap(([path, whole]) => linesWith(secrets, path, whole)),
  },
]

function linesWith(word: RegExp, path: string, whole: string): string[] {
  if (path.startsWith('test/tidy') || path.endsWith('package-lock.json')) return []
  return whole
    .split('\n')
    .flatMap((line, index) => (word.test(line) ? [`${path}:${index + 1} ${line.trim().slice(0, 120)}`] : []))
}

/** `file.ts`, `folder/file.ts` or `Type.member`, in backticks. */
const namedInComments = /`((?:[\w.-]+\/)*[a-z][\w-]*\.(?:ts|tsx|js))`|`([A-Z]\w*)\.#?(\w+)(?:\(\))?`/g

export function namedInVain(tree: Tree): string[] {
  /** By type: the sources that declare it. */
  const declared = new Map<string, string[]>()
  for (const [, text] of code(tree))
    for (const [, name = ''] of splitSource(text).code.matchAll(
      /\b(?:class|interface|type|const|function|import) (?:type )?([A-Z]\w*)/g,
    ))
      declared.set(name, [...(declared.get(name) ?? []), text])
  const isFile = (name: string) => [...tree.keys()].some((path) => `/${path}`.endsWith(`/${name}`))
  const hasMember = (type: string, member: string) =>
    type in globalThis ||
    declared.get(type)?.some((text) => new RegExp(`\\b${member}\\b`).test(splitSource(text).code)) === true
  return code(tree)
    .filter(([path]) => !path.startsWith('test/tidy'))
    .flatMap(([path, text]) =>
      splitSource(text).comments.flatMap((comment) =>
        [...comment.matchAll(namedInComments)].flatMap(([, file, type = '', member = '']) =>
          (file === undefined ? hasMember(type, member) : isFile(file))
            ? []
            : [`${path}: ${file ?? `${type}.${member}`}`],
        ),
      ),
    )
}
