/** Links between sources, as they resolve on the site. Pure. */
import { errors } from '../../contract/errors.ts'
import { sitePages, sitePath } from './site-map.ts'

/** Where a link of a source leads on the site; undefined: to nothing there. `from`: the source of the page. */
export function siteLink(from: string, target: string): string | undefined {
  if (/^https?:\/\//.test(target) || target.startsWith('#') || target.startsWith('/')) return target
  const { pathname, hash } = new URL(target, `docs:/docs/${from}`)
  if (!pathname.startsWith('/docs/')) return undefined
  const source = pathname.slice('/docs/'.length).replace(/\.md$|\/$/, '')
  const isThere =
    sitePages.some((page) => page.source === source) ||
    source === 'errors' ||
    Object.keys(errors).some((code) => source === `errors/${code}`)
  return isThere ? `${sitePath(source)}${hash}` : undefined
}
