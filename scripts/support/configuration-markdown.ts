/** Renders the variables of .env.example with their defaults and comments. */
export function configurationMarkdown(example: string): string {
  return `# Configuration

Written by \`npm run docs -- configuration\` from [\`.env.example\`](../.env.example). The service reads the environment, and a
file \`.env\` if it exists, once at the start. Empty variables count as unset, and all faults are reported together. For a
secret, \`NAME_FILE\` may name a file with the value. Servers are configured in [\`app/servers.ts\`](../app/servers.ts),
features and their options in [\`app/plugins.ts\`](../app/plugins.ts).

| Variable | Default | |
|---|---|---|
${blocksOf(example).map(toRow).join('\n')}
`
}

interface Block {
  readonly comment: string
  readonly variables: readonly (readonly [name: string, value: string])[]
}

/** Splits the file into comments with the variables below them. The first comment describes the file. */
function blocksOf(example: string): Block[] {
  const [, ...blocks] = example.trim().split(/\n{2,}/)
  return blocks.map((block) => {
    const lines = block.split('\n')
    const comment = lines.flatMap((line) => (line.startsWith('#') ? [line.replace(/^#\s?/, '')] : [])).join(' ')
    const variables = lines.flatMap((line) => {
      const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(line) ?? []
      return name ? [[name, value] as const] : []
    })
    return { comment, variables }
  })
}

/** Variables with one comment share a row. */
function toRow({ comment, variables }: Block): string {
  const names = variables.map(([name]) => `\`${name}\``)
  const values = variables.map(([, value]) => (value ? `\`${value}\`` : 'unset'))
  return `| ${names.join('<br>')} | ${values.join('<br>')} | ${comment.replaceAll('|', '\\|')} |`
}
