/** Code blocks in several languages as tabs. The choice holds for all of them and is stored in this browser. */

const storageName = 'tollgate-docs-language'
const groups: ((label: string) => void)[] = []

export function addCodeTabs(): void {
  for (const [index, group] of [...document.querySelectorAll<HTMLElement>('.code-tabs')].entries())
    addTabs(group, index)
  const chosen = localStorage.getItem(storageName)
  if (chosen !== null) show(chosen)
}

function show(label: string): void {
  for (const select of groups) select(label)
}

function addTabs(group: HTMLElement, index: number): void {
  const panels = [...group.querySelectorAll<HTMLElement>('.code')]
  const labels = panels.map((panel) => panel.querySelector('.language')?.textContent ?? '')
  const list = document.createElement('div')
  list.setAttribute('role', 'tablist')
  list.setAttribute('aria-label', 'Language')
  const tabs = labels.map((label, at) => {
    const tab = document.createElement('button')
    tab.type = 'button'
    tab.id = `tab-${index}-${at}`
    tab.textContent = label
    tab.setAttribute('role', 'tab')
    tab.setAttribute('aria-controls', `panel-${index}-${at}`)
    return tab
  })
  for (const [at, panel] of panels.entries()) {
    panel.id = `panel-${index}-${at}`
    panel.setAttribute('role', 'tabpanel')
    panel.setAttribute('aria-labelledby', `tab-${index}-${at}`)
  }
  const select = (label: string) => {
    const chosen = labels.indexOf(label)
    if (chosen < 0) return
    for (const [at, tab] of tabs.entries()) {
      tab.setAttribute('aria-selected', String(at === chosen))
      tab.tabIndex = at === chosen ? 0 : -1
    }
    for (const [at, panel] of panels.entries()) panel.hidden = at !== chosen
  }
  const choose = (at: number) => {
    const label = labels[at] ?? ''
    // Blocks above this one may change their height: the clicked one stays where it is.
    const top = list.getBoundingClientRect().top
    localStorage.setItem(storageName, label)
    show(label)
    scrollBy({ top: list.getBoundingClientRect().top - top, behavior: 'instant' })
    tabs[at]?.focus({ preventScroll: true })
  }
  for (const [at, tab] of tabs.entries()) {
    tab.addEventListener('click', () => choose(at))
    tab.addEventListener('keydown', ({ key }) => {
      if (key === 'ArrowRight') choose((at + 1) % tabs.length)
      if (key === 'ArrowLeft') choose((at + tabs.length - 1) % tabs.length)
    })
  }
  groups.push(select)
  list.append(...tabs)
  group.prepend(list)
  group.classList.add('has-tabs')
  select(labels[0] ?? '')
}
