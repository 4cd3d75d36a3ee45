/** Quotes text for the languages of the examples, so that no model name can break out of a string. Pure. */

/** For JavaScript, TypeScript and Python. */
export function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&').replace(/\n/g, '\\n').replace(/\r/g, '\\r')}'`
}

/** For JSON, TOML, YAML, Go, Java and Rust. */
export function doubleQuoted(text: string): string {
  return JSON.stringify(text)
}

/** For a shell; unquoted where nothing has a special meaning. */
export function shellQuoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
