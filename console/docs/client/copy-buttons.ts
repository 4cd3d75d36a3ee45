/** A button on each code block that copies it; it looks like the console's. */

const shownMs = 2_000

export function addCopyButtons(): void {
  for (const block of document.querySelectorAll<HTMLElement>('.code')) {
    const code = block.querySelector('code')
    if (code === null) continue
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'copy'
    show(button, 'copy', 'Copy', 'Copy code')
    button.addEventListener('click', () => {
      navigator.clipboard.writeText(code.textContent ?? '').then(
        () => report(button, 'done', 'Copied'),
        () => report(button, 'copy', 'Not copied'),
      )
    })
    block.append(button)
  }
}

function report(button: HTMLButtonElement, icon: keyof typeof icons, text: string): void {
  show(button, icon, text, text)
  setTimeout(() => show(button, 'copy', 'Copy', 'Copy code'), shownMs)
}

/** Of Lucide, like the console's: lucide.dev/icons/copy and /check. */
const icons = {
  copy: '<rect width="14" height="14" x="8" y="8" rx="2"/><path d="M4 16c-1.1 0-2-.9-2-2V4c0-1.1.9-2 2-2h10c1.1 0 2 .9 2 2"/>',
  done: '<path d="M20 6 9 17l-5-5"/>',
}

function show(button: HTMLButtonElement, icon: keyof typeof icons, text: string, label: string): void {
  button.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true">${icons[icon]}</svg>`
  button.append(text)
  button.setAttribute('aria-label', label)
}
