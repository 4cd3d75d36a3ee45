/** The style of the pages that the server writes itself. */
export const styleText = `:root {
  color-scheme: light dark;
  --page: #fafafa; --surface: #ffffff; --ink: #18181b; --ink-soft: #52525b; --line: #e4e4e7; --sunken: #f4f4f5; --accent: #047857;
}
@media (prefers-color-scheme: dark) {
  :root { --page: #0b0b0d; --surface: #131316; --ink: #f4f4f5; --ink-soft: #a6a6b0; --line: #2a2a30; --sunken: #1c1c20; --accent: #34d399; }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--page); color: var(--ink); font: 1rem/1.6 ui-sans-serif, system-ui, sans-serif; }
a { color: var(--accent) }
a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
.narrow { max-width: 42rem; margin: 2rem auto; padding: 1.5rem clamp(1rem, 4vw, 3rem) 4rem }
h1 { font-size: 1.75rem; line-height: 1.25; margin: 0 0 1rem }
h2 { font-size: 1.2rem; margin: 2.5rem 0 0.75rem }
code { font: 0.875em ui-monospace, monospace; background: var(--sunken); padding: 0.1em 0.3em; border-radius: 4px; overflow-wrap: anywhere }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem }
th, td { text-align: left; vertical-align: top; padding: 0.5rem 0.75rem 0.5rem 0; border-bottom: 1px solid var(--line); font-weight: normal }
`
