/** A button on each code block that copies it. */

const shownMs = 2_000

export function addCopyButtons(): void {
  for (const block of document.querySelectorAll<HTMLElement>('.code')) {
    const code = block.querySelector('code')
    if (code === null) continue
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'copy'
    button.textContent = 'Copy'
    button.setAttribute('aria-label', 'Copy code')
    button.addEventListener('click', () => {
      navigator.clipboard.writeText(code.textContent ?? '').then(
        () => report(button, 'Copied'),
        () => report(button, 'Not copied'),
      )
    })
    block.append(button)
  }
}

function report(button: HTMLButtonElement, text: string): void {
  button.textContent = text
  button.setAttribute('aria-label', text)
  setTimeout(() => {
    button.textContent = 'Copy'
    button.setAttribute('aria-label', 'Copy code')
  }, shownMs)
}
