/**
 * Secrets whose text is in a file, as Docker and Kubernetes mount them: `OPENAI_API_KEY_FILE` in the environment, and
 * `{ file: path }` in place of the text in `tollgate.yaml`. Error messages name the file, never its text.
 */
import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { clouds } from '../providers/clouds/clouds-table.ts'

export type TextResult =
  | { readonly kind: 'text'; readonly text: string }
  /** `reason`: such as ENOENT. */
  | { readonly kind: 'unreadable'; readonly reason: string }

export type ReadText = (path: string) => TextResult

const fileBytesMax = 4 * 1024 * 1024

export function textOf(path: string): TextResult {
  try {
    if (statSync(path).size > fileBytesMax) return { kind: 'unreadable', reason: 'larger than 4 MiB' }
    return { kind: 'text', text: readFileSync(path, 'utf8') }
  } catch (error) {
    return { kind: 'unreadable', reason: (error as NodeJS.ErrnoException).code ?? 'unknown' }
  }
}

/** Reads secrets relative to a folder. Most editors and `kubectl` end a file with a line break, which is not part of the secret. */
export function secretReader(folder: string): ReadText {
  return (path) => {
    const read = textOf(resolve(folder, path))
    if (read.kind === 'unreadable') return { ...read, reason: `${path} cannot be read (${read.reason})` }
    const text = read.text.trim()
    return text === '' ? { kind: 'unreadable', reason: `${path} is empty` } : { kind: 'text', text }
  }
}

/** The variable that names the file of a secret. */
export function secretFileOf(variable: string): string {
  return `${variable}_FILE`
}

export interface SecretTexts {
  /** The environment with the texts of the files, under the names of the secrets. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly mistakes: readonly string[]
}

/** Reads the files that the environment names for these secrets. */
export function withSecretFiles(
  environment: SecretTexts['environment'],
  variables: readonly string[],
  read: ReadText,
): SecretTexts {
  const texts: Record<string, string> = {}
  const mistakes: string[] = []
  for (const variable of variables) {
    const named = secretFileOf(variable)
    const path = environment[named]
    if (path === undefined || path === '') continue
    const found = read(path)
    if ((environment[variable] ?? '') !== '')
      mistakes.push(`${variable}: ${named} is also set; unset one of them`)
    else if (found.kind === 'text') texts[variable] = found.text
    else mistakes.push(`${named}: ${found.reason}`)
  }
  return { environment: { ...environment, ...texts }, mistakes }
}

/** Where `tollgate.yaml` may have `{ file: path }`. */
const secretPaths =
  /^(?:server\.metricsToken|signIn\[\d+\]\.clientSecret|(?:telemetry|upstreams\[\d+\])\.headers\.[^.]+|upstreams\[\d+\]\.credential)$/

/**
 * The path in `{ file: path }` where a secret is expected; undefined: it is something else. `parent`: what it is in. A cloud whose
 * credentials have a field `file` reads that file itself.
 */
export function secretFileIn(value: object, path: string, parent: object = {}): string | undefined {
  if (!secretPaths.test(path) || readsFiles(parent)) return undefined
  const fields = Object.entries(value) as [string, unknown][]
  const [name, file] = fields.length === 1 ? (fields[0] ?? []) : []
  return name === 'file' && typeof file === 'string' ? file : undefined
}

function readsFiles(upstream: { readonly provider?: unknown }): boolean {
  return Object.entries(clouds).some(
    ([name, { credentialForms }]) =>
      name === upstream.provider && credentialForms.some(({ fields }) => String(fields) === 'file'),
  )
}
