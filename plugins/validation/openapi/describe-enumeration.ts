import type { DescribedAttribute, OpenApiDraft, Schema } from '#openapi'
import type { Enumeration, Rules } from '../rules.ts'

/** Lists the allowed values. An enumeration becomes a component, named after its field. */
export function describeEnumeration(described: DescribedAttribute, rules: Rules, { component }: OpenApiDraft): void {
  const { schema, name } = described
  const { in: values, enumeration } = rules
  const isUntyped = Object.keys(schema).length === 0
  if (!values || isUntyped) return
  if (!enumeration) {
    schema.enum = [...values]
    return
  }
  const { description, examples, type } = schema
  described.schema = {
    ...component(`${name}Enum`, () => enumSchema(values, enumeration, type)),
    ...(description !== undefined && { description }),
    ...(examples !== undefined && { examples }),
  }
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
