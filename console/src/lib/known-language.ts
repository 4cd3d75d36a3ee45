/**
 * A machine without a locale can give a browser a language that `Intl` rejects, such as `en-US@posix`. Libraries format in the language of
 * the browser as soon as they are loaded, so this is imported by what loads them late.
 */
try {
  new Intl.NumberFormat(navigator.language)
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en-US' })
}
