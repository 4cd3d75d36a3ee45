/** The style of the pages that the server writes itself. */
export const styleText = `:root {
  color-scheme: light dark;
  --ground: #ffffff; --text: #18181b; --soft: #52525b; --line: #e4e4e7; --tint: #f4f4f5; --accent: #047857;
}
@media (prefers-color-scheme: dark) {
  :root { --ground: #18181b; --text: #f4f4f5; --soft: #a1a1aa; --line: #3f3f46; --tint: #27272a; --accent: #34d399; }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.6 system-ui, sans-serif; }
a { color: var(--accent) }
a:focus-visible, pre:focus-visible, .scroll:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
.skip { position: absolute; left: -999px } .skip:focus { position: static }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
.bar { display: flex; gap: 1.5rem; padding: 0.75rem 1.5rem; border-bottom: 1px solid var(--line) }
.bar a { text-decoration: none } .bar a:first-child { font-weight: 600; color: var(--text); margin-right: auto }
.columns { display: grid; grid-template-columns: 15rem minmax(0, 1fr); max-width: 76rem; margin: 0 auto }
.columns > nav { padding: 1.5rem; border-right: 1px solid var(--line) }
.columns > nav ul { position: sticky; top: 1.5rem; list-style: none; margin: 0; padding: 0 }
.columns > nav a { display: block; padding: 0.4rem 0; color: var(--soft); text-decoration: none }
.columns > nav a[aria-current] { color: var(--text); font-weight: 600 }
main { padding: 1.5rem clamp(1rem, 4vw, 3rem) 4rem; min-width: 0 }
.narrow { max-width: 42rem; margin: 2rem auto }
h1 { font-size: 1.75rem; line-height: 1.25; margin: 0 0 1rem }
h2 { font-size: 1.3rem; margin: 2.5rem 0 0.75rem } h3 { font-size: 1.05rem; margin: 2rem 0 0.5rem } h4 { margin: 1rem 0 0.25rem }
code { font: 0.875em ui-monospace, monospace; background: var(--tint); padding: 0.1em 0.3em; border-radius: 4px; overflow-wrap: anywhere }
pre { background: var(--tint); padding: 1rem; overflow-x: auto; border: 1px solid var(--line); border-radius: 8px }
pre code { padding: 0; overflow-wrap: normal }
.scroll { overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem }
th, td { text-align: left; vertical-align: top; padding: 0.4rem 0.75rem 0.4rem 0; border-bottom: 1px solid var(--line); font-weight: normal }
thead th { color: var(--soft) }
article { border-top: 1px solid var(--line); padding-bottom: 1rem }
.method { font: 600 0.8rem ui-monospace, monospace; color: var(--accent) }
.cards { list-style: none; padding: 0; display: grid; gap: 0.75rem }
.cards li { border: 1px solid var(--line); border-radius: 8px; padding: 0.75rem 1rem } .cards span { display: block; color: var(--soft) }
@media (max-width: 50rem) {
  .columns { grid-template-columns: minmax(0, 1fr) }
  .columns > nav { border-right: 0; border-bottom: 1px solid var(--line) }
  .columns > nav ul { position: static; display: flex; flex-wrap: wrap; gap: 0 1.25rem }
}
`
