/**
 * The text that people read, taken from sources and pages: sentences in string literals and JSX by TypeScript's own
 * parser, and the prose of Markdown without its code. Judges nothing.
 */
import { posix } from 'node:path'
import type { Node, SourceFile } from 'typescript/unstable/ast'
import {
  isExportDeclaration,
  isImportDeclaration,
  isJsxText,
  isNoSubstitutionTemplateLiteral,
  isStringLiteral,
  isTemplateExpression,
} from 'typescript/unstable/ast'
import { API, type Program } from 'typescript/unstable/sync'

export interface VisibleText {
  readonly path: string
  readonly text: string
}

/** Two words of letters with a space between them: identifiers, paths and patterns are no sentences. */
const sentence = /[A-Za-z]{2,},? [^{}]*[A-Za-z]{2,}/
const statement =
  /^\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|WITH|PRAGMA|FROM|EXISTS|NOT EXISTS|BEGIN)\b/

function textOf(node: Node): string | undefined {
  if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node) || isJsxText(node)) return node.text
  if (isTemplateExpression(node)) {
    return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…')
  }
  return undefined
}

function sentencesOf(file: SourceFile): string[] {
  const found: string[] = []
  const visit = (node: Node): void => {
    if (isImportDeclaration(node) || isExportDeclaration(node)) return
    const text = textOf(node)?.replace(/\s+/g, ' ')
    if (text !== undefined && sentence.test(text) && !statement.test(text)) found.push(text)
    node.forEachChild(visit)
  }
  visit(file)
  return found
}

function textsOf(program: Program, root: string, isVisible: (path: string) => boolean): VisibleText[] {
  return program.getSourceFileNames().flatMap((name) => {
    const path = posix.relative(root, name)
    const file = isVisible(path) ? program.getSourceFile(name) : undefined
    return file === undefined ? [] : sentencesOf(file).map((text) => ({ path, text }))
  })
}

/** The sentences in the sources of these configurations of TypeScript, each file once. */
export function sourceTexts(
  root: string,
  configurations: readonly string[],
  isVisible: (path: string) => boolean,
): VisibleText[] {
  const api = new API({ cwd: root })
  try {
    const seen = new Set<string>()
    return configurations.flatMap((configuration) => {
      const path = posix.join(root, configuration)
      const project = api.updateSnapshot({ openProjects: [path] }).getProject(path)
      if (project === undefined) throw new Error(`${configuration} is not a project`)
      const texts = textsOf(project.program, root, (name) => isVisible(name) && !seen.has(name))
      for (const { path: name } of texts) seen.add(name)
      return texts
    })
  } finally {
    api.close()
  }
}

/** The paragraphs of a page without code, links and tags; the messages of examples in JSON are text too. */
export function pageTexts(path: string, page: string): VisibleText[] {
  const messages = [...page.matchAll(/"message":"((?:[^"\\]|\\.)+)"/g)].map(([, message = '']) => message)
  const prose = page
    .replaceAll(/^```[\s\S]*?^```$/gm, '')
    .replaceAll(/`[^`\n]*`/g, '…')
    .replaceAll(/\]\([^)\s]+\)/g, ']')
    .replaceAll(/<[^>\n]+>/g, '')
  return [...prose.split(/\n{2,}|\n(?=[-|#])/), ...messages]
    .map((text) => text.replace(/\s+/g, ' ').trim())
    .filter((text) => text !== '')
    .map((text) => ({ path, text }))
}
