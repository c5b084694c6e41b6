/** A regular expression as JSON Schema can say it; undefined when it cannot. */
export function portablePattern(pattern: RegExp | null): string | undefined {
  if (pattern?.flags.replace(/[gyu]/g, '') !== '') return undefined
  try {
    new RegExp(pattern.source, 'u')
    return pattern.source
  } catch {
    return undefined
  }
}
