import type { Context } from '../data/context.ts'
import type { Page } from '../data/query.ts'
import type { Row } from '../schema/field.ts'
import type { ResourceType } from '../schema/resource-type.ts'

/** Removes the rows that a plugin hides (`filterRows`). The stage runs once per type. Pages without types have the first. */
export async function filterPages(
  pages: readonly Page[],
  types: readonly ResourceType[],
  context: Context,
): Promise<readonly Page[]> {
  const hidden = new Set<Row>()
  for (const type of types) {
    if (!type.filtersRowsAfterRead) continue
    const rows = pages.flatMap(({ records, types: typesOfRows }) =>
      records.filter((_, index) => (typesOfRows?.[index] ?? types[0]) === type),
    )
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
  if (!type.filtersRowsAfterRead || rows.length === 0) return []
  const hidden: Row[] = []
  for (const filter of type.steps.filterRows) {
    const isShown = (await filter(type, rows, context)) ?? []
    hidden.push(...rows.filter((_, index) => isShown[index] !== true))
  }
  return hidden
}

function withoutRows(page: Page, hidden: ReadonlySet<Row>): Page {
  const isShown = (_: unknown, index: number) => !hidden.has(page.records[index] as Row)
  return {
    ...page,
    records: page.records.filter(isShown),
    ...(page.types && { types: page.types.filter(isShown) }),
  }
}
