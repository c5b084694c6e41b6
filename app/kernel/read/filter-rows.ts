import type { Context } from '../model/context.ts'
import type { Row } from '../model/field.ts'
import type { Page } from '../model/query.ts'
import type { ResourceType } from '../model/resource-type.ts'

/** Removes the rows that a plugin hides (`filterRows`). The hook runs once per type. */
export async function filterPages(
  pages: readonly Page[],
  types: readonly ResourceType[],
  context: Context,
): Promise<readonly Page[]> {
  const hidden = new Set<Row>()
  for (const type of types) {
    const rows = pages.flatMap((page) => rowsOfType(page, type, types[0] as ResourceType))
    for (const row of await hiddenRows(type, rows, context)) hidden.add(row)
  }
  return hidden.size === 0 ? pages : pages.map((page) => withoutRows(page, hidden))
}

/** The rows of one type that no plugin hides. */
export async function filterRows<Shown extends Row>(
  type: ResourceType,
  rows: readonly Shown[],
  context: Context,
): Promise<readonly Shown[]> {
  const hidden = new Set<Row>(await hiddenRows(type, rows, context))
  return hidden.size === 0 ? rows : rows.filter((row) => !hidden.has(row))
}

async function hiddenRows(type: ResourceType, rows: readonly Row[], context: Context): Promise<Row[]> {
  if (!type.checksEachRow || rows.length === 0) return []
  const hidden: Row[] = []
  for (const plugin of context.app.hooksFor('filterRows', type)) {
    const shown = (await plugin.filterRows?.(type, rows, context)) ?? []
    rows.forEach((row, index) => {
      if (shown[index] !== true) hidden.push(row)
    })
  }
  return hidden
}

function rowsOfType({ records, types }: Page, type: ResourceType, byDefault: ResourceType): readonly Row[] {
  return records.filter((_, index) => (types?.[index] ?? byDefault) === type)
}

function withoutRows(page: Page, hidden: ReadonlySet<Row>): Page {
  const isShown = (_: unknown, index: number) => !hidden.has(page.records[index] as Row)
  return {
    ...page,
    records: page.records.filter(isShown),
    ...(page.types && { types: page.types.filter(isShown) }),
  }
}
