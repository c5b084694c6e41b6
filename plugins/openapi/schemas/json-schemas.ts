import type { Server } from '#kernel/plugin'
import { pascalCase } from '../names.ts'
import type { OpenApiDocument } from '../options.ts'

/** A self-contained JSON Schema 2020-12 of the resources of each type. */
export function collectSchemas({ components }: OpenApiDocument, server: Server): Record<string, object> {
  const schemas = (components.schemas ?? {}) as Record<string, object>
  return Object.fromEntries(
    [...server.types.keys()].flatMap((type) => {
      const schema = schemas[`${pascalCase(type)}Resource`]
      return schema ? [[type, selfContained(type, schema, schemas)]] : []
    }),
  )
}

function selfContained(type: string, schema: object, all: Readonly<Record<string, object>>): object {
  const names = new Set<string>()
  const visit = (part: unknown) => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (names.has(name)) continue
      names.add(name)
      visit(all[name])
    }
  }
  visit(schema)
  const definitions = Object.fromEntries([...names].sort().map((name) => [name, all[name]]))
  const whole = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:jsonapi:schema:${type}`,
    ...schema,
    ...(names.size > 0 && { $defs: definitions }),
  }
  return JSON.parse(JSON.stringify(whole).replaceAll('"#/components/schemas/', '"#/$defs/'))
}
