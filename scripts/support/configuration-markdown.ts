/** A row per variable of .env.example: its default, and what the comment above it says. */
export function configurationMarkdown(example: string): string {
  return `# Configuration

Written by \`npm run docs:configuration\` from [\`.env.example\`](../.env.example). The environment is read once, at the start:
a variable that is empty counts as unset, and all faults are told together. A file \`.env\` is read when there is one. For a
secret \`NAME_FILE\` may name a file that holds the value. Wiring is code: servers in [\`app/servers.ts\`](../app/servers.ts),
features and their options in [\`app/plugins.ts\`](../app/plugins.ts).

| Variable | Default | |
|---|---|---|
${blocksOf(example).flatMap(toRows).join('\n')}
`
}

interface Block {
  readonly says: string
  readonly variables: readonly (readonly [name: string, value: string])[]
}

/** Comments and the variables below them, up to the next empty line; the first comment is about the file. */
function blocksOf(example: string): Block[] {
  const [, ...blocks] = example.trim().split(/\n{2,}/)
  return blocks.map((block) => {
    const lines = block.split('\n')
    const says = lines.flatMap((line) => (line.startsWith('#') ? [line.replace(/^#\s?/, '')] : [])).join(' ')
    const variables = lines.flatMap((line) => {
      const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(line) ?? []
      return name ? [[name, value] as const] : []
    })
    return { says, variables }
  })
}

/** What is said of several variables stands at the first of them. */
function toRows({ says, variables }: Block): string[] {
  return variables.map(([name, value], index) => {
    const meaning = index === 0 ? says.replaceAll('|', '\\|') : 'see above'
    return `| \`${name}\` | ${value ? `\`${value}\`` : 'unset'} | ${meaning} |`
  })
}
