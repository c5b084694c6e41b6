import type { Server } from '#kernel/plugin'
import { pascalCase } from '../names.ts'
import type { OpenApiDocument } from '../options.ts'

/** Combines the documents of all servers: paths get the prefix, components the name of the server. */
export function combine(documents: readonly (readonly [Server, OpenApiDocument])[]): OpenApiDocument {
  const renamed = documents.map(([server, document]) => [server, rename(document, server)] as const)
  const [first] = renamed
  const all = renamed.map(([, document]) => document)
  const sections = [...new Set(all.flatMap(({ components }) => Object.keys(components)))]
  return {
    ...(first?.[1] as OpenApiDocument),
    servers: [{ url: '/', description: 'All servers.' }],
    tags: distinct(all.flatMap(({ tags }) => (tags ?? []) as { name: string }[])),
    paths: Object.assign({}, ...renamed.map(([server, document]) => prefixed(document.paths, server.prefix))),
    components: Object.fromEntries(
      sections.map((section) => [section, Object.assign({}, ...all.map(({ components }) => components[section]))]),
    ),
  }
}

function prefixed(paths: OpenApiDocument['paths'], prefix: string): OpenApiDocument['paths'] {
  return Object.fromEntries(Object.entries(paths).map(([path, item]) => [prefix + path, item]))
}

/** The default server keeps its component names. */
function rename(document: OpenApiDocument, { name }: Server): OpenApiDocument {
  if (name === 'default') return document
  const prefix = pascalCase(name)
  const text = JSON.stringify(document)
    .replace(/"#\/components\/(\w+)\/([^"]+)"/g, `"#/components/$1/${prefix}$2"`)
    .replace(/"operationId":"/g, `"operationId":"${name}.`)
  const { components, ...rest } = JSON.parse(text) as OpenApiDocument
  const renamed = Object.entries(components).map(([section, parts]) => [
    section,
    Object.fromEntries(
      Object.entries(parts).map(([key, part]) => [section === 'securitySchemes' ? key : prefix + key, part]),
    ),
  ])
  return { ...rest, components: Object.fromEntries(renamed) } as OpenApiDocument
}

function distinct(tags: readonly { readonly name: string }[]): object[] {
  return [...new Map(tags.toReversed().map((tag) => [tag.name, tag])).values()].reverse()
}
