/** The filter model of a data grid; that of MUI X Data Grid has this form. */
export interface GridFilter {
  readonly items: readonly GridItem[]
  readonly logicOperator?: 'and' | 'or'
}

interface GridItem {
  readonly field: string
  readonly operator: string
  readonly value?: unknown
}

const operators: Readonly<Record<string, string>> = {
  ...{ '=': 'eq', '!=': 'ne', '>': 'gt', '>=': 'ge', '<': 'lt', '<=': 'le' },
  ...{ equals: 'eq', is: 'eq', not: 'ne', after: 'gt', onOrAfter: 'ge', before: 'lt', onOrBefore: 'le' },
  ...{ contains: 'contains', startsWith: 'starts', endsWith: 'ends', isAnyOf: 'in', isEmpty: 'null' },
}

/** Returns the value of `filter[where]`; undefined if no column is filtered. */
export function toWhere({ items, logicOperator = 'and' }: GridFilter): string | undefined {
  const parts = items.flatMap(({ field, operator, value }) => {
    if (operator === 'isNotEmpty') return [`not(null(${field}))`]
    const values = [value ?? []].flat()
    const name = operators[operator]
    // An operator without its value is not complete yet.
    if (!name || (values.length === 0 && name !== 'null')) return []
    return [`${name}(${[field, ...values.map(literal)].join()})`]
  })
  return parts.length > 0 ? `${logicOperator}(${parts.join()})` : undefined
}

/** Numbers and booleans as they are, other values in single quotes. */
export function literal(value: unknown): string {
  return typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : `'${String(value).replaceAll("'", "''")}'`
}
