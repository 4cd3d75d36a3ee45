// Sets light or dark before the first paint, so that nothing flashes. Must stay a separate, tiny blocking script:
// the policy of the pages allows no inline script.
;(() => {
  let chosen = null
  try {
    chosen = localStorage.getItem('tollgate-theme')
  } catch {
    // A browser that keeps nothing has no choice to remember.
  }
  const isDark =
    chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
})()
