/** Whether a header was sent more than once: Node discards all but the first of some, therefore reads raw headers. */
export function isRepeated(rawHeaders: readonly string[], header: string): boolean {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string
    if (name.length === header.length && name.toLowerCase() === header) count++
  }
  return count > 1
}
