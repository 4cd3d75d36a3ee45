/** Code as colored tokens, by the grammars that the documentation uses too. Pure, except for the registration. */
import hljs from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import go from 'highlight.js/lib/languages/go'
import ini from 'highlight.js/lib/languages/ini'
import java from 'highlight.js/lib/languages/java'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import rust from 'highlight.js/lib/languages/rust'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'

const grammars = { bash, go, ini, java, json, python, rust, typescript, xml, yaml }
for (const [name, grammar] of Object.entries(grammars)) hljs.registerLanguage(name, grammar)

/** By the names of languages in recipes, snippets and answers of models. */
const grammarOf: Readonly<Record<string, keyof typeof grammars>> = {
  bash: 'bash',
  go: 'go',
  java: 'java',
  javascript: 'typescript',
  js: 'typescript',
  json: 'json',
  python: 'python',
  py: 'python',
  rust: 'rust',
  sh: 'bash',
  shell: 'bash',
  toml: 'ini',
  ts: 'typescript',
  typescript: 'typescript',
  xml: 'xml',
  yaml: 'yaml',
  yml: 'yaml',
}

/** Longer code stays plain: highlighting it would hold up the page. */
const charactersMax = 20_000

export interface Token {
  readonly text: string
  /** The innermost scope, such as `string`; undefined: plain text. */
  readonly scope: string | undefined
}

/** Collects tokens instead of the HTML that highlight.js makes: the console sets no HTML. */
class TokenEmitter {
  readonly tokens: Token[] = []
  private readonly scopes: string[] = []

  startScope(name: string): void {
    this.scopes.push(name)
  }

  endScope(): void {
    this.scopes.pop()
  }

  addText(text: string): void {
    if (text !== '') this.tokens.push({ text, scope: this.scopes.at(-1) })
  }

  /** The older names, which highlight.js still calls. */
  openNode(name: string): void {
    this.startScope(name)
  }

  closeNode(): void {
    this.endScope()
  }

  __addSublanguage(emitter: TokenEmitter): void {
    this.tokens.push(...emitter.tokens)
  }

  toHTML(): string {
    return ''
  }

  finalize(): void {
    this.scopes.length = 0
  }
}
hljs.configure({ __emitter: TokenEmitter as never })

export function tokensOf(code: string, language: string): readonly Token[] {
  const grammar = grammarOf[language.toLowerCase()]
  const plain = [{ text: code, scope: undefined }]
  if (grammar === undefined || code.length > charactersMax) return plain
  const { _emitter } = hljs.highlight(code, { language: grammar })
  const { tokens } = _emitter as unknown as TokenEmitter
  // Highlighting never changes the text that people copy.
  return tokens.map(({ text }) => text).join('') === code ? tokens : plain
}
