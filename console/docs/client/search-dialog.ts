/** Search over all pages in a dialog. The index is loaded when it is first opened; nothing that is typed leaves the browser. */
import { excerptOf, markedParts } from './marked-parts.ts'
import type { FoundSection } from './search-engine.ts'

type Search = (query: string) => readonly FoundSection[]

const resultsMax = 20
let loading: Promise<Search> | undefined

async function load(): Promise<Search> {
  const address = document.body.dataset.searchIndex ?? ''
  const [{ openIndex }, response] = await Promise.all([import('./search-engine.ts'), fetch(address)])
  if (!response.ok) throw new Error(`the search index was answered with ${response.status}`)
  return openIndex(await response.text())
}

export function addSearch(header: Element, before: Element): void {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'search-button'
  button.innerHTML = '<span>Search</span> <kbd>/</kbd>'
  header.insertBefore(button, before)
  const dialog = createDialog()
  const open = () => {
    if (!dialog.open) dialog.showModal()
    dialog.querySelector('input')?.select()
  }
  button.addEventListener('click', open)
  addEventListener('keydown', (event) => {
    const isTyping =
      event.target instanceof HTMLElement && /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)
    const isShortcut = event.key === 'k' && (event.ctrlKey || event.metaKey)
    if (!isShortcut && (event.key !== '/' || isTyping)) return
    event.preventDefault()
    open()
  })
}

function createDialog(): HTMLDialogElement {
  const dialog = document.createElement('dialog')
  dialog.className = 'search'
  dialog.setAttribute('aria-label', 'Search the documentation')
  const input = document.createElement('input')
  input.type = 'search'
  input.placeholder = 'Search the documentation'
  input.setAttribute('aria-label', 'Search the documentation')
  const status = document.createElement('p')
  status.setAttribute('role', 'status')
  const results = document.createElement('ul')
  dialog.append(input, status, results)
  document.body.append(dialog)

  const update = async () => {
    const query = input.value.trim()
    if (query === '') return render([], '')
    loading ??= load()
    const search = await loading
    // The input may have changed in the meantime.
    if (query !== input.value.trim()) return
    const found = search(query).slice(0, resultsMax)
    render(found, found.length === 0 ? `No results for “${query}”.` : '')
  }
  const render = (found: readonly FoundSection[], text: string) => {
    results.replaceChildren(...found.map(resultItem))
    status.textContent = text
  }
  const failed = () => {
    loading = undefined
    render([], 'The search index could not be loaded. Try again.')
  }
  input.addEventListener('input', () => void update().catch(failed))
  dialog.addEventListener('keydown', (event) => moveAmongResults(event, input, results))
  dialog.addEventListener('click', ({ target }) => {
    // The backdrop, or a result on this very page.
    if (target === dialog || (target instanceof Element && target.closest('a') !== null)) dialog.close()
  })
  return dialog
}

function resultItem({ id, title, heading, excerpt, words }: FoundSection): HTMLLIElement {
  const item = document.createElement('li')
  const link = document.createElement('a')
  link.href = id
  const name = document.createElement('strong')
  name.append(...highlighted(heading === '' ? title : `${title} › ${heading}`, words))
  const text = document.createElement('span')
  text.append(...highlighted(excerptOf(excerpt, words), words))
  link.append(name, text)
  item.append(link)
  return item
}

/** The text with a mark around each word that matches. */
function highlighted(text: string, words: ReadonlySet<string>): readonly (string | HTMLElement)[] {
  return markedParts(text, words).map(({ part, isMatch }) => {
    if (!isMatch) return part
    const mark = document.createElement('mark')
    mark.textContent = part
    return mark
  })
}

function moveAmongResults(event: KeyboardEvent, input: HTMLInputElement, results: HTMLElement): void {
  const stops: readonly (Element & { focus(): void; click(): void })[] = [
    input,
    ...results.querySelectorAll('a'),
  ]
  const at =
    document.activeElement === null ? -1 : stops.findIndex((stop) => stop.isSameNode(document.activeElement))
  if (event.key === 'Enter' && at === 0) {
    stops[1]?.click()
    return
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined) return
  event.preventDefault()
  stops[Math.min(Math.max(at + step, 0), stops.length - 1)]?.focus()
}
