import { createErrorExample } from '#app/kernel/boot/error-catalogue.ts'
import type { ErrorDefinition } from '#kernel/errors'

/** Renders every error: status, title, cause, source and an example. */
export function errorsMarkdown(definitions: readonly ErrorDefinition[]): string {
  const sorted = definitions.toSorted((a, b) => (a.code < b.code ? -1 : 1))
  return `# Error codes

Written by \`npm run docs -- errors\` from the definitions. A running service shows the same list at \`/errors\`, and every error
with a code links to its entry there. An error without a code is an HTTP exception, identified by its status, or an
unexpected failure with status 500, which is logged with its stack.

| Code | Status | Title |
|---|---|---|
${sorted.map(({ code, status, title }) => `| [\`${code}\`](#${code.toLowerCase()}) | ${status} | ${title} |`).join('\n')}

${sorted.map(toSection).join('\n')}`
}

function toSection(definition: ErrorDefinition): string {
  const { code, status, title, documentation } = definition
  return `## ${code}

**${status} ${title}.** ${documentation?.when ?? ''}

Source: ${sourceMember(definition)}.

\`\`\`json
${JSON.stringify(createErrorExample(definition), null, 2)}
\`\`\`
`
}

function sourceMember({ documentation }: ErrorDefinition): string {
  const [member] = Object.keys(documentation?.source ?? {})
  return member ? `\`${member}\`` : 'none'
}
