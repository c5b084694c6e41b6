/** Converts a regular expression to a JSON Schema pattern; undefined if it has flags that JSON Schema lacks. */
export function portablePattern(pattern: RegExp | null): string | undefined {
  if (pattern?.flags.replace(/[gyu]/g, '') !== '') return undefined
  try {
    new RegExp(pattern.source, 'u')
    return pattern.source
  } catch {
    return undefined
  }
}
