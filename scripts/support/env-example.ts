/** A variable of .env.example: `PORT=3000`, or `#WORKERS=1` if it is commented out. */
const line = /^#?([A-Z][A-Z\d_]*)=(.*)$/

/** Reads a line of .env.example. Returns null for comments and empty lines. */
export function readVariable(text: string): readonly [name: string, value: string] | null {
  const [, name, value = ''] = line.exec(text) ?? []
  return name === undefined ? null : [name, value]
}

/** Returns the variables of .env.example with their defaults. */
export function parseExample(example: string): Record<string, string> {
  return Object.fromEntries(
    example.split('\n').flatMap((text) => [readVariable(text)].filter((found) => found !== null)),
  )
}

/** Removes variables, comments that describe only removed variables, and headings of plugins without any. */
export function withoutVariables(example: string, variables: readonly string[]): string {
  const blocks = example
    .trimEnd()
    .split(/\n{2,}/)
    .flatMap((block) => {
      const lines = block.split('\n')
      const kept = lines.filter((text) => !variables.includes(readVariable(text)?.[0] ?? ''))
      const isEmpty = kept.length < lines.length && kept.every((text) => readVariable(text) === null)
      return isEmpty ? [] : kept.join('\n')
    })
  const isHeading = (block: string | undefined) => block === undefined || block.startsWith('## ')
  return `${blocks.filter((block, index) => !(isHeading(block) && isHeading(blocks[index + 1]))).join('\n\n')}\n`
}
