/** Pages, the manifest and the launcher. */
import { posix } from 'node:path'
import { splitSource } from '../support/source-text.ts'
import { manifest, type Rule } from './rule.ts'

export const pageRules: readonly Rule[] = [
  {
    name: 'every error has its page in docs/errors, and every page its error',
    bad: { 'contract/errors.ts': 'const rows = {\n  gone: [410],\n}', 'docs/errors/lost.md': '# lost' },
    check(tree) {
      const codes = errorCodes(tree.get('contract/errors.ts') ?? '')
      const pages = [...tree.keys()].flatMap(
        (path) => /^docs\/errors\/(?!README)(.+)\.md$/.exec(path)?.[1] ?? [],
      )
      return [
        ...codes.filter((name) => !pages.includes(name)).map((name) => `docs/errors/${name}.md is missing`),
        ...pages.filter((name) => !codes.includes(name)).map((name) => `docs/errors/${name}.md has no error`),
      ]
    },
  },
  {
    name: 'every dependency is pinned and has its sentence in docs/decisions/dependencies.md',
    bad: { 'package.json': '{"dependencies":{"a":"^1.0.0"}}' },
    check(tree) {
      const { dependencies, devDependencies } = manifest(tree)
      const pages = manifest(tree, 'console/package.json').dependencies
      const runtime = manifest(tree, 'runtime/package.json').optionalDependencies
      const all = Object.entries({ ...dependencies, ...devDependencies, ...pages, ...runtime })
      const page = tree.get('docs/decisions/dependencies.md') ?? ''
      const documented = [...page.matchAll(/^\| `([^`]+)` \|.+\w.+\|$/gm)].map((match) => match[1] ?? '')
      return [
        ...all
          .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
          .map(([name]) => `${name} is not pinned`),
        ...all.filter(([name]) => !documented.includes(name)).map(([name]) => `${name} has no sentence`),
        ...documented
          .filter((name) => !all.some(([listed]) => listed === name))
          .map((name) => `${name} is gone, its sentence not`),
      ]
    },
  },
  {
    name: 'links between pages lead somewhere',
    bad: { 'README.md': 'see [there](docs/nowhere.md)' },
    check: (tree) =>
      [...tree]
        .filter(([path]) => path.endsWith('.md'))
        .flatMap(([path, whole]) =>
          [...whole.replace(/```[\s\S]*?```|`[^`\n]*`/g, '').matchAll(/\]\((?!\w+:|#|\/)([^)#\s]+)[^)]*\)/g)]
            .map((match) => posix.join(posix.dirname(path), match[1] ?? '').replace(/\/$/, ''))
            .filter(
              (target) =>
                ![...tree.keys()].some((other) => other === target || other.startsWith(`${target}/`)),
            )
            .map((target) => `${path} → ${target}`),
        ),
  },
]

/** The names of the rows, read from the text, so that a sample can be checked too. */
function errorCodes(whole: string): string[] {
  return [...splitSource(whole).bare.matchAll(/^ {2}([a-z][a-z0-9_]*): (?=\[|row\()/gm)].map(
    (match) => match[1] ?? '',
  )
}
