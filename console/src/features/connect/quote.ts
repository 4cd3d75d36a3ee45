/** How texts are written into the languages of examples, so that no name of a model can break out of one. Pure. */

/** For JavaScript, TypeScript and Python. */
export function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&').replace(/\n/g, '\\n').replace(/\r/g, '\\r')}'`
}

/** For JSON, TOML, YAML, Go, Java and Rust. */
export function doubleQuoted(text: string): string {
  return JSON.stringify(text)
}

/** For a shell; bare where nothing in it means anything there. */
export function shellQuoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
