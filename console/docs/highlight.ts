/** Code blocks as HTML, highlighted by class names: the content policy forbids inline styles. Pure. */
import hljs from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import ini from 'highlight.js/lib/languages/ini'
import json from 'highlight.js/lib/languages/json'
import nginx from 'highlight.js/lib/languages/nginx'
import python from 'highlight.js/lib/languages/python'
import typescript from 'highlight.js/lib/languages/typescript'
import yaml from 'highlight.js/lib/languages/yaml'
import { escapeHtml } from '../../src/api/page.ts'

const grammars = { bash, ini, json, nginx, python, typescript, yaml }
for (const [name, grammar] of Object.entries(grammars)) hljs.registerLanguage(name, grammar)

interface Language {
  readonly label: string
  readonly grammar: keyof typeof grammars | null
}

const plain: Language = { label: 'Text', grammar: null }

/** By the word after the fence. */
const languages: Readonly<Record<string, Language>> = {
  sh: { label: 'Shell', grammar: 'bash' },
  ini: { label: 'Service file', grammar: 'ini' },
  toml: { label: 'TOML', grammar: 'ini' },
  json: { label: 'JSON', grammar: 'json' },
  nginx: { label: 'nginx', grammar: 'nginx' },
  python: { label: 'Python', grammar: 'python' },
  ts: { label: 'TypeScript', grammar: 'typescript' },
  yaml: { label: 'YAML', grammar: 'yaml' },
  yml: { label: 'YAML', grammar: 'yaml' },
}

export interface CodeBlock {
  readonly language: string
  readonly text: string
}

export function codeBlockHtml({ language, text }: CodeBlock, label = labelOf({ language, text })): string {
  const { grammar } = languages[language] ?? plain
  const html = grammar === null ? escapeHtml(text) : hljs.highlight(text, { language: grammar }).value
  return `<div class="code"><p class="language">${label}</p><pre tabindex="0"><code>${html}</code></pre></div>`
}

function labelOf({ language, text }: CodeBlock): string {
  if (language === 'sh' && /^curl /m.test(text)) return 'curl'
  return (languages[language] ?? plain).label
}

const tabLanguages = ['sh', 'python', 'ts']

/** Whether blocks that follow one another show the same thing in several languages. */
export function areTabs(blocks: readonly CodeBlock[]): boolean {
  const names = blocks.map(({ language }) => language)
  return (
    names.length > 1 &&
    new Set(names).size === names.length &&
    names.every((name) => tabLanguages.includes(name))
  )
}

/** One below the other; the script makes tabs of them. */
export function codeTabsHtml(blocks: readonly CodeBlock[]): string {
  return `<div class="code-tabs">${blocks.map((block) => codeBlockHtml(block)).join('')}</div>`
}
