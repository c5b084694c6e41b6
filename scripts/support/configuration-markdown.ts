import { readVariable } from './env-example.ts'

/** Renders the variables of .env.example with their defaults and comments: a table per plugin. */
export function configurationMarkdown(example: string): string {
  const [, ...blocks] = example.trim().split(/\n{2,}/)
  const starts = blocks.flatMap((block, index) => (block.startsWith('## ') ? index : []))
  const sections = [
    ['## Most used', ...blocks.slice(0, starts[0])],
    ...starts.map((start, index) => blocks.slice(start, starts[index + 1])),
  ]
  return `# Configuration

Written by \`npm run docs -- configuration\` from [\`.env.example\`](../.env.example). The service reads the environment, and a
file \`.env\` if it exists, once at the start. Empty variables count as unset, and all faults are reported together. For a
secret, \`NAME_FILE\` may name a file with the value. Servers are configured in [\`app/servers.ts\`](../app/servers.ts),
features and their options in [\`app/plugins.ts\`](../app/plugins.ts).

${sections.map(toSection).join('\n\n')}
`
}

function toSection([heading = '', ...blocks]: readonly string[]): string {
  return `${heading}\n\n| Variable | Default | |\n|---|---|---|\n${blocks.map(toRow).join('\n')}`
}

/** Variables with one comment share a row. */
function toRow(block: string): string {
  const lines = block.split('\n')
  const variables = lines.flatMap((text) => [readVariable(text)].filter((found) => found !== null))
  const comment = lines.flatMap((text) => (readVariable(text) ? [] : text.replace(/^#\s?/, ''))).join(' ')
  const names = variables.map(([name]) => `\`${name}\``)
  const values = variables.map(([, value]) => (value ? `\`${value}\`` : 'unset'))
  return `| ${names.join('<br>')} | ${values.join('<br>')} | ${comment.replaceAll('|', '\\|')} |`
}
