/** Marks in the contents of the page the section that is read, and shows the current page in the navigation. */

export function showCurrentPage(): void {
  const navigation = document.getElementById('navigation')
  const link = navigation?.querySelector<HTMLElement>('a[aria-current]')
  if (!navigation || !link) return
  const below = link.getBoundingClientRect().bottom - navigation.getBoundingClientRect().bottom
  if (below > 0) navigation.scrollTop += below + navigation.clientHeight / 3
}

export function followSections(): void {
  const links = new Map(
    [...document.querySelectorAll<HTMLAnchorElement>('.contents a')].map((link) => [
      decodeURIComponent(link.hash.slice(1)),
      link,
    ]),
  )
  const headings = [...document.querySelectorAll<HTMLElement>('article h2[id], article h3[id]')].filter(
    ({ id }) => links.has(id),
  )
  if (headings.length === 0) return
  const mark = () => {
    // The last sections of a page never get to the top.
    const left = document.documentElement.scrollHeight - innerHeight - scrollY
    const line = left < 2 ? innerHeight : innerHeight / 4
    const read = headings.findLast((heading) => heading.getBoundingClientRect().top < line)
    for (const [id, link] of links) {
      if (id === read?.id) link.setAttribute('aria-current', 'true')
      else link.removeAttribute('aria-current')
    }
  }
  let isScheduled = false
  addEventListener(
    'scroll',
    () => {
      if (isScheduled) return
      isScheduled = true
      requestAnimationFrame(() => {
        isScheduled = false
        mark()
      })
    },
    { passive: true },
  )
  mark()
}
