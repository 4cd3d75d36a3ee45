/** The hosted checkout page of the fake Stripe: plain HTML that a person, or a browser in a test, can click through. */
import type { Session } from './stripe-objects.ts'

export function payPage(
  { id, amount_total: cents, cancel_url: back }: Session,
  problem: string | null,
): string {
  return page(
    'Pay',
    `${problem === null ? '' : `<p role="alert">${escapeHtml(problem)}</p>`}
<p>${(cents / 100).toFixed(2)} USD</p>
${button(id, 'card', 'Pay')}
${button(id, 'transfer', 'Pay by transfer')}
${button(id, 'challenge', '3-D Secure')}
${button(id, 'declined', 'Fail')}
<p><a href="${escapeHtml(back)}">Back</a></p>`,
  )
}

export function challengePage({ id }: Session): string {
  return page(
    'Your bank asks',
    `<p>Is it you who pays?</p>${button(id, 'card', 'Yes, it is me')}${button(id, 'declined', 'No')}`,
  )
}

export function gonePage(): string {
  return page('This page is no longer valid', '<p>It was paid, or it has expired.</p>')
}

const button = (id: string, action: string, text: string): string =>
  `<form method="post" action="/pay/${id}/${action}"><button type="submit">${text}</button></form>`

const page = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body><main><h1>${title}</h1>${body}</main></body></html>`

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
