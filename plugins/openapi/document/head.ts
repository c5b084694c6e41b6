import type { Server } from '#kernel/plugin'
import { titleCase } from '../names.ts'
import type { OpenApiOptions } from '../options.ts'
import type { PathOperation } from './operations.ts'

/** Incremented when generated schemas change in a way that breaks generated clients. */
const contract = 1

/** The members before `paths`, in the order of the document. */
export function describeHead(server: Server, options: OpenApiOptions): Record<string, unknown> {
  const { title = 'JSON:API', version = '1.0.0', ...info } = options.info ?? {}
  return {
    openapi: '3.1.1',
    info: { title, version, ...info, 'x-generator': { contract } },
    servers: options.servers ?? [
      { url: server.baseUri || server.prefix || '/', description: `The server ${server.name}.` },
    ],
    ...(options.externalDocs && { externalDocs: options.externalDocs }),
  }
}

/** The default tags of an operation. */
export function tagsFor({ type, object }: PathOperation): readonly string[] {
  if (Array.isArray(object.tags)) return object.tags
  if (!type) return ['Endpoints']
  return type.declaration.tags ?? [titleCase(type.name)]
}

/** The configured tags that are used, then other used tags. */
export function describeTags(operations: readonly PathOperation[], { tags = [] }: OpenApiOptions): object[] {
  const used = new Set(operations.flatMap(tagsFor))
  const configured = tags.filter(({ name }) => used.has(name))
  for (const { name } of configured) used.delete(name)
  const types = (tag: string) => [
    ...new Set(
      operations.filter((operation) => tagsFor(operation).includes(tag)).flatMap(({ type }) => type?.name ?? []),
    ),
  ]
  return [
    ...configured.map(({ name, description }) => ({ name, description: description ?? describeTypes(types(name)) })),
    ...[...used].map((name) => ({ name, description: describeTypes(types(name)) })),
  ]
}

function describeTypes(types: readonly string[]): string {
  return types.length > 0 ? `Resources of type ${types.join(', ')}.` : 'Other endpoints.'
}
