/** The pages that the server writes itself: no script, a style sheet with a separate URL. Pure. */

export const stylePath = '/style.css'

/** A whole page; `body` is HTML already. */
function pageOf(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="${stylePath}">
</head>
<body>
${body}
</body>
</html>
`
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** Sent if a page has to be built first. */
export const notBuiltPage = pageOf(
  'Not built yet',
  `<main class="narrow">
<h1>This page is not built yet</h1>
<p>The server is running, but the console and the documentation have not been built. Stop the server and start it with <code>npm start</code>, which builds them. Or run <code>npm run console:build</code> and reload this page.</p>
</main>`,
)
