import { BootError } from '#kernel/plugin'
import type { DescribedAttribute, OpenApiDraft, Schema } from '#openapi'
import type { Enumeration } from '../rules.ts'

/**
 * Lists the allowed values. An enumeration becomes a component, named by `enumName()` or after its field. `names` are the
 * names of these components.
 */
export function describeEnumeration(described: DescribedAttribute, openapi: OpenApiDraft, names: Set<string>): void {
  const { attribute, schema, name } = described
  const { in: values, enumeration, enumName = `${name}Enum` } = attribute.options.rules ?? {}
  const isUntyped = Object.keys(schema).length === 0
  if (!values || isUntyped) return
  if (!enumeration) {
    schema.enum = [...values]
    return
  }
  const { description, examples, type } = schema
  described.schema = {
    ...enumComponent(enumName, () => enumSchema(values, enumeration, type), openapi, names),
    ...(description !== undefined && { description }),
    ...(examples !== undefined && { examples }),
  }
}

/** Throws if the document has another component with the name. */
function enumComponent(name: string, make: () => Schema, openapi: OpenApiDraft, names: Set<string>): Schema {
  const reference = openapi.component(name, () => {
    names.add(name)
    return make()
  })
  if (!names.has(name))
    throw new BootError([`enumName('${name}') is the name of another schema of the OpenAPI document.`])
  return reference
}

function enumSchema(
  values: readonly (string | number)[],
  { names, meanings }: Enumeration,
  type: Schema['type'],
): Schema {
  const descriptions = values.map((value) => meanings[value] ?? '')
  const hasMeanings = descriptions.some((description) => description !== '')
  return {
    ...(type !== undefined && { type }),
    enum: [...values],
    'x-enum-varnames': names,
    ...(hasMeanings && { description: markdownTable(values, descriptions), 'x-enum-descriptions': descriptions }),
  }
}

function markdownTable(values: readonly (string | number)[], meanings: readonly string[]): string {
  const rows = values.map((value, index) => `| \`${value}\` | ${meanings[index]} |`)
  return ['| Value | Meaning |', '|---|---|', ...rows].join('\n')
}
