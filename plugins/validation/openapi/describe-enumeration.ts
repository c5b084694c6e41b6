import type { DescribedAttribute, OpenApiDraft, Schema } from '#kernel/plugin'
import type { Enumeration, Rules } from '../rules.ts'

/** The values there are: an enumeration is a component of its own, under the name of its field. */
export function describeValues(described: DescribedAttribute, rules: Rules, { component }: OpenApiDraft): void {
  const { schema, name } = described
  const { in: values, enumeration } = rules
  const isOpen = Object.keys(schema).length === 0
  if (!values || isOpen) return
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
  const told = values.map((value) => meanings[value] ?? '')
  const hasMeanings = told.some((meaning) => meaning !== '')
  return {
    ...(type !== undefined && { type }),
    enum: [...values],
    'x-enum-varnames': names,
    ...(hasMeanings && { description: tableOf(values, told), 'x-enum-descriptions': told }),
  }
}

function tableOf(values: readonly (string | number)[], meanings: readonly string[]): string {
  const rows = values.map((value, index) => `| \`${value}\` | ${meanings[index]} |`)
  return ['| Value | Meaning |', '|---|---|', ...rows].join('\n')
}
