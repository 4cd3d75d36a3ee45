/** Banned patterns and where they apply. */
import { splitSource } from '../support/source-text.ts'
import type { Tree } from '../support/source-tree.ts'
import { anyCode, anyConsole, anySource, isAllowed } from './rule.ts'

interface Ban {
  readonly name: string
  readonly pattern: RegExp
  /** Searched in: code without comments, code without strings too, or the text as it is. */
  readonly over: 'code' | 'bare' | 'text'
  readonly within: RegExp
  readonly except?: RegExp
  readonly instead: string
  /** Path and text that violate it. */
  readonly bad: readonly [path: string, text: string]
}

export const owners = /^src\/(access|audit|catalog|identity|ledger|payments|provider-keys|store|usage)\//
export const text = (...parts: string[]) => parts.join('')

export const bans: readonly Ban[] = [
  {
    name: 'environment',
    pattern: /\bprocess\s*\.\s*env\b|\{[^}]*\benv\b[^}]*\}\s*=\s*process\b/,
    over: 'bare',
    within: anySource,
    except: /^src\/config\/config\.ts$/,
    instead: 'config.ts alone reads the environment; take the value as a parameter',
    bad: ['src/http/a.ts', 'const port = process.env.PORT'],
  },
  {
    name: 'wall-clock',
    pattern:
      /\bDate\.now\b|\bnew Date(?:\(\s*\)|(?!\s*\())|(?<!new )\bDate\(|\bperformance\.(now|timeOrigin)\b|\bhrtime\b/,
    over: 'bare',
    within: /^(src|sandbox|contract)\/.*\.ts$/,
    except: /^src\/base\/clock\.ts$/,
    instead: 'take a Clock, so that a test owns time',
    bad: ['src/ledger/a.ts', 'const at = new Date()'],
  },
  {
    name: 'timer',
    pattern: /(?<![.\w])(?:globalThis\.)?set(?:Timeout|Interval)\s*\(|'node:timers/,
    over: 'code',
    within: /^(src|sandbox|contract|test)\/.*\.ts$/,
    except: /^src\/base\/clock\.ts$/,
    instead: 'Clock.after; a test waits for what happens, it does not sleep',
    bad: ['src/http/a.test.ts', 'await new Promise((done) => setTimeout(done, 50))'],
  },
  {
    name: 'suites that wait while they are built',
    pattern: /\b(?:describe|suite)\([^\n]*,\s*async\b/,
    over: 'code',
    within: /\.test\.ts$/,
    instead: 'an await before the suite: the runner would not know of its tests',
    bad: ['src/http/a.test.ts', 'describe("streams", async () => {'],
  },
  {
    name: 'randomness',
    pattern:
      /\bMath\.random\b|\b(?:randomBytes|randomUUID|randomInt|randomFill|randomFillSync|getRandomValues)\b/,
    over: 'bare',
    within: /^(src|sandbox|contract)\/.*\.ts$/,
    except: /^src\/base\/ids\.ts$/,
    instead: 'take RandomBytes or NextId of base/ids.ts',
    bad: ['src/access/a.ts', "import { randomBytes } from 'node:crypto'"],
  },
  {
    name: 'console',
    pattern: /(?<!\.)\bconsole\s*\./,
    over: 'bare',
    within: anySource,
    except: /^src\/cli\//,
    instead: 'write to the log; only the command line prints',
    bad: ['src/gateway/serve.ts', "console.log('here')"],
  },
  {
    name: 'wire-is-pure',
    pattern:
      /\basync\b|\bawait\b|\bPromise\b|\bBuffer\b|\bDate\b|\b(?:process|performance|crypto|fetch|queueMicrotask|setImmediate)\b(?=[.(])/,
    over: 'bare',
    within: /^(src\/(wire|limits)|contract)\/.*(?<!\.test)\.ts$/,
    instead: 'values in, values out: no I/O, promise, clock or Node',
    bad: ['src/wire/stream/sse.ts', 'export async function read(): Promise<void> {}'],
  },
  {
    name: 'format-name',
    pattern:
      /(?:[=!]==?|\bcase)\s*['"`](?:openai-chat|openai-responses|openai-embeddings|anthropic|gemini)['"`]|['"`](?:openai-chat|openai-responses|openai-embeddings|anthropic|gemini)['"`]\s*[=!]==?/,
    over: 'code',
    within: /^src\/.*(?<!\.test)\.ts$/,
    except: /^src\/wire\/(?:openai-|anthropic|gemini)/,
    instead:
      'what a format does otherwise is a member of ClientFormat or UpstreamFormat (src/wire/format.ts)',
    bad: ['src/gateway/phases/route.ts', "if (format.name === 'gemini') return null"],
  },
  {
    name: 'provider-id',
    pattern:
      /(?:[=!]==?|\bcase)\s*['"`](?:openai|anthropic|google|sandbox)['"`]|['"`](?:openai|anthropic|google|sandbox)['"`]\s*[=!]==?/,
    over: 'code',
    within: anySource,
    except: /^(src\/providers|sandbox)\//,
    instead: 'make it a fact in the row of the provider, or an entry of a table',
    bad: ['src/gateway/phases/route.ts', "if (provider === 'anthropic') return 1"],
  },
  {
    name: 'sql-with-its-table',
    pattern:
      /['"`]\s*(?:SELECT\s|INSERT\s+(?:OR\s+\w+\s+)?INTO\s|UPDATE\s+\S+\s+SET\s|DELETE\s+FROM\s|WITH\s+\w+\s+AS\s|CREATE\s+(?:UNIQUE\s+)?(?:TABLE|INDEX|TRIGGER|VIEW)\s|ALTER\s+TABLE\s|DROP\s+(?:TABLE|INDEX)\s|PRAGMA\s|BEGIN\s)|\.(?:selectFrom|insertInto|updateTable|deleteFrom)\(/,
    over: 'code',
    within: anySource,
    except: owners,
    instead: 'ask the folder that owns the table',
    bad: ['src/control/a.ts', 'const rows = query(`\n  SELECT id FROM account`)'],
  },
  {
    name: 'data-path',
    pattern: /(?<![.\w])fetch\s*\(|\b(?:ReadableStream|WritableStream|TransformStream|AbortController)\b/,
    over: 'bare',
    within: /^src\/(gateway|providers|wire|http)\/.*(?<!\.test)\.ts$/,
    instead: 'no fetch, web stream or AbortController on the path of a request: providers/send.ts',
    bad: ['src/gateway/phases/dispatch.ts', 'const stop = new AbortController()'],
  },
  {
    name: 'accessor-in-object-literal',
    pattern: /^ {4,}(?:get|set) \w+\(/m,
    over: 'code',
    within: /^src\/(gateway|providers|wire|http|limits|access|bodies|tokens|base)\/.*(?<!\.test)\.ts$/,
    instead:
      'a class: V8 makes a hidden class for each such object, which keeps all that the accessor can reach',
    bad: ['src/gateway/a.ts', 'return {\n    get place() {\n      return place\n    },\n  }'],
  },
  {
    name: 'type-escape',
    pattern: /@ts-(?:ignore|expect-error|nocheck)/,
    over: 'text',
    within: anyCode,
    instead: 'mend the type',
    bad: ['src/gateway/serve.ts', text('// @ts-', 'ignore')],
  },
  {
    name: 'unfinished',
    pattern: /\b(?:TODO|FIXME|HACK)\b/,
    over: 'text',
    within: anyCode,
    instead: 'do it now, or write down why not in docs/decisions',
    bad: ['src/gateway/serve.ts', text('// TO', 'DO: later')],
  },
  {
    name: 'whole-suite',
    pattern:
      /\b(?:test|it|describe|suite)\.(?:only|skip|todo)\s*\(|\{\s*(?:only|todo):\s*true|\bmock\.module\(/,
    over: 'bare',
    within: /\.test\.ts$/,
    instead: 'every test runs, against the real parts',
    bad: ['src/base/a.test.ts', text('test.', "only('one', () => {})")],
  },
  {
    name: 'text-is-no-markup',
    pattern:
      /\bdangerouslySetInnerHTML\b|\.(?:innerHTML|outerHTML|srcdoc)\s*=|\binsertAdjacentHTML\b|\bdocument\.write\b|\beval\s*\(|\bnew Function\b/,
    over: 'bare',
    within: anyConsole,
    instead: 'names, models and their answers are texts: let React write them',
    bad: ['console/src/features/a/page.tsx', 'return <p dangerouslySetInnerHTML={{ __html: name }} />'],
  },
  {
    name: 'empty-names',
    pattern:
      /\b(?:const|let|function|class|interface|type)\s+(?:utils?|helpers?|common|misc|manager|service|handler|data|info|ctx|req|res)\b/i,
    over: 'bare',
    within: anySource,
    instead: 'name it after what it is',
    bad: ['src/http/a.ts', 'const ctx = {}'],
  },
]

export function banned({ name, pattern, over, within, except, instead }: Ban, tree: Tree): string[] {
  const global = new RegExp(pattern, `g${pattern.flags}`)
  return [...tree]
    .filter(([path]) => within.test(path) && !path.startsWith('test/tidy') && !except?.test(path))
    .flatMap(([path, whole]) => {
      const searched = over === 'text' ? whole : splitSource(whole)[over]
      const lines = whole.split('\n')
      return [...searched.matchAll(global)]
        .map((match) => searched.slice(0, match.index).split('\n').length)
        .filter((line) => !isAllowed(name, lines, line))
        .map((line) => `${path}:${line} ${lines[line - 1]?.trim()} (${instead})`)
    })
}
